// The judge for KServe 0.13.1.
package main

import (
	"context"

	"github.com/kserve/kserve/pkg/apis/serving/v1alpha1"
	"github.com/kserve/kserve/pkg/apis/serving/v1beta1"
	"github.com/kserve/kserve/pkg/constants"
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

// webhooks are those that cmd/manager registers, without those of runtimes: they take a decoder of another
// version of controller-runtime than the judge's.
func webhooks(judge.Cluster) []judge.Webhooks {
	return []judge.Webhooks{
		{Object: &v1beta1.InferenceService{}, Defaulter: methods{}, Validator: methods{}},
		{Object: &v1alpha1.InferenceGraph{}, Validator: methods{}},
		{Object: &v1alpha1.TrainedModel{}, Validator: methods{}},
	}
}

// methods calls the methods that the objects themselves have.
type methods struct{}

func (methods) Default(_ context.Context, object runtime.Object) error {
	object.(interface{ Default() }).Default()
	return nil
}

func (methods) ValidateCreate(_ context.Context, object runtime.Object) (admission.Warnings, error) {
	return object.(validator).ValidateCreate()
}

func (methods) ValidateUpdate(_ context.Context, old, object runtime.Object) (admission.Warnings, error) {
	return object.(validator).ValidateUpdate(old)
}

func (methods) ValidateDelete(_ context.Context, object runtime.Object) (admission.Warnings, error) {
	return object.(validator).ValidateDelete()
}

type validator interface {
	ValidateCreate() (admission.Warnings, error)
	ValidateUpdate(old runtime.Object) (admission.Warnings, error)
	ValidateDelete() (admission.Warnings, error)
}
