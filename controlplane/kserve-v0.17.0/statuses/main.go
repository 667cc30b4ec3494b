// The controllers of KServe 0.17.0.
package main

import (
	"github.com/go-logr/logr"
	"github.com/kserve/kserve/pkg/apis/serving/v1alpha1"
	"github.com/kserve/kserve/pkg/apis/serving/v1beta1"
	"github.com/kserve/kserve/pkg/constants"
	"github.com/kserve/kserve/pkg/controller/v1alpha1/inferencegraph"
	"github.com/kserve/kserve/pkg/controller/v1alpha1/localmodel"
	"github.com/kserve/kserve/pkg/controller/v1alpha1/trainedmodel"
	"github.com/kserve/kserve/pkg/controller/v1alpha1/trainedmodel/reconcilers/modelconfig"
	"github.com/kserve/kserve/pkg/controller/v1beta1/inferenceservice"
	istio "istio.io/client-go/pkg/apis/networking/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/record"
	knative "knative.dev/serving/pkg/apis/serving/v1"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	gateway "sigs.k8s.io/gateway-api/apis/v1"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/controlplane/statuses"
)

func main() {
	statuses.Main(statuses.Release{
		Version:  [3]int{0, 17, 0},
		Standard: string(constants.Standard),
		Knative:  string(constants.Knative),
		Schemes: []func(*runtime.Scheme) error{
			clientgoscheme.AddToScheme, v1alpha1.AddToScheme, v1beta1.AddToScheme, knative.AddToScheme,
			istio.AddToScheme, gateway.Install,
		},
		Controllers: map[string]func(*statuses.Cluster) reconcile.Reconciler{
			"InferenceService": func(c *statuses.Cluster) reconcile.Reconciler {
				return &inferenceservice.InferenceServiceReconciler{
					Client: c.Client, ClientConfig: c.Config, Clientset: c.Clientset, Scheme: c.Scheme,
					Log: logr.Discard(), Recorder: &record.FakeRecorder{},
				}
			},
			"InferenceGraph": func(c *statuses.Cluster) reconcile.Reconciler {
				return &inferencegraph.InferenceGraphReconciler{
					Client: c.Client, ClientConfig: c.Config, Clientset: c.Clientset, Scheme: c.Scheme,
					Log: logr.Discard(), Recorder: &record.FakeRecorder{},
				}
			},
			"TrainedModel": func(c *statuses.Cluster) reconcile.Reconciler {
				return &trainedmodel.TrainedModelReconciler{
					Client: c.Client, Clientset: c.Clientset, Scheme: c.Scheme,
					Log: logr.Discard(), Recorder: &record.FakeRecorder{},
					ModelConfigReconciler: modelconfig.NewModelConfigReconciler(c.Client, c.Clientset, c.Scheme),
				}
			},
			"LocalModelCache": func(c *statuses.Cluster) reconcile.Reconciler {
				return &localmodel.LocalModelReconciler{
					Client: c.Client, Clientset: c.Clientset, Scheme: c.Scheme, Log: logr.Discard(),
				}
			},
		},
	})
}
