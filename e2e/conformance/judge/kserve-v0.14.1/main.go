// The judge for KServe 0.14.1.
package main

import (
	"github.com/kserve/kserve/pkg/apis/serving/v1alpha1"
	"github.com/kserve/kserve/pkg/apis/serving/v1beta1"
	"github.com/kserve/kserve/pkg/constants"
	"github.com/kserve/kserve/pkg/webhook/admission/localmodelcache"
	"github.com/kserve/kserve/pkg/webhook/admission/servingruntime"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/conformance/judge"
)

func main() {
	judge.Main(judge.Release{
		Standard: string(constants.RawDeployment),
		Knative:  string(constants.Serverless),
		Schemes:  []func(*runtime.Scheme) error{v1alpha1.AddToScheme, v1beta1.AddToScheme},
		Webhooks: webhooks,
	})
}

// webhooks are those that cmd/manager registers.
func webhooks(c judge.Cluster) map[string]judge.Webhooks {
	validate := func(object runtime.Object, v admission.CustomValidator) judge.Webhooks {
		return judge.Webhooks{Validating: admission.WithCustomValidator(c.Scheme, object, v)}
	}
	service := &v1beta1.InferenceService{}
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
	}
}
