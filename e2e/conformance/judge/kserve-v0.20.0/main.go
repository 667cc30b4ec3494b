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
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

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
func webhooks(c judge.Cluster) map[string]judge.Webhooks {
	validate := func(object runtime.Object, v admission.CustomValidator) judge.Webhooks {
		return judge.Webhooks{Validating: admission.WithCustomValidator(c.Scheme, object, v)}
	}
	service, llm, oldLLM := &v1beta1.InferenceService{}, &v1alpha2.LLMInferenceService{}, &v1alpha1.LLMInferenceService{}
	decoder := admission.NewDecoder(c.Scheme)
	return map[string]judge.Webhooks{
		"serving.kserve.io/v1beta1 InferenceService": {
			Mutating:   admission.WithCustomDefaulter(c.Scheme, service, &v1beta1.InferenceServiceDefaulter{}),
			Validating: admission.WithCustomValidator(c.Scheme, service, &v1beta1.InferenceServiceValidator{}),
		},
		"serving.kserve.io/v1alpha1 ServingRuntime": {
			Validating: &servingruntime.ServingRuntimeValidator{Client: c.Client, Decoder: decoder},
		},
		"serving.kserve.io/v1alpha1 ClusterServingRuntime": {
			Validating: &servingruntime.ClusterServingRuntimeValidator{Client: c.Client, Decoder: decoder},
		},
		"serving.kserve.io/v1alpha1 InferenceGraph": validate(
			&v1alpha1.InferenceGraph{}, &v1alpha1.InferenceGraphValidator{}),
		"serving.kserve.io/v1alpha1 TrainedModel": validate(
			&v1alpha1.TrainedModel{}, &v1alpha1.TrainedModelValidator{}),
		"serving.kserve.io/v1alpha1 LocalModelCache": validate(
			&v1alpha1.LocalModelCache{}, &localmodelcache.LocalModelCacheValidator{Client: c.Client}),
		"serving.kserve.io/v1alpha1 LocalModelNamespaceCache": validate(&v1alpha1.LocalModelNamespaceCache{},
			&localmodelnamespacecache.LocalModelNamespaceCacheValidator{Client: c.Client}),
		"serving.kserve.io/v1alpha2 LLMInferenceService": {
			Mutating: admission.WithCustomDefaulter(c.Scheme, llm, &llminferenceservice.LLMInferenceServiceDefaulterV1Alpha2{
				Client: c.Client, Clientset: c.Clientset,
			}),
			Validating: admission.WithCustomValidator(c.Scheme, llm, &v1alpha2.LLMInferenceServiceValidator{}),
		},
		"serving.kserve.io/v1alpha1 LLMInferenceService": {
			Mutating: admission.WithCustomDefaulter(c.Scheme, oldLLM, &llminferenceservice.LLMInferenceServiceDefaulterV1Alpha1{
				Client: c.Client, Clientset: c.Clientset,
			}),
			Validating: admission.WithCustomValidator(c.Scheme, oldLLM, &v1alpha1.LLMInferenceServiceValidator{}),
		},
		"serving.kserve.io/v1alpha2 LLMInferenceServiceConfig": validate(
			&v1alpha2.LLMInferenceServiceConfig{}, &v1alpha2.LLMInferenceServiceConfigValidator{
				ConfigValidationFunc: func(ctx context.Context, config *v1alpha2.LLMInferenceServiceConfig) error {
					return validateConfig(ctx, c, config)
				},
			}),
		"serving.kserve.io/v1alpha1 LLMInferenceServiceConfig": validate(
			&v1alpha1.LLMInferenceServiceConfig{}, &v1alpha1.LLMInferenceServiceConfigValidator{
				ConfigValidationFunc: func(ctx context.Context, config *v1alpha1.LLMInferenceServiceConfig) error {
					converted := &v1alpha2.LLMInferenceServiceConfig{}
					if err := config.ConvertTo(converted); err != nil {
						return err
					}
					return validateConfig(ctx, c, converted)
				},
			}),
	}
}

// validateConfig fills in the templates of a configuration, as cmd/llmisvc/main.go of v0.20.0 has the validators do it.
func validateConfig(ctx context.Context, c judge.Cluster, config *v1alpha2.LLMInferenceServiceConfig) error {
	settings, err := llmisvc.LoadConfig(ctx, c.Client)
	if err != nil {
		return err
	}
	_, err = llmisvc.ReplaceVariables(llmisvc.LLMInferenceServiceSample(), config, settings)
	return err
}
