package restarts

// Introduction is the beginning of the page.
const Introduction = `# Restarts, predicted and measured

<!-- Written by make e2e-restarts. It compares this page with what it measures; -update rewrites the page. -->

Every golden case of a rule (testdata/rules) was deployed as it is to a real Kubernetes 1.34 API server with the release's
own controllers and webhooks, then changed to what the plugin makes of it, as Argo CD does with prune on. The plugin was
told the release and the default deployment mode Standard, and ran the rule of the case alone; the cases "together" ran
all rules.

"Predicted" are the services that ` + "`check` lists as restarting and that the summary of `generate`" + ` counts. "Measured" are
those of which a pod template changed (of a Deployment or LeaderWorkerSet) once KServe had reconciled the repaired service.
A miss is a service of which one is true and the other is not.

kwok simulates the pods: they become ready, but no container runs.
`
