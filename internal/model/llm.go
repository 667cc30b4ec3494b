package model

import (
	"fmt"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// LLMKinds are the kinds that describe LLM services.
var LLMKinds = []transform.GroupKind{kserve.LLMInferenceService, kserve.LLMInferenceServiceConfig}

// LLMService is an LLMInferenceService with the Configs of the render that its baseRefs name. KServe looks for a Config
// in the service's namespace, and then in its own. It merges its presets, the Configs in the order of baseRefs, and the
// service: the last one that has a value decides. It merges lists of containers by name, and does not follow baseRefs
// of a Config (combineBaseRefsConfig and getConfig in pkg/controller/v1alpha2/llmisvc/config_merge.go@v0.20.0).
type LLMService struct {
	*transform.Object
	Layers  []*transform.Object // the Configs, and the service as the last one
	Missing []string            // the names in baseRefs of Configs that are not in the render

	configs map[objectName]*transform.Object // of the render
}

// FindsConfig reports whether the render has a Config with the name where KServe looks for those of the service.
func (s *LLMService) FindsConfig(name string) bool { return s.config(name) != nil }

func (s *LLMService) config(name string) *transform.Object {
	for _, namespace := range append([]string{s.Namespace}, kserve.Namespaces...) {
		if config := s.configs[objectName{namespace, name}]; config != nil {
			return config
		}
	}
	return nil
}

// Value returns the value at a path that counts after the merge, and the layer that it comes from. Both are nil when no
// layer of the render has one.
func (s *LLMService) Value(path ...any) (*yamldoc.Node, *transform.Object) {
	for _, layer := range slices.Backward(s.Layers) {
		if node := layer.Get(path...); !node.IsNull() {
			return node, layer
		}
	}
	return nil, nil
}

// Has reports whether a layer of the render has a value at the path.
func (s *LLMService) Has(path ...any) bool {
	node, _ := s.Value(path...)
	return node != nil
}

// llms are the LLM services of the render.
type llms struct {
	services  []*LLMService
	users     map[*transform.Object][]*LLMService // of a Config, and the service itself of a service
	workloads map[targetName]*LLMWorkload
	parts     map[objectName][]*LLMWorkload // by the service
	children  map[childName]LLMChild
	presets   []*transform.Object // Configs that take the place of one

	candidates  map[*transform.Object][]LLMScaleTarget // by autoscaler
	meant       map[*LLMWorkload]int                   // how many autoscalers have it as their only candidate
	autoscalers map[*LLMWorkload][]Autoscaler
}

func (m *Model) findLLMs() *llms {
	found := &llms{
		users: map[*transform.Object][]*LLMService{}, workloads: map[targetName]*LLMWorkload{},
		parts: map[objectName][]*LLMWorkload{}, candidates: map[*transform.Object][]LLMScaleTarget{},
		meant: map[*LLMWorkload]int{}, autoscalers: map[*LLMWorkload][]Autoscaler{}, children: map[childName]LLMChild{},
	}
	configs := map[objectName]*transform.Object{}
	for _, o := range m.render.Objects(kserve.LLMInferenceServiceConfig) {
		configs[objectName{o.Namespace, o.Name}] = o
		if kserve.IsPreset(o.Name) {
			found.presets = append(found.presets, o)
		}
	}
	for _, o := range m.render.Objects(kserve.LLMInferenceService) {
		s := &LLMService{Object: o, configs: configs}
		for _, ref := range o.Get("spec", "baseRefs").List() {
			name := ref.Get("name").Str()
			if config := s.config(name); config != nil {
				s.Layers = append(s.Layers, config)
			} else {
				s.Missing = append(s.Missing, name)
			}
		}
		s.Layers = append(s.Layers, o)
		found.services = append(found.services, s)
		for _, layer := range s.Layers {
			if users := found.users[layer]; len(users) == 0 || users[len(users)-1] != s {
				found.users[layer] = append(users, s)
			}
		}
		for _, w := range s.workloads() {
			found.workloads[targetName{w.Kind, objectName{o.Namespace, w.Name}}] = &w
			at := objectName{o.Namespace, o.Name}
			found.parts[at] = append(found.parts[at], &w)
		}
		for _, c := range kserve.LLMChildren {
			if s.Name != "" {
				found.children[childName{c.Kind, o.Namespace, kserve.ChildName(s.Name, c.Ending)}] = LLMChild{c, s}
			}
		}
	}
	return found
}

// LLMService returns what is known about an LLMInferenceService of the render, nil for any other object.
func (m *Model) LLMService(o *transform.Object) *LLMService {
	for _, s := range m.llms.users[o] {
		if s.Object == o {
			return s
		}
	}
	return nil
}

// LLMUsers returns the services of the render that a Config is merged into. For a service it is the service itself.
func (m *Model) LLMUsers(o *transform.Object) []*LLMService { return m.llms.users[o] }

// LLMVersions returns the candidates that serve the API version of an LLMInferenceService or a Config. There are none
// when the setting names an older release.
func (m *Model) LLMVersions(o *transform.Object) kserve.Versions {
	_, version, _ := strings.Cut(o.APIVersion, "/")
	window, known := kserve.LLM[version]
	if !known {
		return kserve.Versions{}
	}
	return m.Versions.Within(window)
}

// layers returns the objects of the render that are merged with the object: the Configs and services that one of its
// users merges, without the object itself.
func (m *Model) layers(o *transform.Object) (others []*transform.Object) {
	seen := map[*transform.Object]bool{o: true}
	for _, s := range m.LLMUsers(o) {
		for _, layer := range s.Layers {
			if !seen[layer] {
				seen[layer] = true
				others = append(others, layer)
			}
		}
	}
	return others
}

// LLMGroups returns the services and Configs of the render, together with all that they are merged with, with what is
// merged with those, and so on. What one object of a group calls a container is what all of them have to call it.
func (m *Model) LLMGroups() (groups [][]*transform.Object) {
	seen := map[*transform.Object]bool{}
	for _, first := range m.render.Objects(LLMKinds...) {
		if seen[first] {
			continue
		}
		seen[first] = true
		group := []*transform.Object{first}
		for i := 0; i < len(group); i++ {
			for _, s := range m.LLMUsers(group[i]) {
				for _, layer := range s.Layers {
					if !seen[layer] {
						seen[layer] = true
						group = append(group, layer)
					}
				}
			}
		}
		groups = append(groups, group)
	}
	return groups
}

// Anywhere reports whether the object, or one that it is merged with, has a value at the path.
func (m *Model) Anywhere(o *transform.Object, path ...any) bool {
	return slices.ContainsFunc(append(m.layers(o), o), func(layer *transform.Object) bool {
		return !layer.Get(path...).IsNull()
	})
}

// LLMContainer returns the container with the name in a pod template of an LLMInferenceService or a Config. Its Node is
// nil when there is none.
func (m *Model) LLMContainer(o *transform.Object, pod kserve.LLMPod, name string) Container {
	node, path := llmContainer(o, pod, name)
	c := Container{Node: node, Path: path, Name: name}
	for _, layer := range m.layers(o) {
		if other, _ := llmContainer(layer, pod, name); other != nil {
			c.others = append(c.others, other)
		}
	}
	return c
}

func llmContainer(o *transform.Object, pod kserve.LLMPod, name string) (*yamldoc.Node, yamldoc.Path) {
	path := yamldoc.Path{"spec"}.With(pod.Path...).With("containers")
	list := o.Get(path...)
	for i := range list.List() {
		if c := list.Get(i); c.Get("name").Str() == name {
			return c, path.With(i)
		}
	}
	return nil, nil
}

// LLMContainers returns the names of the containers in a pod template of an LLMInferenceService or a Config, after the
// merge with the other layers of the render.
func (m *Model) LLMContainers(o *transform.Object, pod kserve.LLMPod) (names []string) {
	for _, layer := range append(m.layers(o), o) {
		for _, c := range layer.Get(yamldoc.Path{"spec"}.With(pod.Path...).With("containers")...).List() {
			if name := c.Get("name").Str(); name != "" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// PresetReplaced reports whether a Config of the render takes the place of a preset and gives container main of the pod
// this probe with another handler than KServe's own.
func (m *Model) PresetReplaced(pod kserve.LLMPod, probe string) bool {
	return m.replaced()[presetProbe{fmt.Sprint(pod.Path...), probe}]
}

// ReplacesPresets reports whether a Config of the render takes the place of a preset.
func (m *Model) ReplacesPresets() bool { return len(m.llms.presets) > 0 }

// presetProbe is a probe of container main in the pod template at a path.
type presetProbe struct{ pod, probe string }

func (m *Model) findReplaced() map[presetProbe]bool {
	found := map[presetProbe]bool{}
	for _, o := range m.llms.presets {
		for _, pod := range kserve.LLMPods {
			main, _ := llmContainer(o, pod, kserve.MainContainer)
			for _, probe := range Probes {
				if main != nil && HandlerOf(main.Get(probe)) != Handler(pod.Handler) {
					found[presetProbe{fmt.Sprint(pod.Path...), probe}] = true
				}
			}
		}
	}
	return found
}

// MergedElsewhere reports whether another layer has a value at a path of the container.
func (c Container) MergedElsewhere(path ...any) bool {
	return slices.ContainsFunc(c.others, func(other *yamldoc.Node) bool { return !other.Get(path...).IsNull() })
}
