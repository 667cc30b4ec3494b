// The control plane of KServe 0.16.0.
package main

import (
	"embed"

	"github.com/go-logr/logr"
	keda "github.com/kedacore/keda/v2/apis/keda/v1alpha1"
	"github.com/kserve/kserve/pkg/apis/serving/v1alpha1"
	"github.com/kserve/kserve/pkg/apis/serving/v1beta1"
	"github.com/kserve/kserve/pkg/constants"
	"github.com/kserve/kserve/pkg/controller/v1alpha1/inferencegraph"
	"github.com/kserve/kserve/pkg/controller/v1alpha1/llmisvc"
	"github.com/kserve/kserve/pkg/controller/v1alpha1/llmisvc/validation"
	"github.com/kserve/kserve/pkg/controller/v1alpha1/localmodel"
	"github.com/kserve/kserve/pkg/controller/v1alpha1/trainedmodel"
	"github.com/kserve/kserve/pkg/controller/v1alpha1/trainedmodel/reconcilers/modelconfig"
	"github.com/kserve/kserve/pkg/controller/v1beta1/inferenceservice"
	"github.com/kserve/kserve/pkg/webhook/admission/localmodelcache"
	"github.com/kserve/kserve/pkg/webhook/admission/pod"
	"github.com/kserve/kserve/pkg/webhook/admission/servingruntime"
	otel "github.com/open-telemetry/opentelemetry-operator/apis/v1beta1"
	istio "istio.io/client-go/pkg/apis/networking/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"
	knative "knative.dev/serving/pkg/apis/serving/v1"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
	gateway "sigs.k8s.io/gateway-api/apis/v1"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/controlplane"
)

//go:embed all:manifests
var embedded embed.FS

func main() { controlplane.Main(release()) }

func release() controlplane.Release {
	return controlplane.Release{
		Version:   "0.16.0",
		Standard:  string(constants.Standard),
		Knative:   string(constants.Knative),
		Manifests: embedded,
		Scheme: []func(*runtime.Scheme) error{
			v1alpha1.AddToScheme, v1beta1.AddToScheme, knative.AddToScheme, istio.AddToScheme,
			keda.AddToScheme, otel.AddToScheme, gateway.Install,
		},
		Webhooks: webhooks,
		Configuration: controlplane.Configuration(v1beta1.GetInferenceServiceConfigMap, v1beta1.NewDeployConfig,
			v1beta1.NewIngressConfig),
		Controllers: controllers,
		Expired:     true,
	}
}

// webhooks are those that cmd/manager and cmd/llmisvc register.
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
		{Object: &v1alpha1.LLMInferenceService{}, Validator: &validation.LLMInferenceServiceValidator{}},
		{
			Object:    &v1alpha1.LLMInferenceServiceConfig{},
			Validator: &validation.LLMInferenceServiceConfigValidator{ClientSet: c.Clientset},
		},
	}
}

// controllers are those of the same programs and of cmd/localmodel.
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
			For:        of("LLMInferenceService"),
			Whole:      true,
			Reconciler: &llmisvc.LLMISVCReconciler{Client: c.Client, Clientset: c.Clientset, EventRecorder: c.Recorder},
		},
		{
			For: of("LocalModelCache"),
			Reconciler: &localmodel.LocalModelReconciler{
				Client: c.Client, Clientset: c.Uncached, Scheme: c.Scheme, Log: logr.Discard(),
			},
		},
	}
}
