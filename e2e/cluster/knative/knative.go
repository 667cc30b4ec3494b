// Package knative installs Knative Serving into a cluster: its controller, autoscaler and webhook run as processes.
//
// The gateway, the activator and the queue-proxies have stand-ins: nothing routes a request. Images are not resolved to
// digests, because there is no registry.
package knative

import (
	"context"
	"fmt"
	"maps"
	"net"
	"path/filepath"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/controlplane"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/objects"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/stack"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/toolchain"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/wait"
)

// The kinds that tests look at.
var (
	Services  = serving("services")
	Revisions = serving("revisions")
	ingresses = schema.GroupVersionResource{
		Group: "networking.internal.knative.dev", Version: "v1alpha1", Resource: "ingresses",
	}
)

func serving(name string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "serving.knative.dev", Version: "v1", Resource: name}
}

const namespace = "knative-serving"

// The modules whose manifests an installation needs, and the files.
var (
	networking = toolchain.Tool{Folder: "knative", Module: "knative.dev/networking"}
	caching    = toolchain.Tool{Folder: "knative", Module: "knative.dev/caching"}

	kinds = []struct {
		tool  toolchain.Tool
		files string
	}{
		{toolchain.KnativeController, "core/300-resources/*.yaml"},
		{networking, "certificate.yaml"},
		{networking, "domain-claim.yaml"},
		{networking, "ingress.yaml"},
		{networking, "serverlessservice.yaml"},
		{caching, "image.yaml"},
	}
)

// settings are what differs from Knative's own ConfigMaps.
var settings = map[string]map[string]any{
	"config-deployment": {
		"queue-sidecar-image": "dev.local/queue-proxy", // the manifests name a Go package
		// Digests come from a registry.
		"registries-skipping-tag-resolving": "dev.local,example.invalid,index.docker.io,docker.io",
	},
	// Shorter times to wait for. The activator stays in the path of all requests, so that nobody asks it.
	"config-autoscaler": {
		"allow-zero-initial-scale": "true", "stable-window": "10s", "scale-to-zero-grace-period": "5s",
		"scale-to-zero-pod-retention-period": "0s", "target-burst-capacity": "-1",
	},
}

// Tools are Knative's programs.
func Tools() []toolchain.Tool {
	return []toolchain.Tool{toolchain.KnativeController, toolchain.KnativeAutoscaler, toolchain.KnativeWebhook}
}

// Sources are the modules whose manifests an installation needs.
func Sources() []toolchain.Tool {
	return []toolchain.Tool{toolchain.KnativeController, networking, caching}
}

// webhookPort is that of Knative's webhook, of which every Service and webhook configuration is told.
const webhookPort = 8443

// services are those of the webhook and the activator. The API server finds the webhook by the name that is an address.
// At the activator's address nobody listens.
const services = `
apiVersion: v1
kind: Service
metadata: {name: webhook}
spec: {type: ExternalName, externalName: %s}
---
apiVersion: v1
kind: Service
metadata: {name: activator-service}
spec: {ports: [{name: http, port: 80, targetPort: 8012}, {name: http2, port: 81, targetPort: 8013}]}
---
apiVersion: v1
kind: Endpoints
metadata: {name: activator-service}
subsets:
  - addresses: [{ip: 10.244.255.1}]
    ports: [{name: http, port: 8012, protocol: TCP}, {name: http2, port: 8013, protocol: TCP}]
`

// Install installs Knative and returns when its webhook is in use.
func Install(tb testing.TB, cluster *controlplane.Cluster) {
	tb.Helper()
	n := cluster.Namespace(tb, namespace)
	for _, kind := range kinds {
		n.ApplyObjects(read(tb, kind.tool, kind.files)...)
	}
	for _, kind := range []schema.GroupVersionResource{
		Services, Revisions, serving("routes"), serving("configurations"), ingresses,
		{Group: "autoscaling.internal.knative.dev", Version: "v1alpha1", Resource: "podautoscalers"},
		{Group: "autoscaling.internal.knative.dev", Version: "v1alpha1", Resource: "metrics"},
		{Group: ingresses.Group, Version: "v1alpha1", Resource: "serverlessservices"},
		{Group: "caching.internal.knative.dev", Version: "v1alpha1", Resource: "images"},
	} {
		wait.For(tb, "Knative's kinds", cluster.Serves(kind))
	}
	configure(tb, n)
	n.Apply(fmt.Sprintf(services, cluster.Stack.IP))
	n.ApplyObjects(read(tb, toolchain.KnativeController, "core/webhooks/secret.yaml")...)
	startGateway(tb, cluster)
	startQueueProxies(tb)

	start(tb, cluster, toolchain.KnativeWebhook, "webhook", "8008",
		stack.Accepts(net.JoinHostPort(cluster.Stack.IP, fmt.Sprint(webhookPort))))
	start(tb, cluster, toolchain.KnativeAutoscaler, "autoscaler", "8009",
		stack.Accepts(net.JoinHostPort(cluster.Stack.IP, "8080")))
	start(tb, cluster, toolchain.KnativeController, "controller", "8010", nil)
	startWebhooks(tb, cluster, n)
}

