package kserve

// StorageInitializer is the name by which the pod webhook recognises the init container that fetches the model
// (pkg/webhook/admission/pod/storage_initializer_injector.go, https://github.com/kserve/kserve/issues/3900).
const StorageInitializer = "storage-initializer"

// QueueProxy is the container that Knative adds to each pod.
const QueueProxy = "queue-proxy"

// ModelcarTwice is the release whose webhook is not idempotent for oci:// models
// (https://github.com/kserve/kserve/pull/3612 fixed 0.12.1, https://github.com/kserve/kserve/pull/3517 0.13.0).
var ModelcarTwice = Window{From: Release{0, 12, 0}, Before: Release{0, 12, 1}}

// WebhookNames are the names that pod webhooks, KServe's and Istio's, use for what they inject, by the lists they occur in.
var WebhookNames = []struct{ Lists, Names []string }{
	{
		Lists: []string{"containers", "initContainers"},
		Names: []string{"modelcar", "modelcar-init", "agent", StorageInitializer, QueueProxy, "istio-init", "istio-proxy"},
	},
	{
		Lists: []string{"volumes"},
		Names: []string{"kserve-provision-location", "kserve-pvc-source"},
	},
}
