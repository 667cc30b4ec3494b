package objects

import (
	"context"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/wait"
)

// Namespace is a test's own namespace. Its methods end the test when the API server refuses.
type Namespace struct {
	Name string

	client *Client
	tb     testing.TB
}

// In binds a namespace to the test.
func (c *Client) In(tb testing.TB, name string) *Namespace {
	return &Namespace{Name: name, client: c, tb: tb}
}

// Namespace makes a namespace, which may exist, and binds it to the test. InferenceServices, graphs and LLM services in
// it end with the test: the controllers that all tests share have a single worker each.
func (c *Client) Namespace(tb testing.TB, name string) *Namespace {
	tb.Helper()
	n := c.In(tb, name)
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": name},
	}}
	n.ApplyObjects(object)
	tb.Cleanup(n.clear)
	return n
}

// Apply applies a stream of YAML documents.
func (n *Namespace) Apply(manifests string) {
	n.tb.Helper()
	parsed, err := Parse([]byte(manifests))
	if err != nil {
		n.tb.Fatalf("%v in\n%s", err, manifests)
	}
	n.ApplyObjects(parsed...)
}

// ApplyObjects applies objects in the given order.
func (n *Namespace) ApplyObjects(objects ...*unstructured.Unstructured) {
	n.tb.Helper()
	ctx, cancel := request()
	defer cancel()
	for _, object := range objects {
		if err := n.client.Apply(ctx, object, n.Name); err != nil {
			n.tb.Fatal(err)
		}
	}
}

// Try applies an object and returns what the API server has against it.
func (n *Namespace) Try(object *unstructured.Unstructured) error {
	n.tb.Helper()
	ctx, cancel := request()
	defer cancel()
	return n.client.Apply(ctx, object, n.Name)
}

// Find returns an object, nil when there is none.
func (n *Namespace) Find(kind schema.GroupVersionResource, name string) *unstructured.Unstructured {
	n.tb.Helper()
	ctx, cancel := request()
	defer cancel()
	object, err := n.client.Resource(kind).Namespace(n.Name).Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		n.tb.Fatal(err)
	}
	return object
}

// Get returns an object that has to exist.
func (n *Namespace) Get(kind schema.GroupVersionResource, name string) *unstructured.Unstructured {
	n.tb.Helper()
	object := n.Find(kind, name)
	if object == nil {
		n.tb.Fatalf("%s %s/%s does not exist", kind.Resource, n.Name, name)
	}
	return object
}

// List returns the objects of a kind with the labels that the selector asks for ("" for all).
func (n *Namespace) List(kind schema.GroupVersionResource, selector string) []unstructured.Unstructured {
	n.tb.Helper()
	ctx, cancel := request()
	defer cancel()
	list, err := n.client.Resource(kind).Namespace(n.Name).List(ctx, metav1.ListOptions{LabelSelector: selector})
	if err != nil {
		n.tb.Fatal(err)
	}
	return list.Items
}

// Patch merges a JSON patch into an object, or into a subresource of it.
func (n *Namespace) Patch(kind schema.GroupVersionResource, name, patch string, subresource ...string) {
	n.tb.Helper()
	ctx, cancel := request()
	defer cancel()
	err := persist(ctx, func() error {
		options := metav1.PatchOptions{FieldManager: fieldManager}
		_, err := n.client.Resource(kind).Namespace(n.Name).
			Patch(ctx, name, types.MergePatchType, []byte(patch), options, subresource...)
		return err
	})
	if err != nil {
		n.tb.Fatalf("patch %s %s: %v", kind.Resource, name, err)
	}
}

// Refusal returns what the API server says against a patch, nil if it would take it. It stores nothing.
func (n *Namespace) Refusal(kind schema.GroupVersionResource, name, patch string) error {
	ctx, cancel := request()
	defer cancel()
	options := metav1.PatchOptions{FieldManager: fieldManager, DryRun: []string{metav1.DryRunAll}}
	_, err := n.client.Resource(kind).Namespace(n.Name).Patch(ctx, name, types.MergePatchType, []byte(patch), options)
	return err
}

// Delete deletes an object that may be gone already, without waiting for it to go.
func (n *Namespace) Delete(kind schema.GroupVersionResource, name string) {
	n.tb.Helper()
	ctx, cancel := request()
	defer cancel()
	err := n.client.Resource(kind).Namespace(n.Name).Delete(ctx, name, metav1.DeleteOptions{})
	if ignoreMissing(err) != nil {
		n.tb.Fatal(err)
	}
}

// Token returns a token of a ServiceAccount.
func (n *Namespace) Token(account string) string {
	n.tb.Helper()
	ctx, cancel := request()
	defer cancel()
	asked := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "metadata": map[string]any{"name": account},
	}}
	answer, err := n.client.Resource(resource("", "v1", "serviceaccounts")).Namespace(n.Name).
		Create(ctx, asked, metav1.CreateOptions{}, "token")
	if err != nil {
		n.tb.Fatal(err)
	}
	token, _, err := unstructured.NestedString(answer.Object, "status", "token")
	if err != nil {
		n.tb.Fatal(err)
	}
	return token
}

func request() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), wait.Bound)
}

// Eventually returns when the condition returns nil, and fails the test with the condition's last error when it never
// does.
func (n *Namespace) Eventually(what string, condition func() error) {
	n.tb.Helper()
	wait.For(n.tb, n.Name+": "+what, func(context.Context) error { return condition() })
}

func (n *Namespace) clear() {
	ctx, cancel := request()
	defer cancel()
	for _, kind := range []schema.GroupVersionResource{InferenceServices, InferenceGraphs, LLMInferenceServices} {
		err := n.client.Resource(kind).Namespace(n.Name).
			DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{})
		// A cluster without the kind has nothing to delete, and where KServe has stopped nothing waits for it.
		if ignoreMissing(err) != nil && !strings.Contains(err.Error(), "conversion webhook") {
			n.tb.Error(err)
		}
	}
}
