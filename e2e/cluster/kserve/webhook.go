package kserve

import (
	"encoding/base64"
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const webhookPort = "9443"

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
		webhook["clientConfig"] = map[string]any{"url": server + path, "caBundle": base64.StdEncoding.EncodeToString(ca)}
	}
	return unstructured.SetNestedSlice(configuration.Object, webhooks, "webhooks")
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
