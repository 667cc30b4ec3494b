package render

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/api/resource"
	"sigs.k8s.io/kustomize/api/types"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/lazyregexp"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/mergekey"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/tree"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// building serializes builds: kustomize keeps the OpenAPI schema in a package
// variable (kyaml/openapi/openapi.go@v0.21.2, SetSchema).
var building sync.Mutex

// kustomize builds the named directory and returns one file per object, with the
// bytes and in the order of kustomize build.
func kustomize(ctx context.Context, t *tree.Tree, o Options) (Result, error) {
	building.Lock()
	defer building.Unlock()
	if err := context.Cause(ctx); err != nil {
		return Result{}, err
	}
	fsys := newConfined(t, o)
	built, err := build(fsys)
	if fsys.schema.NeedsWhole() {
		t.Again()
		fsys = newConfined(t, o)
		fsys.schema = mergekey.New(true)
		built, err = build(fsys)
	}
	if err != nil {
		return Result{}, err
	}
	var from sources
	from.add(fsys, t.Base, "", "")
	origins, patches := sync.OnceValue(from.origins), sync.OnceValue(from.patches)
	result := Result{Warnings: fsys.warnings, Renderer: Kustomize}
	for _, res := range built.Resources() {
		data, err := fsys.manifest(res)
		if err != nil {
			return Result{}, fsys.readable(fmt.Errorf("%s: %w", res.CurId(), err))
		}
		id := identity{res.GetKind(), res.GetName()}
		result.Files = append(result.Files, transform.File{Path: fsys.top, Data: data, Renderer: Kustomize,
			FindOrigin: func() string { return origins()[id].file },
			FindSource: func(at yamldoc.Path, _ int) transform.Source {
				return origins()[id].source(patches()[id], data, at)
			},
		})
	}
	return result, nil
}

// manifest returns an object that a build made as YAML.
func (c *confined) manifest(object *resource.Resource) ([]byte, error) {
	if len(c.components) > 0 {
		if err := c.setOrigin(object); err != nil {
			return nil, err
		}
	}
	return manifest(object)
}

// build runs kustomize on fsys. It fails if fsys refused anything, even if
// kustomize went on without it.
func build(fsys *confined) (built resmap.ResMap, err error) {
	defer func() { // kustomize panics on some input, in this goroutine
		if cause := recover(); cause != nil {
			err = fsys.readable(fmt.Errorf("panic: %v", cause))
		}
	}()
	// fsys refuses the remote references in kustomizations before kustomize uses
	// them. The transport refuses those that only the build creates, such as the
	// path in a transformer that a kustomization generates: kustomize's loader
	// uses the default transport (api/internal/loader/fileloader.go@v0.21.2).
	transport := http.DefaultTransport
	http.DefaultTransport = offline{fsys}
	defer func() { http.DefaultTransport = transport }()
	logged := log.Writer()
	log.SetOutput(quiet{})
	defer log.SetOutput(logged)
	// kustomize prints that a field is deprecated (Load in api/internal/target/kusttarget.go@v0.21.2), also one that the
	// settings have set.
	stderr := os.Stderr
	os.Stderr = nil
	defer func() { os.Stderr = stderr }()
	defer func() { jsonpatch.AccumulatedCopySizeLimit = 0 }()

	restrictions := types.LoadRestrictionsRootOnly // the root is here the folder of a kustomization
	if fsys.options.LoadFromRoot {
		restrictions = types.LoadRestrictionsNone // fsys restricts loading, to its root
	}
	built, err = krusty.MakeKustomizer(&krusty.Options{
		Reorder:          krusty.ReorderOptionUnspecified, // as kustomize build does
		LoadRestrictions: restrictions,
		PluginConfig:     types.DisabledPluginConfig(),
	}).Run(fsys, fsys.Base)
	if fsys.refused != nil {
		return nil, fsys.refused
	}
	if err != nil {
		return nil, fsys.readable(err)
	}
	return built, nil
}

// readable turns an error of kustomize into one line without absolute paths and
// without values of Secrets.
func (c *confined) readable(err error) error {
	var copied *jsonpatch.AccumulatedCopySizeError
	if errors.As(err, &copied) {
		return fmt.Errorf("%s: the copy operations in JSON patches add too much: at most %s, "+
			"shared equally by %d copy operations and %d objects", c.top, limited(c.maxExtra), c.copies, c.objects)
	}
	text := strings.Join(strings.Fields(err.Error()), " ")
	if found := twice().FindStringSubmatch(text); found != nil {
		return fmt.Errorf("%s: kustomize: %s comes from a chart, and is there twice", c.Named, c.redact(found[1]))
	}
	text = strings.ReplaceAll(text, c.Base, c.Named)
	if c.Dir != "/" {
		text = strings.ReplaceAll(text, c.Dir, c.Show(c.Dir))
	}
	text = c.redact(text)
	if strings.Contains(text, "security; file ") {
		text += ": " + errRestricted.Error()
	}
	return fmt.Errorf("%s: kustomize: %s", c.Named, text)
}

// twice matches the error for an object of a chart that is there already.
var twice = lazyregexp.New(`/\.helm-charts-\d+.*already registered id: ([^']+)'`)

// quiet is the log of a build. It drops what kustomize prints and turns its
// log.Fatal, which would end the process, into a panic.
type quiet struct{}

func (quiet) Write(line []byte) (int, error) {
	callers := make([]uintptr, 8)
	frames := runtime.CallersFrames(callers[:runtime.Callers(1, callers)])
	for more := true; more; {
		var frame runtime.Frame
		frame, more = frames.Next()
		if strings.HasPrefix(frame.Function, "log.") && strings.Contains(frame.Function, ".Fatal") {
			panic(string(line))
		}
	}
	return len(line), nil
}

// offline is the HTTP transport of a build. It refuses every request.
type offline struct{ fsys *confined }

func (o offline) RoundTrip(r *http.Request) (*http.Response, error) {
	return nil, o.fsys.refuse(fmt.Errorf("%s: %s: %w", o.fsys.Named, r.URL.Redacted(), errRemote))
}
