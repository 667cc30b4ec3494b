// Package doctor says what is wrong with the services of a cluster: which one is not well, at risk or out of sync, why,
// and what to change in Git.
package doctor

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/health"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/install"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kubectl"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/policyreport"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// Report is what the doctor says about a cluster.
type Report struct {
	Facts    []Fact
	Unknown  []string // why facts are not known, a line each
	Unread   []Unread
	Services []Service // those that are not well
	Well     int
	Others   []transform.Finding // of objects that belong to none of the services

	hidden  []string             // the kinds of services that could not be read
	scopes  []policyreport.Scope // of the services, for report objects
	reports []ref                // the report objects in the cluster, unless only some services are asked for
	Width   int                  // of the lines of the format text
}

// Unread is what could not be read.
type Unread struct {
	Kinds     []string // all objects of these may be missing; none if it is a single object
	Namespace string   // of that object
	Text      string   // a line
}

// Fact is something known about the cluster.
type Fact struct{ Name, Value string }

// Service is a service that is not well.
type Service struct {
	health.Result
	Application string
	Cause       *Cause              // nil where no object says it
	Findings    []transform.Finding // that explain it, or put it at risk
	Drift       string              // how it differs from Git; "" if it does not, or nobody knows

	ref        ref
	kubectl    string
	apiVersion string
	atRisk     bool
	atZero     bool // whether a Deployment of it asks for no pods, which KServe calls ready
	misread    misreading
}

// Verdict is the health of the service in a word or two.
func (s Service) Verdict() string {
	switch {
	case s.Status != health.Healthy:
		return string(s.Status)
	case s.atRisk:
		return "at risk"
	case s.Drift != "":
		return "out of sync"
	case s.misread.status != "":
		return "misread by Argo CD"
	}
	return "scaled to zero"
}

// isWell reports whether a service with the status is as people want it. They suspend services, and autoscalers take all
// pods, on purpose.
func isWell(status health.Status) bool { return status == health.Healthy || status == health.Suspended }

// Fails reports whether the service needs somebody.
func (s Service) Fails() bool {
	return !isWell(s.Status) || s.atRisk || s.Drift != "" || s.misread.isCertain()
}

// Failed counts the services that need somebody, and the other findings.
func (r Report) Failed() int {
	n := len(r.Others)
	for _, s := range r.Services {
		if s.Fails() {
			n++
		}
	}
	return n
}

// Unseen returns an error if no service was read, and a kind of services could not be: some of them may need somebody.
func (r Report) Unseen() error {
	if r.Well > 0 || len(r.Services) > 0 || len(r.hidden) == 0 {
		return nil
	}
	return fmt.Errorf("no service was read, because these may not be: %s", strings.Join(r.hidden, ", "))
}

// Examine returns what is wrong at a time with the services that are asked for, with the findings about the objects of
// Files that count.
func (c *Cluster) Examine(now time.Time, asked kubectl.Request, findings []transform.Finding) Report {
	report := Report{Facts: c.facts(), Unknown: c.unknown(), Unread: slices.Concat(c.Unread, c.orphans())}
	for _, kind := range health.Kinds {
		if c.unread(kind) != "" && (len(asked.Kinds) == 0 || slices.Contains(asked.Kinds, kind)) {
			report.hidden = append(report.hidden, kind+"s")
		}
	}
	about := map[ref][]transform.Finding{}
	findings = slices.DeleteFunc(slices.Clone(findings), func(f transform.Finding) bool {
		return f.AsStored && c.drift(refTo(f.Object)) == "" // it explains why an object is out of sync
	})
	for _, f := range findings {
		r := c.serviceOf(refTo(f.Object))
		about[r] = append(about[r], f)
	}
	for _, result := range c.fleet.Results(now) {
		if !asked.Means(result.Kind, result.Name) {
			continue
		}
		r := ref{health.Group, result.Kind, result.Namespace, result.Name}
		s := Service{Result: result, Findings: about[r], ref: r, kubectl: c.Kubectl, atRisk: len(about[r]) > 0,
			apiVersion: text(c.objects[r], "apiVersion")}
		delete(about, r)
		s.Application, s.Drift, s.atZero = c.application(r), c.drift(r), len(c.atZero(r)) > 0
		if isWell(s.Status) {
			s.misread = c.misread(r, now)
		}
		report.scopes = append(report.scopes, policyreport.Scope{Namespace: r.namespace, Application: s.Application})
		if result.Status == health.Healthy && !s.Fails() && !s.atZero && s.misread.status == "" {
			report.Well++
			continue
		}
		if result.Status != health.Healthy || s.atZero {
			s.Cause = c.cause(c.objects[r])
		}
		report.Services = append(report.Services, s)
	}
	slices.SortStableFunc(report.Services, func(a, b Service) int {
		return cmp.Or(cmp.Compare(a.rank(), b.rank()), cmp.Compare(a.QualifiedName(), b.QualifiedName()))
	})
	if len(asked.Kinds) > 0 {
		return report
	}
	for _, f := range findings {
		if about[c.serviceOf(refTo(f.Object))] != nil {
			report.Others = append(report.Others, f)
		}
	}
	report.reports = c.reports
	return report
}

