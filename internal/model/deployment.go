package model

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// NameMatch is how a name fits the Deployment of a component.
type NameMatch uint8

// The matches, the best first.
const (
	CurrentName NameMatch = iota // the Deployment has the name
	LegacyName                   // it had the name, with the suffix -default, before KServe 0.11
	StaleName                    // it had the name before the service got a prefix or suffix, or its predictor a name
	OtherObject                  // it never had the name: the target is the service, or a Knative Service
)

// ScaleTarget is a component of a service, as the target of an autoscaler.
type ScaleTarget struct {
	Service    *Service
	Component  string
	Deployment string // the present name of its Deployment
	Match      NameMatch
}

// deployments are the names of the Deployments that KServe makes for services.
type deployments struct {
	versions kserve.Versions
	services []*Service                   // those of the render, and then those that are Elsewhere
	named    map[objectName][]int         // the indexes of the services with a name in services
	owners   map[objectName][]ScaleTarget // by the Deployment; also under everywhere
}

func newDeployments(versions kserve.Versions, services []*Service) *deployments {
	d := &deployments{
		versions: versions,
		named:    make(map[objectName][]int, len(services)),
		owners:   make(map[objectName][]ScaleTarget, 2*len(services)),
	}
	d.add(services)
	return d
}

func (d *deployments) add(services []*Service) {
	own := func(s *Service, name string, t ScaleTarget) {
		for _, namespace := range []string{s.Namespace, everywhere} {
			at := objectName{namespace, name}
			d.owners[at] = append(d.owners[at], t)
		}
	}
	for _, s := range services {
		at := objectName{s.Namespace, s.Name}
		d.named[at] = append(d.named[at], len(d.services))
		d.services = append(d.services, s)
		if s.Name == "" { // generateName: the Deployments have no names yet
			continue
		}
		for _, component := range s.Components() {
			names := s.deployments(d.versions, component)
			for _, name := range names {
				own(s, name, ScaleTarget{s, component, name, CurrentName})
			}
			if component != kserve.Router && !d.versions.All(kserve.LegacyNamesGone) {
				name := kserve.ComponentName(s.Name, component) + "-default"
				own(s, name, ScaleTarget{s, component, names[0], LegacyName})
			}
		}
	}
}

// deployments returns the names that the component's Deployments can have, the most likely first. From KServe 0.20 on,
// a predictor's name is part of the Deployment's name, and each canary has its own Deployment.
func (s *Service) deployments(v kserve.Versions, component string) []string {
	plain := kserve.ComponentName(s.Name, component)
	if component != kserve.Predictor || !v.Any(kserve.NamedPredictor) {
		return []string{plain}
	}
	named := func(predictor string) string { return kserve.ComponentName(s.Name+"-"+predictor, component) }
	var names []string
	if s.predictors[0] == "" || !v.All(kserve.NamedPredictor) {
		names = append(names, plain)
	}
	for _, predictor := range s.predictors {
		if predictor != "" {
			names = append(names, named(predictor))
		}
	}
	return names
}

// ChildNames returns the names of the Deployments that KServe makes for a component, the predictor's own first. In
// Knative mode the first one is the name of its Knative Service. Certain is false if they depend on the release.
func (m *Model) ChildNames(s *Service, component string) (names []string, certain bool) {
	names = s.deployments(m.Versions, component)
	return names, len(names) == 1 || m.Versions.All(kserve.NamedPredictor)
}

// NameOwner returns the component for which KServe uses the name in the object's namespace, nil when there is none. Its
// service may run in Standard mode.
func (m *Model) NameOwner(o *transform.Object, name string) *ScaleTarget {
	return m.owner(objectName{o.Namespace, name}, func(*Service) bool { return true })
}

// PossibleNameOwner is NameOwner for a service that may share the object's namespace, because only one of the two names
// its namespace.
func (m *Model) PossibleNameOwner(o *transform.Object, name string) *ScaleTarget {
	if o.Namespace != "" {
		return m.owner(objectName{"", name}, func(*Service) bool { return true })
	}
	return m.owner(objectName{everywhere, name}, func(s *Service) bool { return s.Namespace != "" })
}

func (m *Model) owner(at objectName, matches func(*Service) bool) *ScaleTarget {
	for _, t := range m.deployments().owners[at] {
		if t.Service.MayBeStandard() && matches(t.Service) {
			return &t
		}
	}
	return nil
}

