package plan

import (
	"encoding/json"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/unified"
)

// liveFields are those of metadata that only an object in a cluster has.
var liveFields = []string{
	"uid", "resourceVersion", "generation", "creationTimestamp", "managedFields", "selfLink", "ownerReferences", "finalizers",
	"deletionTimestamp", "deletionGracePeriodSeconds",
}

// expiration is the annotation with the time at which a certificate that KServe makes expires
// (DefaultExpirationAnnotations in pkg/controller/v1alpha2/llmisvc/config_loader.go of KServe 0.20.0).
const expiration = "certificates.kserve.io/expiration"

// spoken returns a copy of an object without what only a live one has.
func spoken(o Object) Object {
	data, err := json.Marshal(o)
	if err != nil {
		panic(err) // it came from JSON
	}
	var copied Object
	if err := json.Unmarshal(data, &copied); err != nil {
		panic(err)
	}
	delete(copied, "status")
	if metadata, ok := copied["metadata"].(map[string]any); ok {
		for _, field := range liveFields {
			delete(metadata, field)
		}
		if annotations, ok := metadata["annotations"].(map[string]any); ok {
			delete(annotations, expiration)
		}
	}
	if spec, ok := copied["spec"].(map[string]any); ok && copied["kind"] == "Service" && copied["apiVersion"] == "v1" {
		if spec["clusterIP"] != "None" {
			delete(spec, "clusterIP")
			delete(spec, "clusterIPs")
		}
	}
	return copied
}

// Plain returns an object as a manifest: without what only a live one has, and without the values of a Secret.
func Plain(o Object) Object {
	plain := spoken(o)
	if plain["kind"] == "Secret" {
		if annotations, ok := at(plain, "metadata", "annotations").(map[string]any); ok {
			delete(annotations, "kubectl.kubernetes.io/last-applied-configuration")
		}
		for _, field := range []string{"data", "stringData"} {
			values, _ := plain[field].(map[string]any)
			for name := range values {
				values[name] = ""
			}
		}
	}
	return plain
}

func text(o Object) string {
	data, err := yaml.Marshal(o)
	if err != nil {
		panic(err) // it came from JSON
	}
	return string(data)
}

// unifiedDiff returns the hunks in which two objects differ as YAML.
func unifiedDiff(a, b Object) string {
	return strings.TrimPrefix(unified.Diff("before", "after", text(a), text(b)), "--- before\n+++ after\n")
}

// at returns the value at a path of keys, nil if there is none.
func at(value any, path ...string) any {
	for _, key := range path {
		mapping, _ := value.(map[string]any)
		value = mapping[key]
	}
	return value
}
