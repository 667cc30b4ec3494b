package objects

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Condition returns an error unless the object has the status condition with that value.
func Condition(object *unstructured.Unstructured, kind, value string) error {
	conditions, _, err := unstructured.NestedSlice(object.Object, "status", "conditions")
	if err != nil {
		return err
	}
	for _, entry := range conditions {
		condition, ok := entry.(map[string]any)
		if ok && condition["type"] == kind && condition["status"] == value {
			return nil
		}
	}
	return fmt.Errorf("%s %s: condition %s is not %s: %v", object.GetKind(), object.GetName(), kind, value, conditions)
}