// findCandidates works out the candidates of an autoscaler.
func (m *Model) findCandidates(a Autoscaler) []ScaleTarget {
	kind, name := a.Target()
	if kind == "" || name == "" || m.llms.workloads[targetName{kind, objectName{a.Namespace, name}}] != nil {
		return nil
	}
	for _, t := range m.deployments().owners[objectName{a.Namespace, name}] {
		another := t.Component == kserve.Router && m.renders(a.Namespace, kind, name)
		if kind == DeploymentTarget && t.Match == CurrentName && !another {
			return []ScaleTarget{t}
		}
	}
	var meant []ScaleTarget
	for _, s := range m.similar(a, name) {
		for _, component := range s.Components() {
			if match, ok := matchTarget(a.Name, kind, name, s, component); ok {
				meant = append(meant, ScaleTarget{s, component, s.deployments(m.Versions, component)[0], match})
			}
		}
	}
	scalable := kind == DeploymentTarget || kind == KnativeServiceTarget // else the target is the service itself
	if meant != nil && scalable && m.renders(a.Namespace, kind, name) {
		return nil
	}
	isOwner := func(t ScaleTarget) bool { return a.Owner() != "" && t.Service.Name == a.Owner() }
	if i := slices.IndexFunc(meant, isOwner); i >= 0 {
		return meant[i : i+1]
	}
	return meant
}

// similar returns the services for which [matchTarget] may find a match: those in the autoscaler's namespace whose name
// is the target's without an ending, with a prefix and a suffix that the autoscaler has too.
func (m *Model) similar(a Autoscaler, target string) (services []*Service) {
	var found []int
	prefixes, suffixes := affixes(a.Name)
	for _, ending := range targetEndings {
		original, ok := strings.CutSuffix(target, ending)
		if !ok {
			continue
		}
		for _, prefix := range prefixes {
			for _, suffix := range suffixes {
				found = append(found, m.deployments().named[objectName{a.Namespace, prefix + original + suffix}]...)
			}
		}
	}
	slices.Sort(found)
	for _, i := range slices.Compact(found) {
		services = append(services, m.deployments().services[i])
	}
	return services
}

// targetEndings are what may follow the name of a service in the name of a target.
var targetEndings = []string{"",
	"-" + kserve.Predictor, "-" + kserve.Transformer, "-" + kserve.Explainer,
	"-" + kserve.Predictor + "-default", "-" + kserve.Transformer + "-default", "-" + kserve.Explainer + "-default"}

// longestName is the length of the longest name that Kubernetes admits for an object
// (DNS1123SubdomainMaxLength, pkg/util/validation/validation.go@v0.34.5 of k8s.io/apimachinery).
const longestName = 253

// affixes returns the prefixes and suffixes that kustomize may have given to the object with the name.
func affixes(name string) (prefixes, suffixes []string) {
	if len(name) > longestName {
		return []string{""}, []string{""}
	}
	for i := range len(name) + 1 {
		if separated(name[:i], "") {
			prefixes = append(prefixes, name[:i])
		}
		if separated("", name[i:]) {
			suffixes = append(suffixes, name[i:])
		}
	}
	return prefixes, suffixes
}

// matchTarget returns how a target that is not one of KServe's Deployments stands for a component. Ok is false if it
// does not. A target that stands for the whole service stands for its predictor.
func matchTarget(autoscaler, kind, name string, s *Service, component string) (match NameMatch, ok bool) {
	plain := kserve.ComponentName(s.Name, component)
	predictor := component == kserve.Predictor
	switch {
	case s.IsGraph():
		return matchGraph(autoscaler, kind, name, s.Name)
	case kind == DeploymentTarget && name == plain+"-default":
		return LegacyName, true
	case kind == DeploymentTarget && (name == plain || affixed(name, "-"+component, s.Name, autoscaler)):
		return StaleName, true
	case predictor && name == s.Name && kind != InferenceGraphTarget,
		kind == KnativeServiceTarget && (name == plain || name == plain+"-default"),
		kind == InferenceServiceTarget && predictor && (name == plain || affixed(name, "", s.Name, autoscaler)):
		return OtherObject, true
	}
	return 0, false
}

// matchGraph is matchTarget for a graph.
func matchGraph(autoscaler, kind, name, graph string) (match NameMatch, ok bool) {
	before := affixed(name, "", graph, autoscaler)
	switch kind {
	case DeploymentTarget:
		return StaleName, before
	case KnativeServiceTarget:
		return OtherObject, name == graph
	case InferenceGraphTarget:
		return OtherObject, name == graph || before
	}
	return 0, false
}

// affixed reports whether the target was the service's name with the ending before kustomize gave the service, and the
// autoscaler with it, a name prefix or suffix. Kustomize does not know that KServe derives the name in scaleTargetRef
// from the service's name.
func affixed(target, ending, service, autoscaler string) bool {
	original, ok := strings.CutSuffix(target, ending)
	if !ok || original == "" || original == service {
		return false
	}
	for at := 0; ; at++ {
		i := strings.Index(service[at:], original)
		if i < 0 {
			return false
		}
		at += i
		prefix, suffix := service[:at], service[at+len(original):]
		if separated(prefix, suffix) && strings.HasPrefix(autoscaler, prefix) && strings.HasSuffix(autoscaler, suffix) {
			return true
		}
	}
}

// separated reports whether what is between prefix and suffix is a whole word: iris is not one in irises.
func separated(prefix, suffix string) bool {
	last, _ := utf8.DecodeLastRuneInString(prefix)
	first, _ := utf8.DecodeRuneInString(suffix)
	return (prefix == "" || !alphanumeric(last)) && (suffix == "" || !alphanumeric(first))
}

func alphanumeric(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
