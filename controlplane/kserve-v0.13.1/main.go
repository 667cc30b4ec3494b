// The control plane of KServe 0.13.1.
package main

import (
	"embed"

	"github.com/go-logr/logr"
	"github.com/kserve/kserve/pkg/apis/serving/v1alpha1"
	"github.com/kserve/kserve/pkg/apis/serving/v1beta1"
	"github.com/kserve/kserve/pkg/constants"
	"github.com/kserve/kserve/pkg/controller/v1alpha1/inferencegraph"
	"github.com/kserve/kserve/pkg/controller/v1alpha1/trainedmodel"
	"github.com/kserve/kserve/pkg/controller/v1alpha1/trainedmodel/reconcilers/modelconfig"
	"github.com/kserve/kserve/pkg/controller/v1beta1/inferenceservice"
	"github.com/kserve/kserve/pkg/webhook/admission/pod"
	"github.com/kserve/kserve/pkg/webhook/admission/servingruntime"
	istio "istio.io/client-go/pkg/apis/networking/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"
	knative "knative.dev/serving/pkg/apis/serving/v1"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/controlplane"
)

//go:embed all:manifests
var embedded embed.FS

func main() { controlplane.Main(release()) }

func release() controlplane.Release {
	return controlplane.Release{
		Version:   "0.13.1",
		Standard:  string(constants.RawDeployment),
		Knative:   string(constants.Serverless),
		Manifests: embedded,
		Scheme: []func(*runtime.Scheme) error{
			v1alpha1.AddToScheme, v1beta1.AddToScheme, knative.AddToScheme, istio.AddToScheme,
		},
		Webhooks:      webhooks,
		Configuration: controlplane.Configuration(controlplane.Clientset, v1beta1.NewDeployConfig, v1beta1.NewIngressConfig),
		Controllers:   controllers,
	}
}

// webhooks are those that cmd/manager registers.
func webhooks(c *controlplane.Cluster) []controlplane.Webhook {
	decoder := admission.NewDecoder(c.Scheme)
	return []controlplane.Webhook{
		{
			Path:    "/mutate-pods",
			Handler: &pod.Mutator{Client: c.Client, Clientset: c.Clientset, Decoder: decoder},
		},
		{
			Path:    "/validate-serving-kserve-io-v1alpha1-servingruntime",
			Handler: &servingruntime.ServingRuntimeValidator{Client: c.Client, Decoder: decoder},
		},
		{
			Path:    "/validate-serving-kserve-io-v1alpha1-clusterservingruntime",
			Handler: &servingruntime.ClusterServingRuntimeValidator{Client: c.Client, Decoder: decoder},
		},
		{
			Path:    "/mutate-serving-kserve-io-v1beta1-inferenceservice",
			Handler: admission.DefaultingWebhookFor(c.Scheme, &v1beta1.InferenceService{}).Handler,
		},
		{
			Path:    "/validate-serving-kserve-io-v1beta1-inferenceservice",
			Handler: admission.ValidatingWebhookFor(c.Scheme, &v1beta1.InferenceService{}).Handler,
		},
		{
			Path:    "/validate-serving-kserve-io-v1alpha1-inferencegraph",
			Handler: admission.ValidatingWebhookFor(c.Scheme, &v1alpha1.InferenceGraph{}).Handler,
		},
		{
			Path:    "/validate-serving-kserve-io-v1alpha1-trainedmodel",
			Handler: admission.ValidatingWebhookFor(c.Scheme, &v1alpha1.TrainedModel{}).Handler,
		},
	}
}

// controllers are those of cmd/manager.
func controllers(c *controlplane.Cluster) []controlplane.Controller {
	of := controlplane.KServe
	return []controlplane.Controller{
		{
			For: of("InferenceService"),
			Reconciler: &inferenceservice.InferenceServiceReconciler{
				Client: c.Client, ClientConfig: c.Config, Clientset: c.Clientset, Scheme: c.Scheme, Log: logr.Discard(),
				Recorder: c.Recorder,
			},
		},
		{
			For: of("InferenceGraph"),
			Reconciler: &inferencegraph.InferenceGraphReconciler{
				Client: c.Client, ClientConfig: c.Config, Clientset: c.Clientset, Scheme: c.Scheme, Log: logr.Discard(),
				Recorder: c.Recorder,
			},
		},
		{
			For: of("TrainedModel"),
			Reconciler: &trainedmodel.TrainedModelReconciler{
				Client: c.Client, Clientset: c.Clientset, Scheme: c.Scheme, Log: logr.Discard(), Recorder: c.Recorder,
				ModelConfigReconciler: modelconfig.NewModelConfigReconciler(c.Client, c.Clientset, c.Scheme),
			},
		},
	}
}
