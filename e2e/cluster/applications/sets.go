package applications

import (
	"fmt"
	"net"
	"os"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/argocd"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/objects"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/stack"
)

// StartSets starts the applicationset-controller.
func (a *ArgoCD) StartSets(tb testing.TB) {
	tb.Helper()
	s := a.Stack
	home := s.Mkdir("applicationset-controller", argocd.User)
	at := func(port string) string { return net.JoinHostPort(s.IP, port) }
	s.Start(stack.Process{
		Name: "applicationset-controller", Path: a.version.Binary(tb), Argv0: "argocd-applicationset-controller", Dir: home,
		Args: []string{"--namespace", a.namespace, "--argocd-repo-server", at("8081"), "--repo-server-plaintext",
			"--metrics-addr", "0", "--probe-addr", at("8085"), "--webhook-addr", at("7000")},
		Env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, // it ignores the flag --kubeconfig
			"KUBECONFIG=" + a.cluster.Kubeconfig(tb, a.namespace),
			"TMPDIR=" + s.Mkdir("applicationset-controller/tmp", argocd.User)},
		Ready: stack.Accepts(at("8085")),
	})
}

// Apply applies an Application, or an ApplicationSet that makes so many, as it is written but for its namespace, and
// returns the Applications. They are deleted with the test, and what they deployed stays.
func (a *ArgoCD) Apply(tb testing.TB, object *unstructured.Unstructured, count int) []*Application {
	tb.Helper()
	namespace := a.In(tb)
	object.SetNamespace(a.namespace)
	namespace.ApplyObjects(object)
	if object.GetKind() == "Application" {
		tb.Cleanup(func() { namespace.Delete(objects.Applications, object.GetName()) })
		return []*Application{{Name: object.GetName(), tb: tb, argo: a}}
	}
	tb.Cleanup(func() { namespace.Delete(objects.ApplicationSets, object.GetName()) })
	var made []*Application
	namespace.Eventually("the ApplicationSet "+object.GetName()+" has made its Applications", func() error {
		set := namespace.Get(objects.ApplicationSets, object.GetName())
		resources, _, _ := unstructured.NestedSlice(set.Object, "status", "resources")
		if len(resources) != count {
			return fmt.Errorf("its status is %v", set.Object["status"])
		}
		made = nil
		for _, resource := range resources {
			name := fmt.Sprint(resource.(map[string]any)["name"])
			made = append(made, &Application{Name: name, tb: tb, argo: a})
		}
		return nil
	})
	return made
}
