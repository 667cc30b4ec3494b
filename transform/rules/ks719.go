package rules

import (
	_ "embed"
	"fmt"
	"slices"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks719.md
var ks719Doc string

var lostToken = &transform.Rule{
	ID:       "KS719",
	Name:     "lost-token",
	Title:    "The token for a model of Hugging Face does not reach its download",
	Doc:      ks719Doc,
	Windows:  []transform.Window{kserve.LLM["v1alpha1"]},
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{kserve.LLMInferenceService},
	Example:  "0.20.0/main-only",
	Severity: transform.Warning,
	Run:      run(checkToken),
}

// hfToken is the variable with the token, and the key of a Secret that KServe takes for it (BuildSecretEnvs in
// pkg/credentials/hf/hf_secret.go, v0.16.0 to v0.20.0).
const hfToken = "HF_TOKEN"

// hfTokens are the variables from which the libraries of Hugging Face take a token.
var hfTokens = []string{hfToken, "HUGGING_FACE_HUB_TOKEN"}

func checkToken(p *pass) {
	s := p.KServe.LLMService(p.Object)
	if len(p.KServe.LLMVersions(p.Object).Releases()) == 0 || p.initialized() != "hf" ||
		s.Annotation(storageSecretKey) != "" {
		return
	}
	if cache, _ := p.index.caches().of(p.Object); cache != "" {
		return // nothing is downloaded
	}
	for _, pod := range kserve.LLMPods {
		if at, layer := p.tokenOf(s, pod, "containers", p.mainName(pod)); at != nil && !isScheduler(pod) {
			p.checkDownload(s, pod, layer, at)
		}
	}
	p.checkTokenizer(s)
}

// tokenOf returns the place of the token among the variables of a container of a pod, and the layer that has it.
func (p *pass) tokenOf(s *model.LLMService, pod kserve.LLMPod, list, name string) (yamldoc.Path, *transform.Object) {
	for _, layer := range slices.Backward(s.Layers) {
		container, at := containerIn(layer, pod, list, name)
		for i, v := range container.Get("env").List() {
			given := v.Get("value").Str() != "" || v.Has("valueFrom")
			if given && slices.Contains(hfTokens, v.Get("name").Str()) {
				return at.With("env", i), layer
			}
		}
		for i, source := range container.Get("envFrom").List() {
			o := p.index.referable()[newReferable(secret, s.Namespace, source.Get("secretRef", "name").Str())]
			if o != nil && source.Get("prefix").Str() == "" && slices.ContainsFunc(hfTokens, func(key string) bool {
				return !o.Get("data", key).IsNull() || !o.Get("stringData", key).IsNull()
			}) {
				return at.With("envFrom", i), layer
			}
		}
	}
	return nil, nil
}

// checkDownload reports a token of a pod's container main, if the init container that downloads the model has none.
// With a ServiceAccount of its own, the pod most likely has the token there too. A leader's is also that of its workers
// (expectedMultiNodeMainServiceAccount in workload_multi_node.go of pkg/controller/v1alpha2/llmisvc@v0.20.0).
func (p *pass) checkDownload(s *model.LLMService, pod kserve.LLMPod, layer *transform.Object, at yamldoc.Path) {
	part := podParent(pod)
	for _, template := range []string{"template", kserve.LLMWorkers} {
		if s.Has(part.With(template, "serviceAccountName")...) {
			return
		}
	}
	merged := p.KServe.LLMVersions(p.Object).All(kserve.LLMInitializerMerged)
	if downloads, _ := p.tokenOf(s, pod, "initContainers", kserve.StorageInitializer); downloads != nil && merged {
		return
	}
	own, from := p.ownPlace(layer, at)
	way := "which the annotation " + storageSecretKey + " names or the ServiceAccount of the pods lists"
	if merged && !schedules(s) {
		way += fmt.Sprintf(", or move the variable to container %s in %s.initContainers", kserve.StorageInitializer,
			yamldoc.Path{"spec"}.With(pod.Path...))
	}
	p.Report(transform.Report{At: own, Category: yamldoc.Path(pod.Path).String(), Message: fmt.Sprintf("the download has no "+
		"token, so the pods of a gated model never start (401), because the init container %s loads hf://, and this "+
		"token%s is %s's: put the token as the key %s into a Secret %s; fine if the ServiceAccount default lists one",
		kserve.StorageInitializer, from, kserve.MainContainer, hfToken, way)})
}

// schedules reports whether KServe makes a scheduler for the service.
func schedules(s *model.LLMService) bool {
	return s.Has("spec", "router", "scheduler") && !s.Has("spec", "router", "scheduler", "pool", "ref")
}

// checkTokenizer reports a token of an init container that downloads the model, if the scheduler downloads the tokenizer
// without one. It gets the Secrets of the ServiceAccount of the template's pods (expectedSchedulerServiceAccount and
// expectedSchedulerDeployment in scheduler.go of pkg/controller/v1alpha2/llmisvc@v0.20.0; seen with its controller).
func (p *pass) checkTokenizer(s *model.LLMService) {
	at, layer := p.tokenOf(s, kserve.LLMTemplate, "initContainers", kserve.StorageInitializer)
	own, _ := p.tokenOf(s, kserve.LLMScheduler, "initContainers", kserve.StorageInitializer)
	scheduler := yamldoc.Path{"spec"}.With(kserve.LLMScheduler.Path...)
	if at == nil || own != nil || !schedules(s) || !p.KServe.LLMVersions(p.Object).All(kserve.LLMInitializerMerged) ||
		s.Has("spec", "template", "serviceAccountName") || s.Has(scheduler.With("serviceAccountName")...) {
		return
	}
	place, from := p.ownPlace(layer, at)
	p.Report(transform.Report{At: place, Category: "scheduler", Message: fmt.Sprintf("the scheduler of a gated model never "+
		"starts (401), because its own init container %s loads the tokenizer, and this token%s is not for it: put the token "+
		"as the key %s into a Secret which the annotation %s names, or repeat the variable in %s.initContainers; fine if "+
		"the ServiceAccount default lists one", kserve.StorageInitializer, from, hfToken, storageSecretKey, scheduler)})
}