// configure applies Knative's own ConfigMaps with our settings.
func configure(tb testing.TB, n *objects.Namespace) {
	tb.Helper()
	all := append(read(tb, toolchain.KnativeController, "core/configmaps/*.yaml"),
		read(tb, networking, "config-network.yaml")...)
	for _, object := range all {
		data, _, err := unstructured.NestedMap(object.Object, "data")
		if err != nil {
			tb.Fatal(err)
		}
		if data == nil {
			data = map[string]any{}
		}
		maps.Copy(data, settings[object.GetName()])
		object.Object["data"] = data
	}
	n.ApplyObjects(all...)
}

// start starts one of Knative's programs. Its profiling port cannot be that of another one.
func start(
	tb testing.TB, cluster *controlplane.Cluster, tool toolchain.Tool, name, profiling string,
	ready func(context.Context) error,
) {
	tb.Helper()
	binary, err := tool.Build(context.Background())
	if err != nil {
		tb.Fatal(err)
	}
	home := cluster.Stack.Mkdir(tool.Name, 0)
	cluster.Stack.Start(stack.Process{
		Name: tool.Name, Path: binary, Dir: home, Ready: ready,
		Env: []string{
			"HOME=" + home, "TMPDIR=" + home, "KUBECONFIG=" + cluster.Kubeconfig(tb, "default"),
			"SYSTEM_NAMESPACE=" + namespace, "POD_NAME=" + name, "PROFILING_PORT=" + profiling,
			"POD_IP=10.244.255.2", // the autoscaler takes no loopback address
			"CONFIG_LOGGING_NAME=config-logging", "CONFIG_OBSERVABILITY_NAME=config-observability",
			"METRICS_DOMAIN=knative.dev/serving", "WEBHOOK_NAME=webhook", fmt.Sprint("WEBHOOK_PORT=", webhookPort),
		},
	})
}

// startWebhooks applies the webhook configurations and returns when Knative has written its certificate into them.
func startWebhooks(tb testing.TB, cluster *controlplane.Cluster, n *objects.Namespace) {
	tb.Helper()
	for _, file := range []string{"defaulting", "resource-validation", "configmap-validation"} {
		for _, object := range read(tb, toolchain.KnativeController, "core/webhooks/"+file+".yaml") {
			webhooks, _, err := unstructured.NestedSlice(object.Object, "webhooks")
			if err != nil {
				tb.Fatal(err)
			}
			for _, webhook := range webhooks {
				port := []string{"clientConfig", "service", "port"}
				if err := unstructured.SetNestedField(webhook.(map[string]any), int64(webhookPort), port...); err != nil {
					tb.Fatal(err)
				}
			}
			object.Object["webhooks"] = webhooks
			n.ApplyObjects(object)
			kind := schema.GroupVersionResource{Group: "admissionregistration.k8s.io", Version: "v1",
				Resource: map[string]string{
					"MutatingWebhookConfiguration":   "mutatingwebhookconfigurations",
					"ValidatingWebhookConfiguration": "validatingwebhookconfigurations",
				}[object.GetKind()]}
			cluster.In(tb, "").Eventually(object.GetName()+" has a certificate", func() error {
				return certified(cluster.In(tb, "").Get(kind, object.GetName()))
			})
		}
	}
}

// certified returns an error unless every webhook has a certificate.
func certified(configuration *unstructured.Unstructured) error {
	webhooks, _, err := unstructured.NestedSlice(configuration.Object, "webhooks")
	if err != nil {
		return err
	}
	for _, webhook := range webhooks {
		if ca, _, _ := unstructured.NestedString(webhook.(map[string]any), "clientConfig", "caBundle"); ca == "" {
			return fmt.Errorf("no certificate in %v", webhook)
		}
	}
	return nil
}

// read reads the files below the folder config of a module.
func read(tb testing.TB, tool toolchain.Tool, pattern string) []*unstructured.Unstructured {
	tb.Helper()
	source, err := tool.Source(context.Background())
	if err != nil {
		tb.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(source, "config", pattern))
	if err != nil || len(files) == 0 {
		tb.Fatalf("no %s in %s: %v", pattern, source, err)
	}
	var all []*unstructured.Unstructured
	for _, file := range files {
		all = append(all, objects.Read(tb, file)...)
	}
	return all
}
