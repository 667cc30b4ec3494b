// The judge for KServe 0.15.0.
package main

import (
	"github.com/kserve/kserve/pkg/apis/serving/v1alpha1"
	"github.com/kserve/kserve/pkg/apis/serving/v1beta1"
	"github.com/kserve/kserve/pkg/constants"
	"github.com/kserve/kserve/pkg/webhook/admission/localmodelcache"
	"github.com/kserve/kserve/pkg/webhook/admission/servingruntime"
	"k8s.io/apimachinery/pkg/runtime"

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
	}
}
