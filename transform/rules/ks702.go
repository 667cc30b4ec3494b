package rules

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// stopKey is the annotation that is "true", in any case, on a service that shall not run. Knative services stop from
// 0.15.1 on, Standard ones and graphs from 0.16.0 on (GetForceStopRuntime and its callers in
// pkg/controller/v1beta1/inferenceservice, v0.15.2 and v0.16.0).
const stopKey = "serving.kserve.io/stop"

var (
	stopUnknown      = transform.Window{Before: stopsKnativeOnly.From}
	stopsKnativeOnly = transform.Window{From: transform.Release{0, 15, 1}, Before: transform.Release{0, 16, 0}}
)

//go:embed ks702.md
var ks702Doc string

var stopIgnored = &transform.Rule{
	ID:    "KS702",
	Name:  "stop-ignored",
	Title: "KServe does not stop the service",
	Doc:   ks702Doc,
	Issues: []string{
		"https://github.com/kserve/kserve/pull/4337", "https://github.com/kserve/kserve/pull/4455",
	},
	Windows:  []transform.Window{{Before: stopsKnativeOnly.Before}},
	Kinds:    []transform.GroupKind{kserve.InferenceService, kserve.InferenceGraph},
	Example:  "0.15.2/standard",
	Severity: transform.Warning,
	Run:      run(checkStop),
}

func checkStop(p *pass) {
	s := p.Service(p.Object)
	ignored := p.Versions.All(stopUnknown) || p.Versions.All(transform.Window{Before: stopsKnativeOnly.Before}) &&
		(s == nil || s.Mode == kserve.Standard)
	if !ignored || !strings.EqualFold(p.Object.Annotation(stopKey), "true") {
		return
	}
	what := "services"
	if s == nil {
		what = "graphs"
	} else if !p.Versions.All(stopUnknown) {
		what = "services in Standard mode"
	}
	p.Report(transform.Finding{At: yamldoc.Path{"metadata", "annotations", stopKey}, Message: fmt.Sprintf(
		"this KServe cannot stop %s, so the pods keep running: upgrade to 0.16, or remove the object", what)})
}
