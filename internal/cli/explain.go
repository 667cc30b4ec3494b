package cli

import (
	"bytes"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/cli/flags"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/encoding"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/report"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/rules"
)

func newExplainCommand(env *Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "explain [RULE]",
		Short: "Print the documentation of a rule, or list the rules",
		Example: "  argocd-kserve-plugin explain KS101\n  argocd-kserve-plugin explain exec-probe\n" +
			"  argocd-kserve-plugin explain -o json",
		Args: flags.Arguments(0, 1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return ruleNames(), cobra.ShellCompDirectiveNoFileComp
		},
	}
	lists := map[string]func(*bytes.Buffer) error{"text": rulesText, "json": rulesJSON, "markdown": rulesMarkdown}
	output := flags.Choice(cmd, "output", "o", "without RULE: output format", []string{"text", "json", "markdown"})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		format, err := output()
		if err != nil {
			return err
		}
		if len(args) > 0 {
			if format != "text" {
				return fmt.Errorf("flag --output: %s is for the list of rules, without RULE", format)
			}
			rule, err := findRule(args[0])
			if err != nil {
				return err
			}
			return env.write(cmd.Context(), []byte(explanation(rule)))
		}
		var list bytes.Buffer
		if err := lists[format](&list); err != nil {
			return err
		}
		return env.write(cmd.Context(), list.Bytes())
	}
	return cmd
}

func findRule(name string) (*transform.Rule, error) {
	for _, r := range rules.Documented {
		if strings.EqualFold(name, r.ID) || strings.EqualFold(name, r.Name) {
			return r, nil
		}
	}
	return nil, fmt.Errorf("%q is not a rule; %sexplain without a rule lists them",
		name, settings.DidYouMean(name, ruleNames()))
}

func ruleNames() []string {
	var names []string
	for _, r := range rules.Documented {
		names = append(names, r.ID, r.Name)
	}
	return names
}

func explanation(r *transform.Rule) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s: %s\n\n", r.ID, r.Name, r.Title)
	fmt.Fprintf(&b, "KServe versions: %s\nSeverity: %s\n", r.Releases(), r.Severity)
	if since := asOf(r); since != "" {
		fmt.Fprintf(&b, "Rules as of: %s\n", since)
	}
	fmt.Fprintf(&b, "Concerns LLMInferenceServices: %s\n", yesNo(rules.ConcernsLLM(r)))
	doc := strings.ReplaceAll(strings.TrimSpace(r.Doc), "\n## Details\n", "\nDetails:\n")
	fmt.Fprintf(&b, "Its repair may restart pods: %s\n\n%s\n", yesNo(r.Restarts), doc)
	if len(r.Issues) > 0 {
		b.WriteString("\nUpstream:\n")
	}
	for _, issue := range r.Issues {
		b.WriteString("  " + issue + "\n")
	}
	fmt.Fprintf(&b, "\nCases: %s\n", report.Page(r))
	return b.String()
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func rulesText(b *bytes.Buffer) error {
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tNAME\tSEVERITY\tKSERVE\tMAY RESTART\tTITLE")
	for _, r := range rules.Documented {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", r.ID, r.Name, r.Severity, r.Releases(), yesNo(r.Restarts), r.Title)
	}
	return w.Flush()
}

func rulesMarkdown(b *bytes.Buffer) error {
	b.WriteString("| rule | name | finds | KServe | severity | may restart pods |\n|---|---|---|---|---|---|\n")
	for _, r := range rules.Documented {
		title := strings.ReplaceAll(r.Title, "|", `\|`)
		fmt.Fprintf(b, "| [%s](%s) | %s | %s | %s | %s | %s |\n",
			r.ID, report.Page(r), r.Name, title, r.Releases(), r.Severity, yesNo(r.Restarts))
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
		Page     string   `json:"page"`
	}
	list := []rule{}
	for _, r := range rules.Documented {
		list = append(list, rule{
			r.ID, r.Name, r.Title, string(r.Severity), r.Releases(), kinds(r), rules.ConcernsLLM(r), r.Restarts, asOf(r),
			append([]string{}, r.Issues...), report.Page(r),
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
