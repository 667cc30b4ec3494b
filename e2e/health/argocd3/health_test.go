// Package argocd3 runs the suite in the code of Argo CD 3.
package argocd3

import (
	"io/fs"
	"testing"

	"github.com/argoproj/argo-cd/gitops-engine/pkg/health"
	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	"github.com/argoproj/argo-cd/v3/resource_customizations"
	"github.com/argoproj/argo-cd/v3/util/argo/normalizers"
	"github.com/argoproj/argo-cd/v3/util/lua"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/health/suite"
)

func TestSuite(t *testing.T) { suite.Run(t, argocd{}) }

type argocd struct{}

func (argocd) Health(object *unstructured.Unstructured, script string) (suite.Health, error) {
	key := object.GroupVersionKind().Group + "/" + object.GetKind()
	overrides := lua.ResourceHealthOverrides{key: v1alpha1.ResourceOverride{HealthLua: script}}
	verdict, err := health.GetResourceHealth(object, overrides)
	if err != nil {
		return suite.Health{}, err
	}
	return suite.Health{Status: string(verdict.Status), Message: verdict.Message}, nil
}

func (argocd) Actions(object *unstructured.Unstructured, script string) (map[string]bool, error) {
	found, err := lua.VM{}.ExecuteResourceActionDiscovery(object, []string{script})
	actions := map[string]bool{}
	for _, action := range found {
		actions[action.Name] = action.Disabled
	}
	return actions, err
}

func (argocd) Act(object *unstructured.Unstructured, script string) ([]*unstructured.Unstructured, error) {
	impacted, err := lua.VM{}.ExecuteResourceAction(object, script, nil)
	var objects []*unstructured.Unstructured
	for _, one := range impacted {
		objects = append(objects, one.UnstructuredObj)
	}
	return objects, err
}

func (argocd) Normalize(object *unstructured.Unstructured, knownTypeFields map[string]string) error {
	overrides := map[string]v1alpha1.ResourceOverride{}
	for key, text := range knownTypeFields {
		var fields []v1alpha1.KnownTypeField
		if err := yaml.Unmarshal([]byte(text), &fields); err != nil {
			return err
		}
		overrides[key] = v1alpha1.ResourceOverride{KnownTypeFields: fields}
	}
	normalizer, err := normalizers.NewKnownTypesNormalizer(overrides)
	if err != nil {
		return err
	}
	return normalizer.Normalize(object)
}

func (argocd) Bundled() (fs.FS, error) {
	return fs.Sub(resource_customizations.Embedded, "serving.kserve.io")
}
