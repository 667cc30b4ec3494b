package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

func newRulesCommand(env *Env) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "rules",
		Short: "List the rules",
		Args:  cobra.NoArgs,
	}
	formats := map[string]func(*bytes.Buffer) error{"table": rulesTable, "json": rulesJSON, "md": rulesMarkdown}
	cmd.Flags().StringVarP(&format, "output", "o", "table", "form of the list: table, json, md")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		list, ok := formats[format]
		if !ok {
			return fmt.Errorf("flag --output: %q is not one of table, json, md", format)
		}
		var b bytes.Buffer
		if err := list(&b); err != nil {
			return err
		}
		return write(cmd.Context(), env.Stdout, [][]byte{b.Bytes()})
	}
	return cmd
}

func rulesTable(b *bytes.Buffer) error {
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tNAME\tSEVERITY\tKSERVE\tRESTARTS\tTITLE")
	for _, r := range transform.Rules {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", r.ID, r.Name, r.Severity, r.Window, yesNo(r.Restarts), r.Title)
	}
	return w.Flush()
}

func rulesMarkdown(b *bytes.Buffer) error {
	b.WriteString("| rule | name | finds | KServe | severity | restarts pods |\n|---|---|---|---|---|---|\n")
	for _, r := range transform.Rules {
		title := strings.ReplaceAll(r.Title, "|", `\|`)
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s |\n", r.ID, r.Name, title, r.Window, r.Severity, yesNo(r.Restarts))
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
		Restarts bool     `json:"restarts"`
		Issues   []string `json:"issues"`
	}
	list := []rule{}
	for _, r := range transform.Rules {
		list = append(list, rule{r.ID, r.Name, r.Title, string(r.Severity), r.Window.String(), r.Kinds, r.Restarts, append([]string{}, r.Issues...)})
	}
	return indented(b, list)
}

func indented(b *bytes.Buffer, v any) error {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
