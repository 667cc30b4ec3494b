// Package policyreport writes results as the objects in which programs such as Policy Reporter show them in a cluster.
package policyreport

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/lazyregexp"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/terminal"
)

// Source is who reports, in every object.
const Source = "argocd-kserve-plugin"

// Form is a kind of report objects.
type Form struct {
	Name       string // as people choose it
	APIVersion string
	Kind       string
	CRD        string // where the CustomResourceDefinition is

	noSource bool // whether only the results have a source
}

// Forms lists the kinds. Both have the same results: apis/openreports.io/v1alpha1/report_types.go of
// openreports/reports-api, and policy-report/pkg/api/wgpolicyk8s.io/v1alpha2/policyreport_types.go of
// kubernetes-sigs/wg-policy-prototypes.
var Forms = []Form{
	{
		Name: "openreports", APIVersion: "openreports.io/v1alpha1", Kind: "Report",
		CRD: "https://github.com/openreports/reports-api",
	},
	{
		Name: "policyreport", APIVersion: "wgpolicyk8s.io/v1alpha2", Kind: "PolicyReport",
		CRD: "https://github.com/kubernetes-sigs/wg-policy-prototypes", noSource: true,
	},
}

// Group returns the API group without the version.
func (f Form) Group() string {
	group, _, _ := strings.Cut(f.APIVersion, "/")
	return group
}

// FormNamed returns the form with a name. ok is false if there is none.
func FormNamed(name string) (form Form, ok bool) {
	i := slices.IndexFunc(Forms, func(f Form) bool { return f.Name == name })
	if i < 0 {
		return Form{}, false
	}
	return Forms[i], true
}

// The outcomes of a result.
const (
	Pass  = "pass"
	Fail  = "fail"
	Warn  = "warn"
	Error = "error" // it is not known
	Skip  = "skip"
)

// Result is what is said about an object.
type Result struct {
	Scope
	Object     Object // none for all of the scope
	Policy     string // of which kind the result is
	Rule       string // which one of the policy
	Category   string
	Severity   string // critical, high, medium, low or info
	Result     string // one of the outcomes
	Message    string
	Properties map[string]string
}

// Object names an object of the cluster.
type Object struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name"`
}

// Scope is what a report object is about. Objects of the cluster, and those that leave it open, have no namespace.
type Scope struct{ Namespace, Application string }

type (
	object struct {
		APIVersion string   `json:"apiVersion"`
		Kind       string   `json:"kind"`
		Metadata   metadata `json:"metadata"`
		Source     string   `json:"source,omitempty"`
		Summary    summary  `json:"summary"`
		Results    []result `json:"results"`
	}
	metadata struct {
		Name        string            `json:"name"`
		Namespace   string            `json:"namespace,omitempty"`
		Labels      map[string]string `json:"labels"`
		Annotations map[string]string `json:"annotations"`
	}
	summary struct {
		Pass  int `json:"pass"`
		Fail  int `json:"fail"`
		Warn  int `json:"warn"`
		Error int `json:"error"`
		Skip  int `json:"skip"`
	}
	result struct {
		Source     string            `json:"source"`
		Policy     string            `json:"policy"`
		Rule       string            `json:"rule,omitempty"`
		Category   string            `json:"category,omitempty"`
		Severity   string            `json:"severity,omitempty"`
		Result     string            `json:"result"`
		Message    string            `json:"message"`
		Objects    []Object          `json:"resources,omitempty"`
		Properties map[string]string `json:"properties,omitempty"`
	}
)

// syncOption has Argo CD plan a sync that applies a written report object together with the CustomResourceDefinition
// (docs/user-guide/sync-options.md). Where the definition never comes, the sync fails nevertheless.
var syncOption = map[string]string{"argocd.argoproj.io/sync-options": "SkipDryRunOnMissingResource=true"}

// mostResults and mostBytes are how many results an object has, and how much of them as JSON: Argo CD and kubectl copy it
// into an annotation. All annotations together may have 256 KiB (TotalAnnotationSizeLimitB in
// pkg/api/validation/objectmeta.go of k8s.io/apimachinery@v0.34.5), of which 16 are left for others and for the rest of
// the object.
const (
	mostResults = 200
	mostBytes   = 240 << 10
)

