package plan_test

import (
	"reflect"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/plan"
)

// A Secret with a certificate of KServe's is the same at every run, and its values are nowhere.
func TestPlainSecret(t *testing.T) {
	got := plan.Plain(plan.Object{
		"apiVersion": "v1", "kind": "Secret", "type": "kubernetes.io/tls",
		"metadata": plan.Object{
			"name": "certs", "uid": "1", "creationTimestamp": "2020-11-20T20:00:00Z",
			"annotations": plan.Object{"certificates.kserve.io/expiration": "2034-11-22T19:57:34Z", "team": "a",
				"kubectl.kubernetes.io/last-applied-configuration": `{"data": {"tls.key": "a2V5"}}`},
		},
		"data": plan.Object{"tls.crt": "Y2VydA==", "tls.key": "a2V5"},
	})
	want := plan.Object{
		"apiVersion": "v1", "kind": "Secret", "type": "kubernetes.io/tls",
		"metadata": plan.Object{"name": "certs", "annotations": plan.Object{"team": "a"}},
		"data":     plan.Object{"tls.crt": "", "tls.key": ""},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
