package render

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/api/types"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// building makes builds follow each other: kustomize keeps the OpenAPI schema
// in a package variable (kyaml/openapi/openapi.go@v0.21.1, SetSchema).
var building sync.Mutex

// kustomize builds the named directory and returns one file an object. The
// bytes and their order are those of kustomize build.
func kustomize(ctx context.Context, t *tree) ([]transform.File, error) {
	building.Lock()
	defer building.Unlock()
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	fsys := newConfined(t)
	built, err := build(fsys)
	if err != nil {
		return nil, err
	}
	from := origins{}
	from.add(fsys, t.base, "", "")
	var files []transform.File
	for _, res := range built.Resources() {
		data, err := res.AsYAML()
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", fsys.top, res.CurId(), err)
		}
		files = append(files, transform.File{Path: fsys.top, Data: data, Renderer: Kustomize, Origin: from.of(res)})
	}
	return files, nil
}

// build runs kustomize over fsys. What fsys refused is the error, even when
// kustomize went on without it.
func build(fsys *confined) (built resmap.ResMap, err error) {
	defer func() { // kustomize panics on some input, in this goroutine
		if cause := recover(); cause != nil {
			err = fsys.readable(fmt.Errorf("panic: %v", cause))
		}
	}()
	// The references in kustomizations are refused before they are used. This
	// is for those that only the build brings about, such as the path in a
	// transformer that a kustomization generates: kustomize's loader takes the
	// default transport (api/internal/loader/fileloader.go@v0.21.1).
	transport := http.DefaultTransport
	http.DefaultTransport = offline{fsys}
	defer func() { http.DefaultTransport = transport }()

	built, err = krusty.MakeKustomizer(&krusty.Options{
		Reorder:          krusty.ReorderOptionUnspecified, // as kustomize build has it
		LoadRestrictions: types.LoadRestrictionsNone,      // fsys restricts, to the root instead of the kustomization
		PluginConfig:     types.DisabledPluginConfig(),
	}).Run(fsys, fsys.base)
	if fsys.refused != nil {
		return nil, fsys.refused
	}
	if err != nil {
		return nil, fsys.readable(err)
	}
	return built, nil
}

// readable makes an error of kustomize one line without paths of the machine.
func (t *tree) readable(err error) error {
	text := strings.Join(strings.Fields(err.Error()), " ")
	text = strings.ReplaceAll(text, t.base, t.named)
	if t.dir != "/" {
		text = strings.ReplaceAll(text, t.dir, t.show(t.dir))
	}
	return fmt.Errorf("%s: kustomize: %s", t.named, text)
}

// offline is the transport of a build: it refuses.
type offline struct{ fsys *confined }

func (o offline) RoundTrip(r *http.Request) (*http.Response, error) {
	return nil, o.fsys.refuse(fmt.Errorf("%s: %s: %w", o.fsys.named, r.URL.Redacted(), errRemote))
}
