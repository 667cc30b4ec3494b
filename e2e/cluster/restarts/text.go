package restarts

// Introduction is the beginning of the page.
const Introduction = `# Restarts, predicted and measured

<!-- Written by make e2e SUITE=restarts. It compares this page with what it measures; -update rewrites the page. -->

Every golden case of a rule (testdata/rules) was a candidate. Each that the rule repairs with the release, and of which
KServe makes pods in Standard mode, was deployed as it is to a real Kubernetes 1.34 API server with the release's own
controllers and webhooks, then changed to what the plugin makes of it, as Argo CD does with prune on. "Run" counts
these; below each table stands why the others were not run. The plugin was told the release and the default deployment
mode Standard, and ran the rule of the case alone; the cases "together" ran all rules. LLMInferenceServices got a model if
their case says of none where it is.

What KServe or the API server refuses as it is was deployed first without what the repair changes or removes, as before
somebody wrote that. If KServe takes it and then makes no Deployment of it, it was also deployed as it is, and the pods
had to stay as they were.

"Predicted" are the services that ` + "`check`" + ` lists as restarting, which the summary of ` + "`generate`" + ` counts.
"Measured" are those of which a pod template changed (of a Deployment or LeaderWorkerSet) once KServe had reconciled
the repaired service. A miss is a service of which one is true and the other is not.

The cluster has an API server and KServe alone: no pods ran, so no service got ready. A ready service with
` + "`serving.kserve.io/disable-auto-update`" + ` restarts less than predicted: KServe 0.16 and later ignore its
changes, as [KS701](../rules/KS701.md) says.
`

// UpgradeIntroduction is the beginning of the page about upgrades.
const UpgradeIntroduction = `# KServe upgraded in place

<!-- Written by make e2e SUITE=upgrade. It compares this page with what it measures; -update rewrites the page. -->

Apps of examples/ and golden cases were deployed with the older release of KServe, each as the plugin makes it for that
release, with all rules. Then ` + "`upgrade`" + ` said what the newer release does, with the programs of both, and KServe was
upgraded, with the same etcd: its kinds, configuration, controllers, webhooks, runtimes and presets. In the end the plugin
was told the new release, and what it then made of the apps replaced what was there, as Argo CD does with prune on.

A service restarts when a pod template of it changes. "Predicted" are the services of which ` + "`upgrade`" + ` says so: as
` + "`rollout`" + ` for KServe's upgrade alone, as ` + "`restarts`" + ` for what the plugin makes. A miss is a service of which one
is true and the other is not. An object is lost when it is gone, or another one of the same name.

KServe 0.15.1 and 0.15.2 write the deployment mode of a service into its status, under its old name. Up to 0.18 it stays
there, and counts more than the annotation. So **0.16 to 0.18 do not reconcile a service in Standard mode that 0.15.1 or
0.15.2 made**: they take RawDeployment for Knative mode. 0.17 and 0.18 refuse each change of one as well, because
their webhook writes the annotation Standard. Its pods run on as they are, and 0.19 and later reconcile it again. The
API server refused nothing else. ` + "`upgrade`" + ` names such services.

Not among the apps is one with ` + "`predictor.name`" + `, which releases before 0.20.0 drop: 0.20.0 refuses to add it to a
service that has no other model, so its sync fails after the upgrade.

The cluster has an API server and KServe alone: no pods ran.
`
