// The control plane of KServe 0.14.1.
package main

import (
	"embed"

	"github.com/go-logr/logr"
	"github.com/kserve/kserve/pkg/apis/serving/v1alpha1"
	"github.com/kserve/kserve/pkg/apis/serving/v1beta1"
	"github.com/kserve/kserve/pkg/constants"
	"github.com/kserve/kserve/pkg/controller/v1alpha1/inferencegraph"
	"github.com/kserve/kserve/pkg/controller/v1alpha1/localmodel"
	"github.com/kserve/kserve/pkg/controller/v1alpha1/trainedmodel"
	"github.com/kserve/kserve/pkg/controller/v1alpha1/trainedmodel/reconcilers/modelconfig"
	"github.com/kserve/kserve/pkg/controller/v1beta1/inferenceservice"
	"github.com/kserve/kserve/pkg/webhook/admission/localmodelcache"
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
		Version:   "0.14.1",
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
			Object:    &v1beta1.InferenceService{},
			Defaulter: &v1beta1.InferenceServiceDefaulter{},
			Validator: &v1beta1.InferenceServiceValidator{},
		},
		{Object: &v1alpha1.InferenceGraph{}, Validator: &v1alpha1.InferenceGraphValidator{}},
		{Object: &v1alpha1.TrainedModel{}, Validator: &v1alpha1.TrainedModelValidator{}},
		{
			Object:    &v1alpha1.LocalModelCache{},
			Validator: &localmodelcache.LocalModelCacheValidator{Client: c.Client},
		},
	}
}

// controllers are those of cmd/manager and cmd/localmodel.
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
		{
			For: of("LocalModelCache"),
			Reconciler: &localmodel.LocalModelReconciler{
				Client: c.Client, Clientset: c.Uncached, Scheme: c.Scheme, Log: logr.Discard(),
			},
		},
	}
}
