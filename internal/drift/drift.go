// Package drift says which fields Argo CD sees differ permanently between Git and the cluster, and writes the
// ignoreDifferences for those that no rule repairs. docs/evidence/compatibility.md has what was measured.
package drift

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// Comparison is a way in which Argo CD compares an object with Git.
type Comparison string

// The ways to compare.
const (
	Client     Comparison = "client"     // three-way, with what was applied last: Argo CD's default
	Structured Comparison = "structured" // by the kind's schema: ServerSideApply=true without ServerSideDiff
	Server     Comparison = "server"     // with a dry run of the API server: ServerSideApply and ServerSideDiff
)

// Comparisons are the ways to compare, the default first.
var Comparisons = []Comparison{Client, Structured, Server}

// Difference is a field that the cluster does not store as Git has it.
type Difference struct {
	Object *transform.Object
	At     yamldoc.Path
	By     string // who changes the field
	Rule   string // ID of the rule that repairs it; empty if none does
	Reason string // why none does
	ByHand string // what people have to do where not even ignoreDifferences helps; else empty
}

// Left says why no rule repairs the difference, or what people have to do; it is empty if one does.
func (d Difference) Left() string {
	if d.Rule != "" {
		return ""
	}
	return cmp.Or(d.ByHand, d.Reason)
}

// Catalogue returns the rules that find all differences that a way to compare may show: the catalogue, and rules for
// what none of it can repair.
func Catalogue(catalogue []*transform.Rule, c Comparison) []*transform.Rule {
	all := append(slices.Clip(catalogue), openDataHub)
	if c == Structured {
		all = append(all, additions)
	}
	return all
}

// Differences returns what a way to compare shows, sorted as findings are. There are two results for the same files:
// all is that of every rule of Catalogue without suppressions, and repaired what the user's settings make of them.
// The release of Argo CD may be unknown.
func Differences(all, repaired *transform.Result, c Comparison, argocd string) []Difference {
	known := map[string]transform.Finding{}
	for _, f := range repaired.Findings() {
		known[key(f)] = f
	}
	var differences []Difference
	for _, f := range transform.Sorted(all.Findings()) {
		if !f.AsStored {
			continue
		}
		d := Difference{Object: f.Object}
		if now, found := known[key(f)]; found && now.Repaired() {
			d.Rule = f.Rule.ID
		} else {
			d.Reason = reason(f, now, found)
		}
		for _, at := range fields(f) {
			d.At, d.By, d.ByHand = at, changedBy(f, at), byHand(f, at, c, argocd)
			if d.ByHand != "" || shows(at, c, argocd) {
				differences = append(differences, d)
			}
		}
	}
	return differences
}

// Unplugged returns what is left of differences where Argo CD renders the manifests without the plugin: all of them.
func Unplugged(differences []Difference) []Difference {
	left := slices.Clone(differences)
	for i := range left {
		if d := &left[i]; d.Rule != "" {
			d.Rule, d.Reason = "", d.Rule+" would, if the Application used the plugin"
		}
	}
	return left
}

// Repaired returns how many of differences a rule repairs.
func Repaired(differences []Difference) (n int) {
	for _, d := range differences {
		if d.Rule != "" {
			n++
		}
	}
	return n
}

// Distinct returns differences in a new slice, each once: several Applications may render an object alike.
func Distinct(differences []Difference) []Difference {
	seen := map[string]bool{}
	return slices.DeleteFunc(slices.Clone(differences), func(d Difference) bool {
		key := fmt.Sprintf("%s\n%s\n%v\n%s\n%s\n%s", d.Object.File.Path, d.Object, d.At, d.By, d.Rule, d.Left())
		known := seen[key]
		seen[key] = true
		return known
	})
}

// key identifies a finding in several runs over the same files.
func key(f transform.Finding) string {
	return fmt.Sprint(f.Rule.ID, " ", f.Object.File.Path, " ", f.Line, " ", f.Object, " ", f.At)
}

// reason says why a difference is not repaired: now is the finding that the user's settings leave of it, if found.
func reason(f, now transform.Finding, found bool) string {
	switch {
	case f.Rule == additions, f.Rule == openDataHub:
		return f.Unrepaired
	case !found:
		return fmt.Sprintf("the rule %s is switched off, or its finding is accepted", f.Rule.ID)
	default:
		return strings.TrimPrefix(now.Text(), now.Message+"; not repaired: ")
	}
}

// fields returns the fields that a finding is about: its own, and those beside it that its edits change.
func fields(f transform.Finding) []yamldoc.Path {
	all := []yamldoc.Path{f.At}
	for _, e := range f.Edits {
		if !slices.ContainsFunc(all, e.Path.Overlaps) {
			all = append(all, e.Path)
		}
	}
	return all
}

// The rules about fields that KServe leaves alone.
const (
	liveFields   = "KS605"
	prunedFields = "KS606"
)

// pruned reports whether the API server drops a field. Below a LoRA adapter it keeps what KServe drops.
func pruned(f transform.Finding) bool {
	adapters := yamldoc.Path{"spec", "model", "lora", "adapters"}
	return f.Rule.ID == prunedFields && !adapters.Overlaps(f.At)
}

func changedBy(f transform.Finding, at yamldoc.Path) string {
	switch {
	case f.Rule == openDataHub:
		return "OpenShift AI's webhook"
	case f.Rule.ID == liveFields, pruned(f), at[len(at)-1] == protocol, at.String() == "metadata.labels":
		return "the API server"
	case f.Object.Kind != kserve.InferenceService.Kind:
		return "KServe"
	}
	return "KServe's webhook"
}

// byHand says what to do where Argo CD does not come as far as to ignore a difference: server-side apply fails
// because of a field that the kind does not have or that belongs to another object, and Argo CD 2 cannot read a port
// without its key.
func byHand(f transform.Finding, at yamldoc.Path, c Comparison, argocd string) string {
	last := at[len(at)-1]
	switch {
	case c == Client:
		return ""
	case pruned(f):
		return "ServerSideApply fails because of this field: move it to where it belongs, or remove it"
	case f.Rule.ID == liveFields && slices.Contains([]any{"uid", "managedFields", "resourceVersion"}, last):
		return "ServerSideApply fails because of this field: remove it"
	case c == Structured && last == protocol && semver.IsValid("v"+argocd) && !is3(argocd):
		return "Argo CD 2 cannot compare the object without this field: write TCP"
	}
	return ""
}

// shows reports whether Argo CD shows a difference. It takes what webhooks change out of a comparison by the API server
// (gitops-engine/pkg/diff/diff.go@v3.5.7, removeWebhookMutation), and from 3.0 on it ignores status.
func shows(at yamldoc.Path, c Comparison, argocd string) bool {
	return c != Server && (at[0] != "status" || !is3(argocd))
}

// is3 reports whether the release of Argo CD is known and at least 3.0.
func is3(argocd string) bool { return semver.Compare("v"+argocd, "v3") >= 0 }
