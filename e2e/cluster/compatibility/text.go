package compatibility

const introduction = `# Compatibility

<!-- Written by make e2e-cluster. What it measures is compared with this page; -update rewrites it. -->

Every row was measured: the release's own controller and webhooks on a real Kubernetes 1.34 API server, synced by the real
Argo CD where one is named. "Without" is the same app as Git has it; "with" is what the plugin makes of it, with
` + "`kserve-version`" + ` and ` + "`default-deployment-mode`" + ` given. "Survives" means 10 reconciles by KServe and 60 seconds, same object, same
spec, and no second autoscaler for the Deployment.
`

const limits = `
## What these tables do not show

Pods are simulated by kwok: they are scheduled and become ready, but no container runs and no probe is executed. KServe's
agent is the exception, it was started by hand with the environment that its pod had, beside an HTTP server in place of
the model. Not run at all: Knative and ModelMesh services, Istio and Gateway API, KEDA itself (only its kinds are there),
scaling by metrics, traffic, images, other releases than those named, and an upgrade of KServe in place.
`