// Lacks returns an error for the services that are asked for by name and not there, or whose kind was not read.
func (c *Cluster) Lacks(asked kubectl.Request) error {
	var missing []error
	for _, kind := range asked.Kinds {
		why := c.unread(kind)
		for _, name := range asked.Names[kind] {
			is := func(r ref) bool { return r.group == health.Group && r.kind == kind && r.name == name }
			switch {
			case why != "":
				missing = append(missing, fmt.Errorf("%s %s: not looked at: %s", kind, name, why))
			case !slices.ContainsFunc(c.order, is):
				missing = append(missing, fmt.Errorf("%s %s: not found", kind, name))
			}
		}
	}
	return errors.Join(missing...)
}

// unread returns the line that says why a kind of KServe was not read, "" if it was.
func (c *Cluster) unread(kind string) string {
	i := slices.IndexFunc(c.Unread, func(u Unread) bool { return slices.Contains(u.Kinds, kind) })
	if i < 0 {
		return ""
	}
	return c.Unread[i].Text
}

// orphans returns each service that is not in the input, although something that it owns is.
func (c *Cluster) orphans() (all []Unread) {
	seen := map[ref]bool{}
	for _, r := range c.order {
		for _, item := range list(c.objects[r], "metadata", "ownerReferences") {
			group, _, _ := strings.Cut(text(item, "apiVersion"), "/")
			owner := ref{group, text(item, "kind"), r.namespace, text(item, "name")}
			if owner.kind == "LocalModelCache" {
				owner.namespace = "" // it is in none
			}
			isService := group == health.Group && slices.Contains(health.Kinds, owner.kind) && c.unread(owner.kind) == ""
			if isService && c.objects[owner] == nil && !seen[owner] {
				seen[owner] = true
				all = append(all, Unread{
					Namespace: owner.namespace, Text: fmt.Sprintf("%s: it is not in the input, and %s belongs to it", owner, r),
				})
			}
		}
	}
	return all
}

// atZero returns the Deployments that KServe made of a service and that ask for no pods. Knative makes those of its own.
func (c *Cluster) atZero(service ref) (all []ref) {
	for _, r := range c.children[text(c.objects[service], "metadata", "uid")] {
		if r.kind == "Deployment" && health.At(c.objects[r], "spec", "replicas") == float64(0) {
			all = append(all, r)
		}
	}
	return all
}

// urgency lists the health statuses, the most urgent first.
var urgency = []health.Status{health.Degraded, health.Missing, health.Unknown, health.Progressing, health.Healthy,
	health.Suspended}

func (s Service) rank() int { return slices.Index(urgency, s.Status) }

// serviceOf returns the service that an autoscaler scales, or the object itself.
func (c *Cluster) serviceOf(r ref) ref {
	target := ref{
		"apps", "Deployment", r.namespace, text(c.objects[r], "spec", "scaleTargetRef", "name"),
	}
	for _, owner := range list(c.objects[target], "metadata", "ownerReferences") {
		if service := (ref{health.Group, text(owner, "kind"), r.namespace, text(owner, "name")}); c.objects[service] != nil {
			return service
		}
	}
	return r
}

// facts returns what is known about the cluster.
func (c *Cluster) facts() []Fact {
	facts := []Fact{
		{"KServe", cmp.Or(c.Version, c.Facts.Version.Value, "unknown release")},
		{"default deployment mode", cmp.Or(c.Mode, c.Facts.Mode.Value, "unknown")},
	}
	for _, counted := range []struct {
		name  string
		kinds []string
	}{
		{"services", health.Kinds},
		{"runtimes", []string{"ServingRuntime", "ClusterServingRuntime"}},
		{"autoscalers", []string{kserve.HorizontalPodAutoscaler.Kind, kserve.ScaledObject.Kind,
			kserve.HTTPScaledObject.Kind}},
		{"pods", []string{"Pod"}},
		{"Applications", []string{"Application"}},
	} {
		facts = append(facts, Fact{counted.name, strconv.Itoa(c.count(counted.kinds...))})
	}
	return facts
}

// unknown returns why the cluster does not tell what no setting names either.
func (c *Cluster) unknown() (lines []string) {
	for _, fact := range []struct {
		set   string
		found install.Fact
	}{{c.Version, c.Facts.Version}, {c.Mode, c.Facts.Mode}} {
		if fact.set == "" && fact.found.Value == "" {
			lines = append(lines, fmt.Sprintf("%v; the flag --%s gives it", fact.found.Missing(), fact.found.Setting))
		}
	}
	return lines
}
