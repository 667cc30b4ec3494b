package transform

// Options are the facts about the cluster and the wishes of the user that rules depend on. Zero values are the defaults.
type Options struct {
	KServeVersion           string   // x.y.z, x.y or "unknown"
	DefaultDeploymentMode   string   // Standard, Knative, ModelMesh (or a legacy spelling), "unknown"
	Namespace               string   // of objects that name none
	Rules                   []string // IDs to run, or IDs with a leading "-" to leave out; empty: all
	Probes                  string   // auto, always, tcp, never
	Autoscaler              string   // rename, finalizer, report
	HealthMetadata          string   // on, off
	ProgressDeadlineSeconds int      // 0: none
	DeploymentModeRewrite   string   // auto, always
}
