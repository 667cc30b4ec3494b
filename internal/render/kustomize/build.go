package kustomize

import (
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
	"sigs.k8s.io/kustomize/api/types"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/tree"
)

// building serializes builds: kustomize keeps the OpenAPI schema in a package
// variable (kyaml/openapi/openapi.go@v0.21.2, SetSchema).
var building sync.Mutex

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
	if fsys.input.LoadFromRoot {
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
	return nil, o.fsys.refuse(fmt.Errorf("%s: %s: %w", o.fsys.Named, r.URL.Redacted(), tree.ErrRemote))
}
