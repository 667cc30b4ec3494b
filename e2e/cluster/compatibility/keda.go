package compatibility

// KEDA is the document about KServe beside KEDA.
var KEDA = Document{
	Page:     "docs/evidence/keda.md",
	Results:  "e2e/cluster/testdata/results/keda",
	Sections: []string{KEDAClasses, KEDASyncs},
	Introduction: `# KEDA

<!-- Written by make e2e SUITE=keda from e2e/cluster/testdata/results/keda, which -update rewrites. -->

KEDA 2.18.0, its operator and its admission webhook, ran beside each release of KServe in Standard mode, on a
real Kubernetes 1.34 API server. "Without" is the app as it is in Git, "with" is the app after the plugin, with
` + "`kserve-version` and `default-deployment-mode`" + ` set. The ScaledObject has a cpu trigger and keeps two
replicas, unless the row says otherwise.

The first table names the commits of the plugin with which the cells of each release of KServe were measured. In the
other tables a cell has a letter, for what was seen without the plugin, and a number, for what was seen with it; the
lists below the table say what they stand for, and "-" was not measured.

The second table applies the service, then the ScaledObject, and has KServe reconcile. "Survives" means: after 10
reconciles the ScaledObject and KEDA's HorizontalPodAutoscaler were the same objects, nothing else scaled the
Deployment, and it had two replicas.

In the third table, Argo CD syncs the app by itself, with prune. "At once" means that the first try succeeded;
"after a retry" that KEDA refused the first and accepted a later one; "fails" that no try succeeded, of up to four.
Argo CD tries an automated sync six times unless ` + "`syncPolicy.retry`" + ` says otherwise. "No retry" is a limit of
0, as in a sync by hand. In every row, the InferenceService, its Deployment and the new ScaledObject lived
through the sync. "Foreground" and "background" are the policies by which Argo CD prunes.
`,
	Limits: `
## What these tables do not show

kwok simulates the pods, and a stand-in serves their metrics: each one is idle. KEDA's metrics adapter does not
run, so a trigger other than cpu and memory gives KEDA's HPA no number.
`,
}
