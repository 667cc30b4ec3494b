package kserve

import (
	"os"
	"path/filepath"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/objects"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/toolchain"
)

// foreignKinds are the files of the kinds of others that LLMInferenceServices are made of, as KServe ships them for its
// own tests. Each release has some of them.
var foreignKinds = []string{"gateway*.yaml", "leaderworkerset*.yaml", "wva_*.yaml"}

// installLLM installs all that is about LLMInferenceServices, with the presets in KServe's namespace.
func (i *Installation) installLLM(tb testing.TB, source string) {
	tb.Helper()
	for _, pattern := range foreignKinds {
		files, err := filepath.Glob(filepath.Join(source, "test", "crds", pattern))
		if err != nil {
			tb.Fatal(err)
		}
		for _, file := range files {
			i.namespace.ApplyObjects(objects.Read(tb, file)...)
		}
	}
	m := i.prepare(tb, "kserve-llmisvc", toolchain.KServeLLMManager(i.Version), llmPorts)
	for _, definition := range llmKinds(tb, source) {
		if err := convertByURL(definition, m.url, m.ca); err != nil {
			tb.Fatal(err)
		}
		i.namespace.ApplyObjects(definition)
	}
	i.await(tb,
		objects.LLMInferenceServices, objects.LLMInferenceServiceConfigs,
		objects.LeaderWorkerSets, objects.Gateways, objects.HTTPRoutes, objects.PreviewInferencePools)
	i.start(tb, m, filepath.Join(source, "config", "webhook", "llmisvc", "manifests.yaml"))
	i.namespace.ApplyObjects(kustomize(tb, filepath.Join(source, "config", "llmisvcconfig"))...)
	if !i.gateways {
		i.startGatewayStandIn(tb)
		i.gateways = true
	}
}

// llmKinds are KServe's own kinds for LLMInferenceServices. From 0.17 on, those of local models have a folder of their
// own; 0.16 does without them.
func llmKinds(tb testing.TB, source string) []*unstructured.Unstructured {
	tb.Helper()
	full := filepath.Join(source, "config", "crd", "full")
	kinds := kustomize(tb, filepath.Join(full, "llmisvc"))
	if localModels := filepath.Join(full, "localmodel"); exists(localModels) {
		kinds = append(kinds, kustomize(tb, localModels)...)
	}
	return kinds
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
