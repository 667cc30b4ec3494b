package objects

import (
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Condition returns an error unless the object has the status condition with that value.
func Condition(object *unstructured.Unstructured, kind, value string) error {
	return condition(object, kind, value, func(map[string]any) bool { return true })
}

// Because returns an error unless the object has the status condition with that value and that reason ("" for any), and
// its message has the text.
func Because(object *unstructured.Unstructured, kind, value, reason, text string) error {
	return condition(object, kind, value, func(c map[string]any) bool {
		message, _ := c["message"].(string)
		return (reason == "" || c["reason"] == reason) && strings.Contains(message, text)
	})
}

// Lasting returns an error unless the object has had the status condition with that value for longer than a time.
func Lasting(object *unstructured.Unstructured, kind, value string, longer time.Duration) error {
	return condition(object, kind, value, func(c map[string]any) bool {
		text, _ := c["lastTransitionTime"].(string)
		since, err := time.Parse(time.RFC3339, text)
		return err == nil && time.Since(since) > longer
	})
}

func condition(object *unstructured.Unstructured, kind, value string, fits func(map[string]any) bool) error {
	conditions, _, err := unstructured.NestedSlice(object.Object, "status", "conditions")
	if err != nil {
		return err
	}
	for _, entry := range conditions {
		c, ok := entry.(map[string]any)
		if ok && c["type"] == kind && c["status"] == value && fits(c) {
			return nil
		}
	}
	return fmt.Errorf("%s %s: condition %s is not %s: %v", object.GetKind(), object.GetName(), kind, value, conditions)
}
