package compatibility

// Knative is the document about Knative mode.
var Knative = Document{
	Page:     "docs/evidence/knative.md",
	Results:  "e2e/cluster/testdata/results/knative",
	Sections: []string{Revisions, Probes, Health, Drift},
	Introduction: `# Knative mode

<!-- Written by make e2e SUITE=knative from e2e/cluster/testdata/results/knative, which -update rewrites. -->

Knative mode is the default that KServe ships (` + "`Serverless`" + ` in its configuration). Every cell was measured
with the release's own controller and webhooks, with the controller, autoscaler and webhook of Knative Serving 0.48.1
and on a real Kubernetes 1.34 API server; Argo CD 3.5.7 synced the rows that name it.

The first table names the commits of the plugin with which the cells of each release of KServe were measured. Of cells
that are older than that table, it is the commit that put them on this page. In the other tables a cell has a letter and
a number; the lists below the table say what they stand for, and "-" was not measured.

- **Nearly every annotation and label of an InferenceService makes a new Revision**, which starts new pods, because
  KServe copies them to the pods. This includes what Argo CD writes to track its resources, in whichever way:
  adopting a live service, renaming its Application, or changing ` + "`application.resourceTrackingMethod`" + ` makes
  a new Revision of each service, once. ` + "`argocd-kserve-plugin health config -o inferenceservice-config`" + `
  prints the list of annotations that KServe should not copy. It helps with annotations only: KServe has no such list
  for labels, so prefer ` + "`annotation`" + `, Argo CD's default since 3.0, to ` + "`label`" + ` and
  ` + "`annotation+label`" + `.
- The probes of Knative mode need no repair: Knative gives its queue-proxy a TCP probe in place of an exec probe, and
  KServe's agent gets the queue-proxy's.
- Knative forgets a failed revision 30 seconds after its deadline. Then only a [progress deadline](../health.md#limits)
  can tell.
- Where Istio's kinds are missing, KServe 0.15.2 deletes the Knative Service of a service with
  ` + "`serving.kserve.io/stop`" + `, then fails because it cannot look for a VirtualService, and goes on saying that
  the service is ready (pkg/controller/v1beta1/inferenceservice/reconcilers/ingress/ingress_reconciler.go). KServe
  0.20.0 fails as well, but writes the status.
- With the annotation ` + "`serving.knative.dev/rollout-duration`" + `, the controller of Knative 0.48.1 ended with a
  panic when ` + "`canaryTrafficPercent`" + ` changed during a rollout (pkg/reconciler/route/traffic/rollout.go).
`,
	Headers: map[string][]string{
		Revisions: {
			"Change of an InferenceService", "KServe", "Argo CD", "KServe as it ships", "With our list of annotations",
		},
		Health: {
			"What is the case", "KServe", "Argo CD", "Argo CD's own check", "[Our check](../health.md)",
		},
	},
	Limits: `
## What these tables do not show

Stand-ins of the suite take the place of four things. kwok takes that of a kubelet: pods are scheduled and become
ready, or fail as a label says, but no container runs and no probe is executed. A gateway and its controller: every
Ingress of Knative is ready, and nothing routes a request. The queue-proxies: they say to the autoscaler that there
is no request. The activator: it has an address where nobody listens. The times of the autoscaler are shorter, images
are not resolved to digests, and KServe makes no Istio VirtualService. So not run at all: requests, scaling up by
requests, and other releases than those in the tables.
`,
}
