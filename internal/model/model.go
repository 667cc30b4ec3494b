// Package model works out what KServe makes of a render: which services run in which mode, which containers get its
// agent, what a user's autoscaler scales, and what refers to that autoscaler.
package model

import (
	"sync"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// Model is a render as KServe sees it. It does not change after New.
type Model struct {
	Versions    kserve.Versions
	DefaultMode kserve.Mode // of the cluster; empty when unknown

	render      *transform.Snapshot
	services    map[*transform.Object]*Service
	candidates  map[*transform.Object][]ScaleTarget  // by autoscaler
	meant       map[ScaleTarget]int                  // how many autoscalers have the Target, by Deployment
	autoscalers map[*Service]map[string][]Autoscaler // by service and component
	llms        *llms

	deployments func() *deployments // this and the following are built at the first call

	references func() *references
	runtimes   func() *runtimes
	hpaNames   func() *hpaNames
	targets    func() map[targetName]bool
	namesakes  func() map[*LLMService][]Namesake
	replaced   func() map[presetProbe]bool
	claimed    func() map[objectName][]*transform.Object
	rivals     func() map[*Service][]Rival
	public     func() map[objectName][]*Service // by the names of their Services or hosts
}

// objectName is the key of an object among those of its kind.
type objectName struct{ namespace, name string }

// everywhere is the namespace of what reaches every namespace.
const everywhere = "*"

// New builds the model of a render.
func New(render *transform.Snapshot, versions kserve.Versions, defaultMode kserve.Mode) *Model {
	services, autoscalers := render.Objects(kserve.InferenceService), usersAutoscalers(render)
	if versions.Any(kserve.StandardGraphs) {
		services = append(services, render.Objects(kserve.InferenceGraph)...)
	}
	m := &Model{
		Versions: versions, DefaultMode: defaultMode, render: render,
		services:    make(map[*transform.Object]*Service, len(services)),
		candidates:  make(map[*transform.Object][]ScaleTarget, len(autoscalers)),
		meant:       map[ScaleTarget]int{},
		autoscalers: map[*Service]map[string][]Autoscaler{},
	}
	m.deployments = sync.OnceValue(func() *deployments { return newDeployments(m.Versions, m.withGraphs()) })
	m.references = sync.OnceValue(func() *references { return findReferences(render) })
	m.runtimes = sync.OnceValue(m.findRuntimes)
	m.targets = sync.OnceValue(func() map[targetName]bool { return findTargets(render) })
	m.namesakes = sync.OnceValue(m.findNamesakes)
	m.replaced = sync.OnceValue(m.findReplaced)
	m.claimed = sync.OnceValue(func() map[objectName][]*transform.Object { return findClaimed(render) })
	m.rivals = sync.OnceValue(m.findRivals)
	m.public = sync.OnceValue(m.findPublic)
	m.hpaNames = sync.OnceValue(func() *hpaNames { return findHPANames(render) })
	for _, o := range services {
		s := newService(o)
		s.order = len(m.services)
		s.containers = sync.OnceValue(func() []Container { return m.findContainers(s) })
		m.services[o] = s
	}
	m.llms = m.findLLMs()
	m.indexAutoscalers(autoscalers)
	m.indexLLMAutoscalers(autoscalers)
	return m
}

// Snapshot returns the render that the model is about.
func (m *Model) Snapshot() *transform.Snapshot { return m.render }

// Service returns what is known about an InferenceService of the render, or about an InferenceGraph if a release in
// question makes Deployments for graphs. It is nil for any other object.
func (m *Model) Service(o *transform.Object) *Service { return m.services[o] }

// Services returns the InferenceServices of the render, in its order.
func (m *Model) Services() []*Service { return m.servicesOf(kserve.InferenceService) }

// withGraphs returns the services of both kinds.
func (m *Model) withGraphs() []*Service {
	all := m.Services()
	if m.Versions.Any(kserve.StandardGraphs) {
		all = append(all, m.servicesOf(kserve.InferenceGraph)...)
	}
	return all
}

func (m *Model) servicesOf(kind transform.GroupKind) (all []*Service) {
	for _, o := range m.render.Objects(kind) {
		all = append(all, m.services[o])
	}
	return all
}
