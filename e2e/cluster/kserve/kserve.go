// Package kserve installs a release of KServe into a cluster and runs its controllers, with the webhooks on.
//
// There is no Istio, LeaderWorkerSet controller or cert-manager, no KEDA without InstallKEDA, and the kinds of the
// others exist without them. A stand-in accepts Gateways and routes.
package kserve

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/semver"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/controlplane"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/objects"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/stack"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/toolchain"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/wait"
)

// Versions are the releases under test, oldest first: each has a folder under e2e/tools.
var Versions = []string{
	"v0.13.1", "v0.14.1", "v0.15.0", "v0.15.2", "v0.16.0", "v0.17.0", "v0.19.0", "v0.20.0",
}

// Choose reads a list of releases, separated by commas: all, or each with or without a leading v.
func Choose(list string) ([]string, error) {
	if list == "all" {
		return Versions, nil
	}
	var chosen []string
	for name := range strings.SplitSeq(list, ",") {
		version := "v" + strings.TrimPrefix(strings.TrimSpace(name), "v")
		if !slices.Contains(Versions, version) {
			return nil, fmt.Errorf("-kserve-version: %q is not one of %s", name, strings.Join(Versions, ", "))
		}
		chosen = append(chosen, version)
	}
	return chosen, nil
}

// Window is a range of releases: from the first one, all of them if it is empty, to the last one before the end, which
// is open if it is empty.
type Window struct{ From, Before string }

// Has reports whether the release is in the window.
func (w Window) Has(version string) bool {
	return semver.Compare(version, w.From) >= 0 && (w.Before == "" || semver.Compare(version, w.Before) < 0)
}

// HasLLMInferenceServices reports whether the release has LLMInferenceServices, with a controller of their own.
func HasLLMInferenceServices(version string) bool { return Window{From: "v0.16.0"}.Has(version) }

// namespace is where KServe looks for its configuration.
const namespace = "kserve"

// keda is a module that some release of KServe requires, for the kinds it ships.
var keda = toolchain.Tool{Folder: toolchain.KServeFolder("v0.20.0"), Module: "github.com/kedacore/keda/v2"}

// Tools are the programs of a release.
func Tools(version string) []toolchain.Tool {
	return append(Controllers(version), toolchain.KServeAgent(version))
}

// Controllers are the programs with the controllers and webhooks of a release.
func Controllers(version string) []toolchain.Tool {
	tools := []toolchain.Tool{toolchain.KServeManager(version)}
	if HasLLMInferenceServices(version) {
		tools = append(tools, toolchain.KServeLLMManager(version))
	}
	return tools
}

// Sources are the modules whose manifests an installation needs.
func Sources(version string) []toolchain.Tool {
	return []toolchain.Tool{toolchain.KServeManager(version), keda}
}

// Installation is KServe in a cluster.
type Installation struct {
	Version string // with a leading v

	cluster     *controlplane.Cluster
	namespace   *objects.Namespace
	controllers []*stack.Running
	gateways    bool // whether the stand-in for a controller of the Gateway API runs
}

// Install installs the release and returns when its webhooks serve. The default deployment mode is Standard.
func Install(tb testing.TB, cluster *controlplane.Cluster, version string) *Installation {
	tb.Helper()
	i := &Installation{cluster: cluster, namespace: cluster.Namespace(tb, namespace)}
	i.Upgrade(tb, version)
	return i
}

// InstallServices does the same without LLMInferenceServices, and with a default deployment mode in the spelling of the
// release. Knative has to be there before: KServe looks for its kinds once.
func InstallServices(tb testing.TB, cluster *controlplane.Cluster, version, mode string) *Installation {
	tb.Helper()
	i := &Installation{Version: version, cluster: cluster, namespace: cluster.Namespace(tb, namespace)}
	source := sourceOf(tb, toolchain.KServeManager(version))
	i.configure(tb, source)
	i.SetDefaultMode(tb, mode)
	i.installServices(tb, source)
	return i
}

// Log returns what the controllers have printed.
func (i *Installation) Log() string {
	var log strings.Builder
	for _, controller := range i.controllers {
		log.WriteString(controller.Log())
	}
	return log.String()
}

// Upgrade puts another release in the place of the one that runs, and returns when its webhooks serve: the objects of
// the cluster stay.
func (i *Installation) Upgrade(tb testing.TB, version string) {
	tb.Helper()
	for _, controller := range i.controllers {
		controller.Stop()
	}
	i.Version, i.controllers = version, nil
	source := sourceOf(tb, toolchain.KServeManager(version))
	i.configure(tb, source)
	i.installServices(tb, source)
	if HasLLMInferenceServices(version) {
		i.installLLM(tb, source)
	}
}

