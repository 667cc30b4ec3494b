package kserve

import "github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"

// StorageInitializer is the name by which the pod webhook recognizes the init container that downloads the model
// (pkg/webhook/admission/pod/storage_initializer_injector.go, https://github.com/kserve/kserve/issues/3900).
const StorageInitializer = "storage-initializer"

// QueueProxy is the container that Knative adds to each pod.
const QueueProxy = "queue-proxy"

// ModelcarTwice is the release whose webhook is not idempotent for oci:// models
// (https://github.com/kserve/kserve/pull/3612 fixed 0.12.1, https://github.com/kserve/kserve/pull/3517 0.13.0).
var ModelcarTwice = transform.Window{From: transform.Release{0, 12, 0}, Before: transform.Release{0, 12, 1}}

// WebhookNames are the names that KServe's and Istio's pod webhooks give to what they inject, by the lists that hold
// them.
var WebhookNames = []struct{ Lists, Names []string }{
	{
		Lists: []string{"containers", "initContainers"},
		Names: []string{
			"modelcar", "modelcar-init", "agent", StorageInitializer, QueueProxy, "istio-init", "istio-proxy",
		},
	},
	{
		Lists: []string{"volumes"},
		Names: []string{"kserve-provision-location", "kserve-pvc-source"},
	},
}

// StorageNames are the WebhookNames of what loads a model.
var StorageNames = []string{
	"modelcar", "modelcar-init", StorageInitializer, "kserve-provision-location", "kserve-pvc-source",
}

// WebhookDropsEmpty are the releases whose mutating webhooks remove what the encoding of a Go type leaves out. The
// patch of pkg/webhook/admission/defaulter_custom.go in sigs.k8s.io/controller-runtime does it at v0.19.7, which KServe
// 0.19.0 is built with, but not at v0.22.5, which KServe 0.20.0 is built with (dropSchemeRemovals).
var WebhookDropsEmpty = transform.Window{Before: transform.Release{0, 20, 0}}
