package model

import (
	"cmp"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// The kinds of targets by which people mean an LLM service, beside DeploymentTarget. An LLMInferenceService has no
// subresource scale (config/crd/full/llmisvc@v0.20.0).
const (
	SetTarget = "LeaderWorkerSet" // of the group leaderworkerset.x-k8s.io
	LLMTarget = "LLMInferenceService"
)

// setGroup is the API group of a LeaderWorkerSet.
const setGroup = "leaderworkerset.x-k8s.io"

// LLMWorkload is a Deployment or LeaderWorkerSet that KServe makes for an LLMInferenceService.
type LLMWorkload struct {
	Service    *LLMService
	Spec       yamldoc.Path // of its fields in the service: spec or spec.prefill
	Kind, Name string
}

// workloads returns what KServe makes for the service: one workload, and one more for prefill. A Config that is not in
// the render may add workers: then it returns the Deployments, and the LeaderWorkerSets that may be there instead. A
// service with generateName has none.
func (s *LLMService) workloads() (all []LLMWorkload) {
	if s.Name == "" {
		return nil
	}
	for _, part := range []struct {
		spec            yamldoc.Path
		deployment, set string
	}{
		{yamldoc.Path{"spec"}, kserve.LLMDeployment, kserve.LLMSet},
		{yamldoc.Path{"spec", kserve.Prefill}, kserve.LLMPrefillDeployment, kserve.LLMPrefillSet},
	} {
		if !s.Has(part.spec...) {
			continue
		}
		workers := s.HasWorkers(part.spec)
		if !workers {
			all = append(all, LLMWorkload{s, part.spec, DeploymentTarget, kserve.ChildName(s.Name, part.deployment)})
		}
		if workers || len(s.Missing) > 0 {
			all = append(all, LLMWorkload{s, part.spec, SetTarget, kserve.ChildName(s.Name, part.set)})
		}
	}
	return all
}

// HasWorkers reports whether a part of the service, spec or spec.prefill, runs on several nodes.
func (s *LLMService) HasWorkers(part yamldoc.Path) bool {
	return s.Has(part.With(kserve.LLMWorkers)...)
}

// Parallelism returns a number of the parallelism of a part of the service, 0 if no layer has it.
func (s *LLMService) Parallelism(part yamldoc.Path, field string) int {
	node, _ := s.Value(part.With("parallelism", field)...)
	n, _ := node.Int()
	return n
}

// WithoutPreset reports whether KServe merges no preset with the pods of a part of the service: it has one for workers
// only if they are data parallel (combineBaseRefsConfig in config_merge.go, and IsDataParallel in the types, of
// v1alpha1@v0.16.0 and v1alpha2@v0.17.0 to v0.20.0).
func (s *LLMService) WithoutPreset(part yamldoc.Path) bool {
	return s.HasWorkers(part) && s.Parallelism(part, "data") <= 0 && s.Parallelism(part, "dataLocal") <= 0
}

// APIVersion returns the API version of the workload.
func (w *LLMWorkload) APIVersion() string {
	if w.Kind == SetTarget {
		return setGroup + "/v1"
	}
	return "apps/v1"
}

// LLMScaleTarget is a workload as the target of an autoscaler.
type LLMScaleTarget struct {
	*LLMWorkload
	Current bool // the autoscaler names it; else it has another kind or name and means it
}

// LLMTarget returns the kind and the name of the object that the autoscaler scales. The kind is that of Target, or one
// by which people mean an LLM service.
func (a Autoscaler) LLMTarget() (kind, name string) {
	apiVersion, kind, name := a.targetRef()
	return cmp.Or(llmTargetKind(apiVersion, kind), targetKind(apiVersion, kind)), name
}

// llmTargetKind returns the kind if it is SetTarget or LLMTarget, else nothing.
func llmTargetKind(apiVersion, kind string) string {
	group, _, _ := strings.Cut(apiVersion, "/")
	if kind == SetTarget && group == setGroup || kind == LLMTarget {
		return kind
	}
	return ""
}

// llmEndings are what may follow the name of an LLM service in the name of a target, and the field of the workload.
var llmEndings = []struct {
	ending  string
	prefill bool
}{
	{"", false},
	{kserve.LLMDeployment, false}, {kserve.LLMSet, false},
	{kserve.LLMPrefillDeployment, true}, {kserve.LLMPrefillSet, true},
}

// llmCandidates returns the workloads that the autoscaler may be meant for: the one that it targets, or those that the
// target stands for, unless it is meant for an InferenceService or the render has the target.
func (m *Model) llmCandidates(a Autoscaler) (meant []LLMScaleTarget) {
	kind, name := a.LLMTarget()
	if w := m.llms.workloads[targetName{kind, objectName{a.Namespace, name}}]; w != nil {
		return []LLMScaleTarget{{w, true}}
	}
	if name == "" || m.candidates[a.Object] != nil || kind != DeploymentTarget && kind != SetTarget && kind != LLMTarget {
		return nil
	}
	prefixes, suffixes := affixes(a.Name)
	seen := map[*LLMWorkload]bool{}
	for _, e := range llmEndings {
		original, ok := strings.CutSuffix(name, e.ending)
		if !ok || original == "" || e.ending == "" && kind == SetTarget {
			continue
		}
		for _, prefix := range prefixes {
			for _, suffix := range suffixes {
				if e.ending == "" && kind == DeploymentTarget && prefix+suffix != "" {
					continue
				}
				w := m.llms.part(objectName{a.Namespace, prefix + original + suffix}, e.prefill)
				if w != nil && !seen[w] {
					seen[w] = true
					meant = append(meant, LLMScaleTarget{w, false})
				}
			}
		}
	}
	if meant != nil && kind == DeploymentTarget && m.renders(a.Namespace, kind, name) {
		return nil
	}
	return meant
}

// part returns the workload of the service with the name, nil when there is none.
func (l *llms) part(service objectName, prefill bool) *LLMWorkload {
	for _, w := range l.parts[service] {
		if len(w.Spec) > 1 == prefill {
			return w
		}
	}
	return nil
}

// indexLLMAutoscalers finds out which autoscalers are meant for the LLM services.
func (m *Model) indexLLMAutoscalers(all []*transform.Object) {
	if len(m.llms.services) == 0 {
		return
	}
	for _, o := range all {
		m.llms.candidates[o] = m.llmCandidates(Autoscaler{o})
		if t := m.llms.only(o); t != nil {
			m.llms.meant[t.LLMWorkload]++
		}
	}
	for _, o := range all {
		if t := m.llms.only(o); t != nil && (t.Current || !m.HasLLMRival(*t) && len(t.Service.Missing) == 0) {
			m.llms.autoscalers[t.LLMWorkload] = append(m.llms.autoscalers[t.LLMWorkload], Autoscaler{o})
		}
	}
}

// only returns the candidate of an autoscaler that has just one.
func (l *llms) only(autoscaler *transform.Object) *LLMScaleTarget {
	if candidates := l.candidates[autoscaler]; len(candidates) == 1 {
		return &candidates[0]
	}
	return nil
}

// LLMCandidates returns the workloads of LLM services that the autoscaler may be meant for.
func (m *Model) LLMCandidates(a Autoscaler) []LLMScaleTarget { return m.llms.candidates[a.Object] }

// HasLLMRival reports whether several autoscalers are meant for the target.
func (m *Model) HasLLMRival(t LLMScaleTarget) bool { return m.llms.meant[t.LLMWorkload] > 1 }

// LLMWorkloads returns the workloads of the service.
func (m *Model) LLMWorkloads(s *LLMService) []*LLMWorkload {
	return m.llms.parts[objectName{s.Namespace, s.Name}]
}

// LLMAutoscalers returns the user's autoscalers of a workload: those that target it, or can do so with another target.
func (m *Model) LLMAutoscalers(w *LLMWorkload) []Autoscaler { return m.llms.autoscalers[w] }