// installServices installs all that is about InferenceServices.
func (i *Installation) installServices(tb testing.TB, source string) {
	tb.Helper()
	scaledObjects := filepath.Join(sourceOf(tb, keda), "config", "crd", "bases", "keda.sh_scaledobjects.yaml")
	i.namespace.ApplyObjects(objects.Read(tb, scaledObjects)...)
	i.namespace.ApplyObjects(kustomize(tb, filepath.Join(source, "config", "crd"))...)
	i.await(tb,
		objects.ScaledObjects,
		objects.InferenceServices,
		objects.KServe("v1alpha1", "servingruntimes"),
		objects.KServe("v1alpha1", "clusterservingruntimes"),
		objects.KServe("v1alpha1", "inferencegraphs"),
		objects.KServe("v1alpha1", "trainedmodels"),
	)
	i.start(tb, i.prepare(tb, "kserve", toolchain.KServeManager(i.Version), servicePorts),
		filepath.Join(source, "config", "webhook", "manifests.yaml"))
	runtimes := kustomize(tb, filepath.Join(source, "config", "runtimes"))
	for _, runtime := range runtimes {
		data, err := runtime.MarshalJSON()
		if err != nil {
			tb.Fatal(err)
		}
		if err := runtime.UnmarshalJSON([]byte(i.tagged(string(data)))); err != nil {
			tb.Fatal(err)
		}
	}
	i.namespace.ApplyObjects(runtimes...)
}

// latest is an image of KServe's as the sources have it.
var latest = regexp.MustCompile(`\b(kserve/[a-z-]+):latest\b`)

// tagged returns a text in which KServe's images have the tag of the release, as what KServe publishes for installing
// it.
func (i *Installation) tagged(text string) string {
	return latest.ReplaceAllString(text, "${1}:v"+strings.TrimPrefix(i.Version, "v"))
}

// await returns when the API server serves the kinds.
func (i *Installation) await(tb testing.TB, kinds ...schema.GroupVersionResource) {
	tb.Helper()
	for _, kind := range kinds {
		wait.For(tb, "KServe's kinds", i.cluster.Serves(kind))
	}
}

// Judge lets the release's program judge manifests, with the default mode Standard. It returns a line of JSON for each.
func (i *Installation) Judge(tb testing.TB, manifests string) []byte {
	tb.Helper()
	program, err := toolchain.Program(i.Version)
	if err != nil {
		tb.Fatal(err)
	}
	cmd := exec.Command(program, "-judge", "Standard")
	cmd.Stdin = strings.NewReader(manifests)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		tb.Fatalf("%v: %s", err, &stderr)
	}
	return out
}

// configure applies KServe's own ConfigMap with the defaults that need nothing but Kubernetes.
func (i *Installation) configure(tb testing.TB, source string) {
	tb.Helper()
	for _, object := range objects.Read(tb, filepath.Join(source, "config", "configmap", "inferenceservice.yaml")) {
		data, _, err := unstructured.NestedStringMap(object.Object, "data")
		if err != nil {
			tb.Fatal(err)
		}
		delete(data, "_example")
		data["deploy"] = deployConfig("RawDeployment")
		data["ingress"], err = withoutIstio(data["ingress"])
		if err != nil {
			tb.Fatal(err)
		}
		for key, document := range data {
			data[key] = i.tagged(document)
		}
		if err := unstructured.SetNestedStringMap(object.Object, data, "data"); err != nil {
			tb.Fatal(err)
		}
		i.namespace.ApplyObjects(object)
	}
}

// SetDefaultMode changes the deployment mode of services that name none, in the spelling of the release.
func (i *Installation) SetDefaultMode(tb testing.TB, mode string) {
	tb.Helper()
	i.SetConfig(tb, "deploy", deployConfig(mode))
}

// configName is the name of KServe's configuration.
const configName = "inferenceservice-config"

// Config returns the ConfigMap with KServe's configuration.
func (i *Installation) Config(tb testing.TB) *unstructured.Unstructured {
	tb.Helper()
	return i.cluster.In(tb, namespace).Get(objects.ConfigMaps, configName)
}

// SetConfig replaces the document under a key of KServe's configuration.
func (i *Installation) SetConfig(tb testing.TB, key, document string) {
	tb.Helper()
	patch := fmt.Sprintf(`{"data":{%q:%q}}`, key, document)
	i.cluster.In(tb, namespace).Patch(objects.ConfigMaps, configName, patch)
}

func deployConfig(mode string) string { return fmt.Sprintf(`{"defaultDeploymentMode": %q}`, mode) }

func sourceOf(tb testing.TB, tool toolchain.Tool) string {
	tb.Helper()
	dir, err := tool.Source(context.Background())
	if err != nil {
		tb.Fatal(err)
	}
	return dir
}

func kustomize(tb testing.TB, dir string) []*unstructured.Unstructured {
	tb.Helper()
	built, err := objects.Kustomize(dir)
	if err != nil {
		tb.Fatal(err)
	}
	return built
}
