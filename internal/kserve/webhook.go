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

// DefaultsLLMInferenceServices are the releases with a mutating webhook for LLMInferenceServices (cmd/llmisvc/main.go:
// none in @v0.17.0, WithDefaulter in @v0.19.0). There always was one for InferenceServices, and there is none for other
// kinds.
var DefaultsLLMInferenceServices = transform.Window{From: transform.Release{0, 19, 0}}

// WebhookDropsEmpty are the releases whose mutating webhooks remove what the encoding of a Go type leaves out: the
// patch of pkg/webhook/admission/defaulter_custom.go in sigs.k8s.io/controller-runtime@v0.19.7 has it, that of @v0.22.5,
// which KServe 0.20.0 is built with, has not (dropSchemeRemovals).
var WebhookDropsEmpty = transform.Window{Before: transform.Release{0, 20, 0}}
