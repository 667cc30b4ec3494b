// The judge for KServe 0.20.0.
package main

import (
	"context"

	"github.com/kserve/kserve/pkg/apis/serving/v1alpha1"
	"github.com/kserve/kserve/pkg/apis/serving/v1alpha2"
	"github.com/kserve/kserve/pkg/apis/serving/v1beta1"
	"github.com/kserve/kserve/pkg/constants"
	"github.com/kserve/kserve/pkg/controller/v1alpha2/llmisvc"
	"github.com/kserve/kserve/pkg/webhook/admission/llminferenceservice"
	"github.com/kserve/kserve/pkg/webhook/admission/localmodelcache"
	"github.com/kserve/kserve/pkg/webhook/admission/localmodelnamespacecache"
	"github.com/kserve/kserve/pkg/webhook/admission/servingruntime"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/conformance/judge"
)

func main() {
	judge.Main(judge.Release{
		Standard: string(constants.Standard),
		Knative:  string(constants.Knative),
		Schemes:  []func(*runtime.Scheme) error{v1alpha1.AddToScheme, v1alpha2.AddToScheme, v1beta1.AddToScheme},
		Webhooks: webhooks,
	})
}

// webhooks are those that cmd/manager, cmd/llmisvc and cmd/localmodel register.
func webhooks(c judge.Cluster) []judge.Webhooks {
	return []judge.Webhooks{
		{
			Object:    &v1beta1.InferenceService{},
			Defaulter: &v1beta1.InferenceServiceDefaulter{},
			Validator: &v1beta1.InferenceServiceValidator{},
		},
		{
			Object:  &v1alpha1.ServingRuntime{},
			Handler: &servingruntime.ServingRuntimeValidator{Client: c.Client, Decoder: c.Decoder},
		},
		{
			Object:  &v1alpha1.ClusterServingRuntime{},
			Handler: &servingruntime.ClusterServingRuntimeValidator{Client: c.Client, Decoder: c.Decoder},
		},
		{Object: &v1alpha1.InferenceGraph{}, Validator: &v1alpha1.InferenceGraphValidator{}},
		{Object: &v1alpha1.TrainedModel{}, Validator: &v1alpha1.TrainedModelValidator{}},
		{
			Object:    &v1alpha1.LocalModelCache{},
			Validator: &localmodelcache.LocalModelCacheValidator{Client: c.Client},
		},
		{
			Object:    &v1alpha1.LocalModelNamespaceCache{},
			Validator: &localmodelnamespacecache.LocalModelNamespaceCacheValidator{Client: c.Client},
		},
		{
			Object: &v1alpha1.LLMInferenceService{},
			Defaulter: &llminferenceservice.LLMInferenceServiceDefaulterV1Alpha1{
				Client: c.Client, Clientset: c.Clientset,
			},
			Validator: &v1alpha1.LLMInferenceServiceValidator{},
			Finalized: true,
		},
		{
			Object: &v1alpha2.LLMInferenceService{},
			Defaulter: &llminferenceservice.LLMInferenceServiceDefaulterV1Alpha2{
				Client: c.Client, Clientset: c.Clientset,
			},
			Validator: &v1alpha2.LLMInferenceServiceValidator{},
			Finalized: true,
		},
		{
			Object:    &v1alpha1.LLMInferenceServiceConfig{},
			Finalized: true,
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
			Object:    &v1alpha2.LLMInferenceServiceConfig{},
			Finalized: true,
			Validator: &v1alpha2.LLMInferenceServiceConfigValidator{
				ConfigValidationFunc: func(ctx context.Context, config *v1alpha2.LLMInferenceServiceConfig) error {
					return validateConfig(ctx, c, config)
				},
			},
		},
	}
}

// validateConfig fills in the templates of a configuration, as cmd/llmisvc/main.go has the validators do it.
func validateConfig(ctx context.Context, c judge.Cluster, config *v1alpha2.LLMInferenceServiceConfig) error {
	settings, err := llmisvc.LoadConfig(ctx, c.Client)
	if err != nil {
		return err
	}
	_, err = llmisvc.ReplaceVariables(llmisvc.LLMInferenceServiceSample(), config, settings)
	return err
}
