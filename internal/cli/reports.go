package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/cli/flags"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/origin"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/paths"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/policyreport"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/report"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/run"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/terminal"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/version"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/rules"
)

// checked is an outcome with the findings as check reports them.
type checked struct {
	*run.Outcome
	open, accepted []transform.Finding
	fails          func(transform.Finding) bool
}

// newChecked returns the outcome for reports; otherwise is fail-on where it is not set.
func newChecked(o *run.Outcome, otherwise string) *checked {
	return &checked{o, slices.Concat(o.Problems(), o.Unused), o.Accepted, o.Fails(otherwise)}
}

// report returns what the formats write.
func (c *checked) report(env *Env) report.Report {
	var restarts []string
	for _, o := range restarted(c.Outcome) {
		restarts = append(restarts, o.String())
	}
	places := origin.Of(env.caller.Dir, c.open)
	return report.Report{
		Findings: c.open, Accepted: c.accepted, Rules: rules.Documented,
		Objects: c.Objects(), Scopes: scopes(env, c.Outcome), Sources: c.sources(env), Version: version.Current().Version,
		Place: places.Find, Distinct: distinct(c.Outcome, places), Path: env.caller.Dir.Shown, Restarts: restarts, Fails: c.fails,
		Diff: func() (string, error) {
			diff, err := diffs(env, c.Outcome, quoted)
			return string(diff), err
		},
	}
}

// distinct returns the function that has findings once that several sources have alike.
func distinct(o *run.Outcome, places *origin.Places) func([]transform.Finding) []transform.Finding {
	if len(o.Each()) == 1 {
		return func(findings []transform.Finding) []transform.Finding { return findings }
	}
	return places.Distinct
}

// distinct returns findings of an outcome, those that several sources have alike once.
func (env *Env) distinct(o *run.Outcome, findings []transform.Finding) []transform.Finding {
	return distinct(o, origin.Of(env.caller.Dir, o.Findings()))(findings)
}

// scopes returns the namespaces and applications of the objects, some of them several times.
func scopes(env *Env, o *run.Outcome) []policyreport.Scope {
	var all []policyreport.Scope
	for _, part := range o.Each() {
		namespace := destination(env, part)
		for _, object := range rules.Written(part.Result) {
			all = append(all, scopeOf(env, report.ScopeOf(object), namespace))
		}
	}
	return all
}

// scopeOf adds the Application that Argo CD renders, and the namespace of what has none.
func scopeOf(env *Env, s policyreport.Scope, namespace string) policyreport.Scope {
	s.Application = cmp.Or(s.Application, env.caller.Getenv("ARGOCD_APP_NAME"))
	s.Namespace = cmp.Or(s.Namespace, namespace)
	return s
}

// destination returns the namespace into which Argo CD puts what has none. In an Application without a destination
// namespace it refuses such objects ("Namespace for ... is missing", controller/state.go of argo-cd@v2.14.21), so there
// it is the first that an object names, "" if none does.
func destination(env *Env, o *run.Outcome) string {
	namespace := env.caller.Getenv("ARGOCD_APP_NAMESPACE")
	if namespace != "" || env.caller.Getenv("ARGOCD_APP_NAME") == "" {
		return namespace
	}
	for _, object := range rules.Written(o.Result) {
		if namespace == "" || object.Namespace != "" && object.Namespace < namespace {
			namespace = object.Namespace
		}
	}
	return namespace
}

// reportObjects returns the objects that the setting report adds to the manifests. Where Argo CD says which kinds the
// cluster has, there are none of a kind that is missing, because they would fail the sync.
func reportObjects(env *Env, o *run.Outcome) (documents [][]byte, err error) {
	for _, part := range o.Each() {
		form, ok := policyreport.FormNamed(part.Settings.Report)
		if !ok {
			continue
		}
		if kinds := env.caller.Getenv("KUBE_API_VERSIONS"); kinds != "" &&
			!slices.Contains(strings.Split(kinds, ","), form.APIVersion+"/"+form.Kind) {
			o.Warnings = append(o.Warnings, fmt.Sprintf("report is %s, and the cluster has no %s of %s: install its "+
				"CustomResourceDefinition from %s", form.Name, form.Kind, form.APIVersion, form.CRD))
			continue
		}
		namespace := destination(env, part)
		if namespace == "" && env.caller.Getenv("ARGOCD_APP_NAME") != "" {
			o.Warnings = append(o.Warnings, fmt.Sprintf("report is %s, and neither the Application nor its objects have a "+
				"namespace: set spec.destination.namespace to get a %s", form.Name, form.Kind))
			continue
		}
		results := report.PolicyResults(slices.Concat(part.Left(), part.Unused, part.Accepted))
		for i := range results {
			results[i].Scope = scopeOf(env, results[i].Scope, namespace)
		}
		more, err := form.Documents(policyreport.Source, scopes(env, part), results)
		if err != nil {
			return nil, err
		}
		documents = append(documents, more...)
	}
	return documents, nil
}

// accept sets the findings aside that the baseline in a file accepts, and warns if entries accept none.
func (c *checked) accept(env *Env, file string) error {
	forbids := func(part *run.Outcome) bool { return part.Settings.Suppressions == rules.SuppressionsForbid }
	if slices.ContainsFunc(c.Each(), forbids) {
		return errors.New("flag --baseline: the setting suppressions forbids accepting findings")
	}
	data, err := os.ReadFile(env.caller.Dir.Absolute(file))
	if err != nil {
		return fmt.Errorf("flag --baseline: %s: %w; write one with -o baseline=%s", file, paths.Reason(err), file)
	}
	baseline, err := report.ReadBaseline(data)
	if err != nil {
		return fmt.Errorf("flag --baseline: %s: %w", file, err)
	}
	open, accepted, unused := baseline.Accept(c.open, c.sources(env))
	c.open, c.accepted = open, append(c.accepted, accepted...)
	if baseline.IsFirst() {
		c.Warnings = append(c.Warnings, fmt.Sprintf("%s: a baseline in the earlier form, JSON; it works, and "+
			"-o baseline=%s writes it as text, one finding a line", file, file))
	}
	if len(unused) > 0 {
		c.Warnings = append(c.Warnings, fmt.Sprintf(
			"%s: accepts %s no longer there, such as %s; -o baseline=%s writes it anew",
			file, terminal.Count(len(unused), "finding"), unused[0], file))
	}
	return nil
}

// sources returns the paths of what was checked, sorted.
func (c *checked) sources(env *Env) []string {
	var all []string
	for _, part := range c.Each() {
		all = append(all, env.caller.Dir.Shown(part.Path))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// writeReports writes the files, then the report for standard output. The tail goes after a report for people.
func (env *Env) writeReports(ctx context.Context, to []flags.Destination, r report.Report, tail string) error {
	contents := make([]bytes.Buffer, len(to))
	for i, d := range to {
		own := r
		if own.Color = r.Color && d.File == ""; d.Text {
			own.Tail = tail
		}
		if err := d.Write(&contents[i], own); err != nil {
			return err
		}
	}
	for i, d := range to {
		if d.File == "" {
			continue
		}
		if err := env.writeFile(ctx, d.File, contents[i].Bytes()); err != nil {
			return err
		}
	}
	for i, d := range to {
		if d.File == "" {
			return env.write(ctx, contents[i].Bytes())
		}
	}
	return nil
}