// Documents returns a report object for each scope, in the order of namespaces and names: of those given, which
// may have no results, and of those that the results name. The worst results stand first, and where there is no room for
// all the summary counts them nevertheless. An object without results says that nothing was found. It has neither times
// nor counts of anything else, so equal results make equal bytes.
func (f Form) Documents(name string, scopes []Scope, results []Result) ([][]byte, error) {
	by := map[place][]result{}
	for _, s := range scopes {
		by[s.place(name)] = nil
	}
	for _, r := range results {
		var objects []Object
		if r.Object != (Object{}) {
			objects = []Object{r.Object}
		}
		at := r.Scope.place(name)
		by[at] = append(by[at], result{
			Source, r.Policy, r.Rule, r.Category, r.Severity, r.Result, terminal.QuoteLines(r.Message), objects, r.Properties,
		})
	}
	var documents [][]byte
	for _, at := range sorted(by) {
		o, err := f.object(name, at, by[at])
		if err != nil {
			return nil, err
		}
		document, err := yaml.Marshal(o)
		if err != nil {
			return nil, err
		}
		documents = append(documents, document)
	}
	return documents, nil
}

// place is where a report object is in a cluster.
type place struct{ namespace, name string }

func sorted(by map[place][]result) []place {
	return slices.SortedFunc(maps.Keys(by), func(a, b place) int {
		return cmp.Or(cmp.Compare(a.namespace, b.namespace), cmp.Compare(a.name, b.name))
	})
}

func (f Form) object(name string, at place, results []result) (object, error) {
	o := object{
		APIVersion: f.APIVersion, Kind: f.Kind, Source: Source,
		Metadata: metadata{
			Name: at.name, Namespace: at.namespace,
			Labels: map[string]string{"app.kubernetes.io/managed-by": Source}, Annotations: syncOption,
		},
	}
	if f.noSource {
		o.Source = ""
	}
	if len(results) == 0 {
		results = []result{{Source: Source, Policy: name, Result: Pass, Message: "no findings"}}
	}
	for _, r := range results {
		switch r.Result {
		case Pass:
			o.Summary.Pass++
		case Fail:
			o.Summary.Fail++
		case Warn:
			o.Summary.Warn++
		case Error:
			o.Summary.Error++
		case Skip:
			o.Summary.Skip++
		}
	}
	kept, err := fitting(results)
	if o.Results = kept; len(kept) < len(results) {
		o.Results = append(o.Results, result{Source: Source, Policy: "more", Result: Skip,
			Message: fmt.Sprintf("%d more: an object that Argo CD applies has room for no more", len(results)-len(kept))})
	}
	return o, err
}

// worst lists the outcomes, the worst first.
var worst = []string{Fail, Error, Warn, Skip, Pass}

// fitting returns the results that an object has room for, the worst first.
func fitting(results []result) ([]result, error) {
	slices.SortStableFunc(results, func(a, b result) int {
		return cmp.Compare(slices.Index(worst, a.Result), slices.Index(worst, b.Result))
	})
	size := 0
	for i, r := range results {
		data, err := json.Marshal(r)
		if size += len(data) + len(","); err != nil || i == mostResults || size > mostBytes {
			return results[:i:i], err
		}
	}
	return results, nil
}

// notInName are the characters that the name of an object can't have. Argo CD writes namespace_name for an Application
// outside of its own namespace.
var notInName = lazyregexp.New(`[^a-z0-9.-]+`)

// noNamespace is in the name of an object without a namespace: whoever applies it puts it into one, which may have an
// object of the same application. What follows a name because of an application begins with another character.
const noNamespace = ".no-namespace"

func (s Scope) place(name string) place {
	if s.Namespace == "" {
		name += noNamespace
	}
	if s.Application != "" {
		name += "-" + strings.Trim(notInName().ReplaceAllString(strings.ToLower(s.Application), "."), ".-")
	}
	return place{s.Namespace, name}
}

// ScopeOf returns the scope of the report object with a name, in whatever namespace somebody has put it. ok is false if
// Documents does not give it that name.
func ScopeOf(name, namespace, object string) (s Scope, ok bool) {
	rest, ok := strings.CutPrefix(object, name)
	if after, found := strings.CutPrefix(rest, noNamespace); found {
		namespace, rest = "", after
	}
	application, found := strings.CutPrefix(rest, "-")
	return Scope{namespace, application}, ok && (found || rest == "")
}

// Write writes the documents as one stream.
func (f Form) Write(w io.Writer, name string, scopes []Scope, results []Result) error {
	documents, err := f.Documents(name, scopes, results)
	if err != nil {
		return err
	}
	for i, document := range documents {
		if i > 0 {
			document = append([]byte("---\n"), document...)
		}
		if _, err := w.Write(document); err != nil {
			return err
		}
	}
	return nil
}
