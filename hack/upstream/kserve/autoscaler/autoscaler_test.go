// Package autoscaler shows that KServe deletes an HPA of somebody else although the autoscaler class is external.
package autoscaler

import (
	"testing"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/kserve/kserve/pkg/apis/serving/v1beta1"
	"github.com/kserve/kserve/pkg/constants"
	"github.com/kserve/kserve/pkg/controller/v1beta1/inferenceservice/reconcilers/autoscaler"
)

// TestExternal reconciles a service twice, with the class external and an HPA that somebody made for it.
func TestExternal(t *testing.T) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{autoscalingv2.AddToScheme, v1beta1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	two := int32(2)
	// The name is that of the Deployment which it scales.
	theirs := &autoscalingv2.HorizontalPodAutoscaler{
		ObjectMeta: metav1.ObjectMeta{
			Name: "iris-predictor", Namespace: "default", Finalizers: []string{"example.com/protect"},
			Annotations: map[string]string{"team": "retention"},
		},
		Spec: autoscalingv2.HorizontalPodAutoscalerSpec{
			ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{
				APIVersion: "apps/v1", Kind: "Deployment", Name: "iris-predictor",
			},
			MinReplicas: &two, MaxReplicas: 8,
		},
	}
	cluster := fake.NewClientBuilder().WithScheme(scheme).WithObjects(theirs).Build()
	service := &v1beta1.InferenceService{ObjectMeta: metav1.ObjectMeta{Name: "iris", Namespace: "default", UID: "1"}}
	reconcile := func() {
		t.Helper()
		// As pkg/controller/v1beta1/inferenceservice/reconcilers/raw does it in each reconcile of the service.
		reconciler, err := autoscaler.NewAutoscalerReconciler(cluster, scheme, metav1.ObjectMeta{
			Name: "iris-predictor", Namespace: "default",
			Annotations: map[string]string{constants.AutoscalerClass: string(constants.AutoscalerClassExternal)},
		}, &v1beta1.ComponentExtensionSpec{}, &corev1.ConfigMap{})
		if err != nil {
			t.Fatal(err)
		}
		if err := reconciler.Autoscaler.SetControllerReferences(service, scheme); err != nil {
			t.Fatal(err)
		}
		if err := reconciler.Reconcile(t.Context()); err != nil {
			t.Fatal(err)
		}
	}

	reconcile()
	var hpa autoscalingv2.HorizontalPodAutoscaler
	if err := cluster.Get(t.Context(), client.ObjectKeyFromObject(theirs), &hpa); err != nil {
		t.Fatal(err)
	}
	t.Logf("after the first reconcile: owners %v, finalizers %v, annotations %v, %d to %d replicas",
		hpa.OwnerReferences, hpa.Finalizers, hpa.Annotations, *hpa.Spec.MinReplicas, hpa.Spec.MaxReplicas)
	if !metav1.IsControlledBy(&hpa, service) || len(hpa.Finalizers) > 0 || hpa.Spec.MaxReplicas != 1 {
		t.Error("KServe does not take the HPA over: this is mended")
	}

	reconcile()
	err := cluster.Get(t.Context(), client.ObjectKeyFromObject(theirs), &hpa)
	t.Logf("after the second reconcile: %v", err)
	if !apierrors.IsNotFound(err) {
		t.Error("KServe does not delete the HPA: this is mended")
	}
}
