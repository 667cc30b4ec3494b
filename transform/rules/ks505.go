package rules

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks505.md
var ks505Doc string

var longName = &transform.Rule{
	ID:    "KS505",
	Name:  "long-name",
	Title: "The name of a service is too long for what KServe makes of it",
	Doc:   ks505Doc,
	Issues: []string{
		"https://github.com/kserve/kserve/issues/4807", "https://github.com/kserve/kserve/issues/4208",
	},
	Since:    transform.Release{0, 2},
	Kinds:    scaledKinds,
	Example:  "unknown/long",
	Severity: transform.Error,
	Run:      run(checkLongName),
}

// checkLongName measures what Standard mode makes of a name: the label app of each component's pods, isvc.NAME, a
// label's value (GetRawServiceLabel and GetRawWorkerServiceLabel in pkg/constants/constants.go@v0.11.2 to @v0.20.0),
// and its host, NAME-NAMESPACE, a label of a DNS name. KServe works out the host before it makes anything, also for a
// service without an Ingress (createRawURL in reconcilers/raw/raw_kube_reconciler.go and GenerateDomainName in
// reconcilers/ingress/domain.go, with the domainTemplate of config/configmap/inferenceservice.yaml, at the same tags;
// of graphs in pkg/controller/v1alpha1/inferencegraph/raw_ig.go@v0.12.0 to @v0.20.0).
func checkLongName(p *pass) {
	s := p.KServe.Service(p.Object)
	if s == nil || s.Mode != kserve.Standard || s.Name == "" || isPlaceholder(s.Name) {
		return
	}
	at := yamldoc.Path{"metadata", "name"}
	host := longestHost(p, s) + "-" + s.Namespace
	longHost := s.Namespace != "" && !isPlaceholder(s.Namespace) && len(host) > longestLabel
	name := longestPods(p, s)
	if pods := "isvc." + name; len(pods) > longestLabel {
		excess := len(pods) - longestLabel
		f := transform.Report{At: at, Category: "pods", Message: fmt.Sprintf("no pod starts, because KServe gives the "+
			"pods the label app: %s, and a label's value has at most %d characters: shorten %s by %d", pods, longestLabel,
			shorten(ownNames(s, name), excess), excess)}
		if longHost && len(host) > len(pods) {
			f.Message += fmt.Sprintf(", or by %d if the host is %s.DOMAIN", len(host)-longestLabel, host)
		}
		p.Report(f)
		return
	}
	if !longHost {
		return
	}
	excess := len(host) - longestLabel
	p.Report(transform.Report{At: at, Category: "host", Severity: transform.Warning, Message: fmt.Sprintf("no pod "+
		"starts, because KServe makes the host %s.DOMAIN, and between two dots a host has at most %d characters: shorten "+
		"%s by %d; fine if the domainTemplate of the ConfigMap %s has a dot between the two", host, longestLabel,
		shorten(append(ownNames(s, host), ownName{"the namespace", s.Namespace}), excess), excess, kserve.ConfigMap)})
}

// ownName is a name that people give.
type ownName struct{ what, name string }

// ownNames returns which names of a service can get shorter, so that one that KServe makes of them does: its own, and that
// of the component.
func ownNames(s *model.Service, made string) []ownName {
	names := []ownName{{"the name", s.Name}}
	for _, component := range s.Components() {
		if name := s.Get("spec", component, "name").Str(); name != "" && strings.HasPrefix(made, s.Name+"-"+name+"-") {
			names = append(names, ownName{component + ".name", name})
		}
	}
	return names
}

// shorten names those that have more than so many characters, or all if none has.
func shorten(names []ownName, by int) string {
	var long, all []string
	for _, n := range names {
		all = append(all, n.what)
		if len(n.name) > by {
			long = append(long, n.what)
		}
	}
	if long == nil {
		return joined(all, "and") + " together"
	}
	return joined(long, "or")
}

// longestHost returns the longest name of a component that KServe makes for certain. All of them get a host.
func longestHost(p *pass, s *model.Service) (longest string) {
	for _, component := range s.Components() {
		names, certain := p.KServe.ChildNames(s, component)
		if !certain {
			names = names[:1]
		}
		for _, name := range names {
			if len(name) > len(longest) {
				longest = name
			}
		}
	}
	return longest
}

// longestPods is longestHost with the name of the workers, who have no host. Of two that are equally long it is theirs,
// because no name of a component makes it shorter.
func longestPods(p *pass, s *model.Service) string {
	longest := longestHost(p, s)
	if workers := kserve.WorkerName(s.Name); s.HasWorkers() && len(workers) >= len(longest) {
		return workers
	}
	return longest
}
