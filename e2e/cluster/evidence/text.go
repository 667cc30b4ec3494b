package evidence

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Introduction is the beginning of the page.
func Introduction() string {
	var b strings.Builder
	b.WriteString(`# Evidence for plan

<!-- Written by make e2e SUITE=plan. It compares this page with what it measures; -update rewrites the page. -->

Golden cases of the rules (testdata/rules) and manifests that the release of KServe publishes in docs and test were given
to ` + "`plan`" + ` and applied to a real Kubernetes 1.34 API server, with the release's own controllers and webhooks, each
in namespaces of its own that have the same names in both worlds. They are all that there are but for those that stand
below "Not run". kube-controller-manager made the pods and
collected the garbage; what runs pods, LeaderWorkerSets and gateways was imitated, and HPAs scaled nothing.
LLMInferenceServices got a certificate in place of that which KServe makes for each new address. The default
deployment mode was Standard; nothing here is about Knative mode. ` + "`--cluster`" + ` had what kubectl prints of
KServe's configuration, runtimes and presets.

"As they are" is what KServe makes of the manifests. "Repaired" is what it makes of them after a change to what the
plugin makes of them for that release and mode: with the rule of the case alone; with all rules for cases "together" and
for the manifests of KServe. A difference is a field or an object that one world has and the other has not, or a refusal
with another message. The suite fails with the first. Where the worlds differ, KServe is started anew once, because it
looks at all services then: what plan says of its next look has to be true after that.

What an object of both worlds has and what is not compared:

| field | of | why |
|---|---|---|
`)
	for _, f := range live {
		of := "all"
		if f.kinds != nil {
			of = strings.Join(f.kinds, ", ")
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", f.name, of, f.reason)
	}
	b.WriteString("\nObjects that only a cluster has:\n\n| kind | who writes it |\n|---|---|\n")
	for _, kind := range slices.Sorted(maps.Keys(leftOut)) {
		fmt.Fprintf(&b, "| %s | %s |\n", kind, leftOut[kind])
	}
	b.WriteString("| ServiceAccount that pods name and no manifest has | the suite, because plan takes it for granted |\n")
	b.WriteString("| the ServiceAccount default and the ConfigMap kube-root-ca.crt of each namespace | " +
		"kube-controller-manager |\n")
	return b.String()
}
