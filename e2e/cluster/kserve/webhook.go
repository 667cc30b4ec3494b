package kserve

import (
	"encoding/base64"
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// callByURL makes a webhook configuration call a server at an address instead of a Service: no Service has endpoints
// where no container runs.
func callByURL(configuration *unstructured.Unstructured, server string, ca []byte) error {
	webhooks, _, err := unstructured.NestedSlice(configuration.Object, "webhooks")
	if err != nil {
		return err
	}
	for _, entry := range webhooks {
		webhook, ok := entry.(map[string]any)
		if !ok {
			return fmt.Errorf("%s: a webhook is %T", configuration.GetName(), entry)
		}
		path, found, err := unstructured.NestedString(webhook, "clientConfig", "service", "path")
		if err != nil || !found {
			return fmt.Errorf("%s: a webhook without a service's path: %v", configuration.GetName(), err)
		}
		webhook["clientConfig"] = clientConfig(server+path, ca)
	}
	return unstructured.SetNestedSlice(configuration.Object, webhooks, "webhooks")
}

// convertByURL does the same with a CustomResourceDefinition that has a webhook to convert objects.
func convertByURL(definition *unstructured.Unstructured, server string, ca []byte) error {
	strategy, _, err := unstructured.NestedString(definition.Object, "spec", "conversion", "strategy")
	if err != nil || strategy != "Webhook" {
		return err
	}
	return unstructured.SetNestedMap(definition.Object, clientConfig(server+"/convert", ca),
		"spec", "conversion", "webhook", "clientConfig")
}

func clientConfig(url string, ca []byte) map[string]any {
	return map[string]any{"url": url, "caBundle": base64.StdEncoding.EncodeToString(ca)}
}

// withoutIstio returns the configuration of the ingress with plain Ingress objects in place of Istio's.
func withoutIstio(ingress string) (string, error) {
	var config map[string]any
	if err := json.Unmarshal([]byte(ingress), &config); err != nil {
		return "", err
	}
	config["disableIstioVirtualHost"] = true
	changed, err := json.Marshal(config)
	return string(changed), err
}
