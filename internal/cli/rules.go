package cli

import (
	"bytes"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/encoding"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/rules"
)

func rulesText(b *bytes.Buffer) error {
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tNAME\tSEVERITY\tKSERVE\tRESTARTS\tTITLE")
	for _, r := range rules.Documented {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", r.ID, r.Name, r.Severity, r.Releases(), yesNo(r.Restarts), r.Title)
	}
	return w.Flush()
}

func rulesMarkdown(b *bytes.Buffer) error {
	b.WriteString("| rule | name | finds | KServe | severity | restarts pods |\n|---|---|---|---|---|---|\n")
	for _, r := range rules.Documented {
		title := strings.ReplaceAll(r.Title, "|", `\|`)
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s |\n", r.ID, r.Name, title, r.Releases(), r.Severity, yesNo(r.Restarts))
	}
	return nil
}

func rulesJSON(b *bytes.Buffer) error {
	type rule struct {
		ID       string   `json:"id"`
		Name     string   `json:"name"`
		Title    string   `json:"title"`
		Severity string   `json:"severity"`
		KServe   string   `json:"kserve"`
		Kinds    []string `json:"kinds"`
		LLM      bool     `json:"concernsLLMInferenceServices"`
		Restarts bool     `json:"restarts"`
		AsOf     string   `json:"rulesAsOf,omitempty"`
		Issues   []string `json:"issues"`
	}
	list := []rule{}
	for _, r := range rules.Documented {
		list = append(list, rule{
			r.ID, r.Name, r.Title, string(r.Severity), r.Releases(), kinds(r), rules.ConcernsLLM(r), r.Restarts, asOf(r),
			append([]string{}, r.Issues...),
		})
	}
	return encoding.JSON(b, list)
}

// asOf returns the version of the rules that a rule came with, or "" for one of the engine's own.
func asOf(r *transform.Rule) string {
	if r.Since == (transform.Release{}) {
		return ""
	}
	return r.Since.Minor()
}

// kinds returns the kinds that the rule looks at.
func kinds(r *transform.Rule) []string {
	names := []string{}
	for _, k := range r.Kinds {
		name := k.Kind
		if name == transform.AnyKind && k.Group != transform.AnyKind {
			name = k.String()
		}
		names = append(names, name)
	}
	return names
}
