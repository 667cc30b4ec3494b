package rules

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks722.md
var ks722Doc string

var runtimeChange = &transform.Rule{
	ID:       "KS722",
	Name:     "runtime-change",
	Title:    "A change of a serving runtime restarts services of other apps",
	Doc:      ks722Doc,
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{kserve.ServingRuntime, kserve.ClusterServingRuntime},
	About:    []transform.GroupKind{kserve.InferenceService},
	Example:  "0.20.0/image",
	Severity: transform.Advice,
	Changed:  run(checkRuntimeChange),
}

// notOfPods are the fields of a runtime by which KServe chooses it.
var notOfPods = []string{"supportedModelFormats", "protocolVersions", "disabled", "multiModel", "grpcEndpoint",
	"grpcDataEndpoint", "httpDataEndpoint", "replicas", "builtInAdapter"}

func checkRuntimeChange(p *pass) {
	isCluster, was := p.Object.GroupKind() == kserve.ClusterServingRuntime, p.was(p.Object)
	spec, before := p.Object.Get("spec"), was.Get("spec")
	if !isCluster && p.KServe.IsUsed(p.Object) || runtimeText(spec) == runtimeText(before) ||
		spec.Get("disabled").Str() == "true" || spec.Get("multiModel").Str() == "true" {
		return
	}
	where, when := "its namespace", "at once"
	if isCluster {
		where = "the cluster"
	}
	if !p.Versions.All(kserve.RuntimesWatched) {
		when = "at their next reconcile, with KServe 0.16 and later at once"
		if !p.Versions.Any(kserve.RuntimesWatched) {
			when = "at their next reconcile, as when KServe restarts"
		}
	}
	p.Report(transform.Report{At: yamldoc.Path{"metadata", "name"}, Message: fmt.Sprintf("the pods of all services of %s that "+
		"use it restart, also those of other apps, %s: add a runtime with another name, and let the services take it one by "+
		"one", where, when)})
}

// runtimeText returns a text that is equal for runtimes with equal pods.
func runtimeText(spec *yamldoc.Node) string {
	var b strings.Builder
	writePod(&b, spec, notOfPods)
	return b.String()
}
