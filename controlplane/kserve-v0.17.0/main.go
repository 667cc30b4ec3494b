// The control plane of KServe 0.17.0.
package main

import (
	"context"
	"embed"

	"github.com/go-logr/logr"
	"github.com/kserve/kserve/pkg/apis/serving/v1alpha1"
	"github.com/kserve/kserve/pkg/apis/serving/v1alpha2"
	"github.com/kserve/kserve/pkg/apis/serving/v1beta1"
	"github.com/kserve/kserve/pkg/constants"
	"github.com/kserve/kserve/pkg/controller/v1alpha1/inferencegraph"
	"github.com/kserve/kserve/pkg/controller/v1alpha1/localmodel"
	"github.com/kserve/kserve/pkg/controller/v1alpha1/localmodel/webhook"
	"github.com/kserve/kserve/pkg/controller/v1alpha1/trainedmodel"
	"github.com/kserve/kserve/pkg/controller/v1alpha1/trainedmodel/reconcilers/modelconfig"
	"github.com/kserve/kserve/pkg/controller/v1alpha2/llmisvc"
	"github.com/kserve/kserve/pkg/controller/v1beta1/inferenceservice"
	kservescheme "github.com/kserve/kserve/pkg/scheme"
	"github.com/kserve/kserve/pkg/webhook/admission/pod"
	"github.com/kserve/kserve/pkg/webhook/admission/servingruntime"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/controlplane"
)

//go:embed all:manifests
var embedded embed.FS

func main() { controlplane.Main(release()) }

func release() controlplane.Release {
	return controlplane.Release{
		Version:   "0.17.0",
		Standard:  string(constants.Standard),
		Knative:   string(constants.Knative),
		Manifests: embedded,
		Scheme:    []func(*runtime.Scheme) error{kservescheme.AddAll},
		Webhooks:  webhooks,
		Configuration: controlplane.Configuration(v1beta1.GetInferenceServiceConfigMap, v1beta1.NewDeployConfig,
			v1beta1.NewIngressConfig),
		Controllers: controllers,
	}
}

// webhooks are those that cmd/manager, cmd/llmisvc and cmd/localmodel register.
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
			Validator: &webhook.LocalModelCacheValidator{Client: c.Client},
		},
		{Object: &v1alpha1.LLMInferenceService{}, Validator: &v1alpha1.LLMInferenceServiceValidator{}},
		{Object: &v1alpha2.LLMInferenceService{}, Validator: &v1alpha2.LLMInferenceServiceValidator{}},
		{
			Object: &v1alpha1.LLMInferenceServiceConfig{},
			Validator: &v1alpha1.LLMInferenceServiceConfigValidator{
				ConfigValidationFunc: func(ctx context.Context, config *v1alpha1.LLMInferenceServiceConfig) error {
					converted := &v1alpha2.LLMInferenceServiceConfig{}
					if err := config.ConvertTo(converted); err != nil {
						return err
					}
					return validateConfig(ctx, c, converted)
				},
			},
		},
		{
			Object: &v1alpha2.LLMInferenceServiceConfig{},
			Validator: &v1alpha2.LLMInferenceServiceConfigValidator{
				ConfigValidationFunc: func(ctx context.Context, config *v1alpha2.LLMInferenceServiceConfig) error {
					return validateConfig(ctx, c, config)
				},
			},
		},
	}
}

// validateConfig fills in the templates of a configuration, as cmd/llmisvc/main.go has the validators do it.
func validateConfig(ctx context.Context, c *controlplane.Cluster, config *v1alpha2.LLMInferenceServiceConfig) error {
	settings, err := llmisvc.LoadConfig(ctx, c.Clientset)
	if err != nil {
		return err
	}
	_, err = llmisvc.ReplaceVariables(llmisvc.LLMInferenceServiceSample(), config, settings)
	return err
}

// controllers are those of the same programs.
func controllers(c *controlplane.Cluster) []controlplane.Controller {
	of := controlplane.KServe
	llmValidator := &v1alpha2.LLMInferenceServiceValidator{}
	cached := c.Cached(llmCache())
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
			For:    of("LLMInferenceService"),
			Client: cached,
			Whole:  true,
			Reconciler: &llmisvc.LLMISVCReconciler{
				Client: cached, Clientset: c.Clientset, EventRecorder: c.Recorder,
				Validator: func(ctx context.Context, service *v1alpha2.LLMInferenceService) error {
					_, err := llmValidator.ValidateCreate(ctx, service)
					return err
				},
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

// llmCache is what the cache of cmd/llmisvc has of the kinds that it does not have whole.
func llmCache() map[client.Object]cache.ByObject {
	label, err := metav1.LabelSelectorAsSelector(&llmisvc.ChildResourcesLabelSelector)
	if err != nil {
		panic(err)
	}
	made := cache.ByObject{Label: label}
	return map[client.Object]cache.ByObject{
		&corev1.Secret{}: made, &corev1.ConfigMap{}: made, &appsv1.Deployment{}: made, &corev1.Pod{}: made,
	}
}
