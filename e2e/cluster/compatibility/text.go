package compatibility

// Standard is the document about Standard mode.
var Standard = Document{
	Page:     "docs/evidence/compatibility.md",
	Results:  "e2e/cluster/testdata/results",
	Sections: []string{Autoscalers, Scaling, Probes, Applications, Drift, Health, Restarts, Modes, LLM},
	Introduction: `# Compatibility

<!-- Written by make e2e SUITE=cluster from e2e/cluster/testdata/results, which -update rewrites. -->

Each table has the releases of KServe as columns. A cell has a letter, for what was seen without the plugin, and a
number, for what was seen with it; the lists below the table say what they stand for, and "-" was not measured.

Every cell was measured with the release's own controller and webhooks on a real Kubernetes 1.34 API server.
Where a row has Argo CD releases, each of them synced the app. "Without" is the app as it is in Git; "with"
is the app after the plugin, with ` + "`kserve-version`" + ` and ` + "`default-deployment-mode`" + ` set.
"Survives" means that after 10 reconciles by KServe it was the same object with the same spec, and the
Deployment had no second autoscaler.

The table Scaling is about HPAs that scale. Kubernetes' own controller of HPAs acts on the load of each
Deployment: CPU that the test sets, shared by the replicas. A stand-in for the metrics-server serves it as
metrics.k8s.io through the API server's aggregation layer. "The replicas follow the load" means ten changes of
the load, each followed by a reconcile by KServe: the replicas became and stayed what the load asks for, and
were nothing else for a moment. Where a row has an Argo CD release, it was Synced after each change, and had
not synced again. "With" was measured after "without" on the same live service, so it is the repair of an app
that runs.

The table Drift names the ways in which Argo CD compares: "client" by default, "structured" with the sync
option ServerSideApply=true, "server" with ServerSideDiff=true as well. Every service in it was also tried
with the rule switched off: with the lines that ` + "`drift`" + ` prints Argo CD was Synced through 10 refreshes,
without any one of them OutOfSync. The ways to compare with every tracking method are in
[comparison.md](comparison.md).

The first table names the commits of the plugin with which the cells of each release of KServe were measured. Of
cells that are older than that table, it is the commit that put them on this page. CI measures those of 0.15.2 and
0.20.0 again, except the table Scaling and the slow ones of the table Drift.

The table LLMInferenceServices names the rule first. "Reported" means that ` + "`check`" + ` finds the problem and that
nothing in a manifest repairs it, or nobody but the author can say how. What follows "reported;", such as "removed from
Git", was then done by hand.

Services in Knative mode are in [knative.md](knative.md), and those beside KEDA in [keda.md](keda.md). Which repairs
restart pods is in [restarts.md](restarts.md).
`,
	Limits: `
## What these tables do not show

kwok simulates the pods: they are scheduled and become ready, but no container runs and no probe is executed.
The exception is KServe's agent: it was started by hand with the environment of its pod, next to an HTTP
server instead of the model. A stand-in for a controller of the Gateway API accepts the routes and pools of
LLMInferenceServices. Not run at all: ModelMesh services, Istio and LeaderWorkerSets (only their kinds are installed),
other metrics than CPU, traffic, images, and other releases than those in the tables. What an upgrade of KServe in place
does is in [kserve-upgrades.md](kserve-upgrades.md).
`,
}
