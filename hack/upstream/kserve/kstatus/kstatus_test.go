// Package kstatus shows that kstatus waits for a healthy InferenceService without end.
package kstatus

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"knative.dev/pkg/apis"
	"sigs.k8s.io/cli-utils/pkg/kstatus/status"

	"github.com/kserve/kserve/pkg/apis/serving/v1beta1"
)

// TestGenerations lets KServe's own code write the status of a service, and asks kstatus about it.
func TestGenerations(t *testing.T) {
	for _, tc := range []struct {
		name                string
		service, deployment int64
		want                status.Status
	}{
		{"first revision", 1, 1, status.CurrentStatus},
		// Somebody scaled the Deployment, or its HPA did.
		{"scaled Deployment", 1, 5, status.InProgressStatus},
		// maxReplicas was changed, which does not change the Deployment.
		{"changed InferenceService", 4, 1, status.InProgressStatus},
	} {
		t.Run(tc.name, func(t *testing.T) {
			service := v1beta1.InferenceService{
				TypeMeta:   metav1.TypeMeta{APIVersion: "serving.kserve.io/v1beta1", Kind: "InferenceService"},
				ObjectMeta: metav1.ObjectMeta{Name: "iris", Generation: tc.service},
			}
			service.Status.InitializeConditions()
			service.Status.PropagateRawStatus(v1beta1.PredictorComponent, []*appsv1.Deployment{{
				ObjectMeta: metav1.ObjectMeta{Name: "iris-predictor", Generation: tc.deployment},
				Status: appsv1.DeploymentStatus{
					ObservedGeneration: tc.deployment, Replicas: 1, ReadyReplicas: 1, AvailableReplicas: 1, UpdatedReplicas: 1,
					Conditions: []appsv1.DeploymentCondition{
						{Type: appsv1.DeploymentAvailable, Status: corev1.ConditionTrue, Reason: "MinimumReplicasAvailable"},
						{Type: appsv1.DeploymentProgressing, Status: corev1.ConditionTrue, Reason: "NewReplicaSetAvailable"},
					},
				},
			}}, &apis.URL{Scheme: "http", Host: "iris.default.example.com"})
			ingress := apis.Condition{Type: v1beta1.IngressReady, Status: corev1.ConditionTrue}
			service.Status.SetCondition(ingress.Type, &ingress)
			if ready := service.Status.GetCondition(apis.ConditionReady); !ready.IsTrue() {
				t.Fatalf("the service is not ready: %v", ready)
			}

			object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&service)
			if err != nil {
				t.Fatal(err)
			}
			result, err := status.Compute(&unstructured.Unstructured{Object: object})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("Ready, generation %d, observedGeneration %d: kstatus says %s %s",
				service.Generation, service.Status.ObservedGeneration, result.Status, result.Message)
			if result.Status != tc.want {
				t.Errorf("kstatus says %s, want %s: this is mended", result.Status, tc.want)
			}
		})
	}
}
