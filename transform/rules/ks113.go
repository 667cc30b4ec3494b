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

//go:embed ks113.md
var ks113Doc string

var presetCollision = &transform.Rule{
	ID:       "KS113",
	Name:     "preset-collision",
	Title:    "A volume, a variable or a hook of an LLMInferenceService collides with that of KServe's preset",
	Doc:      ks113Doc,
	Windows:  []transform.Window{kserve.LLM["v1alpha1"]},
	Since:    transform.Release{0, 2},
	Kinds:    model.LLMKinds,
	Example:  "0.20.0/collisions",
	Severity: transform.Error,
	Run:      run(checkPresetCollisions),
}

// presetVolumes are the volumes of KServe's presets, those of the model's pods and those of the scheduler's
// (config/llmisvcconfig at v0.16.0, v0.17.0, v0.19.0 and v0.20.0). Only the latency predictor has more.
var presetVolumes = []struct {
	name, kind string
	window     transform.Window
	scheduler  bool
}{
	{"home", "emptyDir", kserve.LLM["v1alpha1"], false},
	{"dshm", "emptyDir", kserve.LLM["v1alpha1"], false},
	{"model-cache", "emptyDir", kserve.LLM["v1alpha1"], false},
	{"tls-certs", "secret", kserve.LLM["v1alpha1"], false},
	{"tmp-dir", "emptyDir", since18, false},
	{"tls-certs", "secret", kserve.LLM["v1alpha1"], true},
	{"tokenizer-cache", "emptyDir", since18, true},
	{"tokenizer-tmp", "emptyDir", since18, true},
	{"tokenizer-uds", "emptyDir", since18, true},
}

// presetVariables are the variables with a value that container main of the model's pods, and of the scheduler's, has in
// KServe's presets (the same files).
var presetVariables = []struct {
	name      string
	window    transform.Window
	scheduler bool
}{
	{"HOME", kserve.LLM["v1alpha1"], false},
	{"HF_HUB_CACHE", kserve.LLM["v1alpha1"], false},
	{"VLLM_LOGGING_LEVEL", kserve.LLM["v1alpha1"], false},
	{"SSL_CERT_DIR", since18, true},
}

// since18 are the releases whose presets have the newer volumes and variables (the same files at v0.18.0, and at v0.17.1,
// which lacks them).
var since18 = transform.Window{From: transform.Release{0, 18, 0}}

// since19 are the releases whose presets have a preStop hook with exec in the model's pods. Those since20 have one in the
// scheduler's too (the same files).
var since19 = transform.Window{From: transform.Release{0, 19, 0}}

func checkPresetCollisions(p *pass) {
	if kserve.IsPreset(p.Object.Name) || p.KServe.ReplacesPresets() {
		return
	}
	for _, pod := range kserve.LLMPods {
		if !p.ownPreset(pod) {
			continue
		}
		p.collidingVolumes(pod)
		main, at := containerIn(p.Object, pod, "containers", p.mainName(pod))
		p.collidingVariables(pod, main, at)
		p.collidingHook(pod, main, at)
	}
}

func (p *pass) collidingVolumes(pod kserve.LLMPod) {
	at := yamldoc.Path{"spec"}.With(pod.Path...).With("volumes")
	for i, volume := range p.Object.Get(at...).List() {
		for _, preset := range presetVolumes {
			if preset.name != volume.Get("name").Str() || preset.scheduler != isScheduler(pod) {
				continue
			}
			p.collides(pod, preset.window, at.With(i), volume, []string{"name", preset.kind}, fmt.Sprintf("KServe's preset has "+
				"a volume %s too, with %s: give this one another name, and mount that", preset.name, preset.kind))
		}
	}
}

func (p *pass) collidingVariables(pod kserve.LLMPod, main *yamldoc.Node, at yamldoc.Path) {
	for i, variable := range main.Get("env").List() {
		for _, preset := range presetVariables {
			if preset.name == variable.Get("name").Str() && preset.scheduler == isScheduler(pod) {
				p.collides(pod, preset.window, at.With("env", i), variable, []string{"name", "value"}, fmt.Sprintf(
					"KServe's preset gives %s a value, which stays beside this: write a value", preset.name))
			}
		}
	}
}

func (p *pass) collidingHook(pod kserve.LLMPod, main *yamldoc.Node, at yamldoc.Path) {
	window := since19
	if isScheduler(pod) {
		window = since20
	}
	hook := []any{"lifecycle", "preStop"}
	p.collides(pod, window, at.With(hook...), main.Get(hook...), []string{"exec"}, "KServe's preset has a preStop with exec, "+
		"which stays beside this: write exec too, or remove it, and the preset's sleeps")
}

// collides reports a field of a mapping, which is none that the preset's has, if a candidate has the preset's.
func (p *pass) collides(pod kserve.LLMPod, window transform.Window, at yamldoc.Path, own *yamldoc.Node, same []string,
	why string) {
	if !p.KServe.LLMVersions(p.Object).Any(window) {
		return
	}
	for key, value := range own.Children() {
		field, _ := key.(string)
		if !slices.Contains(same, field) && !value.IsNull() {
			p.Report(transform.Report{At: at.With(field), Message: fmt.Sprintf("the API server refuses the %s, because %s",
				p.refused(pod), why)})
		}
	}
}
