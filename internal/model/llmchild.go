package model

import (
	"bytes"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// LLMChild is an object that KServe makes for a service, or may make.
type LLMChild struct {
	kserve.LLMChild
	Service *LLMService
}

// childName is the key of an LLMChild.
type childName struct {
	kind            transform.GroupKind
	namespace, name string
}

// Namesake is an object of the render that has the name of one that KServe makes.
type Namesake struct {
	*transform.Object
	Child LLMChild
}

// BlockedBy returns the object of KServe's that an object of the render blocks: KServe makes or deletes an object of
// this kind and name, and stops because this one is somebody else's. An HTTPScaledObject counts as the ScaledObject
// that it becomes. Ok is false if it blocks none.
func (m *Model) BlockedBy(o *transform.Object) (child LLMChild, ok bool) {
	kind := o.GroupKind()
	if kind == kserve.HTTPScaledObject {
		kind = kserve.ScaledObject
	}
	child, ok = m.llms.children[childName{kind, o.Namespace, o.Name}]
	return child, ok && !IsMade(o) && m.LLMVersions(child.Service.Object).Any(child.Window) && child.blocks(o)
}

// blocks reports whether KServe looks for the object.
func (c LLMChild) blocks(o *transform.Object) bool {
	s := c.Service
	part := []any{"spec"}
	if c.Part != "" {
		part = append(part, c.Part)
	}
	has := func(field ...any) bool { return s.Has(append(part[:len(part):len(part)], field...)...) }
	switch c.Kind {
	case kserve.Deployment:
		return has() && !has("worker")
	case kserve.ServiceAccount:
		return !has(kserve.Prefill) && !has("worker") && !has("template", "serviceAccountName")
	case kserve.HorizontalPodAutoscaler:
		return o.Get("metadata", "labels", kserve.LLMPartOf).Str() == kserve.LLMPartOfValue || has("scaling", "wva", "hpa")
	}
	return true
}

// Namesakes returns the objects of the render that block the service, without the autoscalers.
func (m *Model) Namesakes(s *LLMService) []Namesake { return m.namesakes()[s] }

// findNamesakes finds the objects that block services. All of KServe's names have a part in common.
func (m *Model) findNamesakes() map[*LLMService][]Namesake {
	found := map[*LLMService][]Namesake{}
	if len(m.llms.services) == 0 {
		return found
	}
	mayHold := func(text []byte) bool { return bytes.Contains(text, []byte(kserve.LLMDeployment)) }
	m.render.Search(mayHold, func(o *transform.Object) {
		autoscaler := strings.HasSuffix(o.Kind, kserve.ScaledObject.Kind) || o.GroupKind() == kserve.HorizontalPodAutoscaler
		if child, ok := m.BlockedBy(o); ok && !autoscaler {
			found[child.Service] = append(found[child.Service], Namesake{o, child})
		}
	})
	return found
}
