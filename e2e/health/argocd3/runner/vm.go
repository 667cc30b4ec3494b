// Package lua stands in for Argo CD's package of that name, so that Argo CD's own tests of resource customizations,
// which TestUpstream adds to this folder, run the scripts on disk instead of those that Argo CD was compiled with.
package lua

import (
	"os"
	"path/filepath"

	"github.com/argoproj/argo-cd/gitops-engine/pkg/health"
	"github.com/argoproj/argo-cd/v3/pkg/apiclient/application"
	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	"github.com/argoproj/argo-cd/v3/util/lua"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	_ "github.com/argoproj/argo-cd/v3/util/cli" // Argo CD's tests import these
	_ "github.com/stretchr/testify/require"
)

// The operations of an action.
const (
	PatchOperation  = lua.PatchOperation
	CreateOperation = lua.CreateOperation
)

// VM is Argo CD's VM without its scripts.
type VM struct{ UseOpenLibs bool }

func (vm VM) argocd() lua.VM { return lua.VM{UseOpenLibs: vm.UseOpenLibs} }

// script reads a file of the customization of an object, relative to the folder in which Argo CD runs its tests.
func script(obj *unstructured.Unstructured, name string) (string, error) {
	folder := filepath.Join("../../resource_customizations", obj.GroupVersionKind().Group, obj.GetKind())
	data, err := os.ReadFile(filepath.Join(folder, name))
	return string(data), err
}

// GetHealthScript returns the health check of an object's kind.
func (vm VM) GetHealthScript(obj *unstructured.Unstructured) (text string, useOpenLibs bool, err error) {
	text, err = script(obj, "health.lua")
	return text, true, err
}

// ExecuteHealthLua runs a health check.
func (vm VM) ExecuteHealthLua(obj *unstructured.Unstructured, text string) (*health.HealthStatus, error) {
	return vm.argocd().ExecuteHealthLua(obj, text)
}

// GetResourceActionDiscovery returns the scripts that tell which actions an object has.
func (vm VM) GetResourceActionDiscovery(obj *unstructured.Unstructured) ([]string, error) {
	text, err := script(obj, "actions/discovery.lua")
	return []string{text}, err
}

// ExecuteResourceActionDiscovery runs such scripts.
func (vm VM) ExecuteResourceActionDiscovery(
	obj *unstructured.Unstructured, texts []string,
) ([]v1alpha1.ResourceAction, error) {
	return vm.argocd().ExecuteResourceActionDiscovery(obj, texts)
}

// GetResourceAction returns an action.
func (vm VM) GetResourceAction(obj *unstructured.Unstructured, name string) (v1alpha1.ResourceActionDefinition, error) {
	text, err := script(obj, "actions/"+name+"/action.lua")
	return v1alpha1.ResourceActionDefinition{Name: name, ActionLua: text}, err
}

// ExecuteResourceAction runs an action.
func (vm VM) ExecuteResourceAction(
	obj *unstructured.Unstructured, text string, parameters []*application.ResourceActionParameters,
) ([]lua.ImpactedResource, error) {
	return vm.argocd().ExecuteResourceAction(obj, text, parameters)
}
