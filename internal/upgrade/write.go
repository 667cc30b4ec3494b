package upgrade

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/encoding"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/terminal"
)

// Report is the outcome of a comparison. The changes are sorted.
type Report struct {
	From    string   `json:"from"`
	To      string   `json:"to"`
	Objects int      `json:"objects"`
	Changes []Change `json:"changes"`
	// Unknown says why KServe's own code has not been asked, with what is not known without it. It is empty if it has been.
	Unknown string `json:"unknown,omitempty"`
}

// Formats lists the formats, the default first.
var Formats = []encoding.Format[Report]{
	{Name: "text", Write: Text},
	{Name: "markdown", Write: Markdown},
	{Name: "json", Write: JSON},
}

// Text writes what is not known, a table, and a line that counts the changes by effect.
func Text(w io.Writer, r Report) error {
	if r.Unknown != "" {
		fmt.Fprintf(w, "%s\n\n", terminal.Quote(r.Unknown))
	}
	if len(r.Changes) > 0 {
		table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		fmt.Fprintln(table, "EFFECT\tSEVERITY\tRULE\tREPAIRED\tOBJECT\tPLACE\tWHAT")
		for _, c := range r.Changes {
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", c.Effect, c.Severity, cmp.Or(c.Rule, "-"), c.repaired(),
				terminal.Quote(c.Object), cmp.Or(terminal.Quote(c.place()), "-"), terminal.Quote(c.Message))
		}
		if err := table.Flush(); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(w, r.summary())
	return err
}

// Markdown writes the same for a pull request.
func Markdown(w io.Writer, r Report) error {
	fmt.Fprintf(w, "## KServe %s to %s\n\n%s\n", r.From, r.To, r.summary())
	if r.Unknown != "" {
		fmt.Fprintf(w, "\n%s\n", encoding.Markdown(r.Unknown))
	}
	if len(r.Changes) == 0 {
		return nil
	}
	fmt.Fprint(w, "\n| effect | severity | rule | repaired | object | place | what |\n|---|---|---|---|---|---|---|\n")
	for _, c := range r.Changes {
		_, err := fmt.Fprintf(w, "| %s | %s | %s | %s | %s | %s | %s |\n", c.Effect, c.Severity, c.Rule, c.repaired(),
			code(c.Object), code(c.place()), encoding.Markdown(c.Message))
		if err != nil {
			return err
		}
	}
	return nil
}

// jsonVersion is that of the form. A field that is added leaves it; one that goes or changes its meaning raises it.
const jsonVersion = 1

// JSON writes the report as an object, with the version of its form.
func JSON(w io.Writer, r Report) error {
	if r.Changes == nil {
		r.Changes = []Change{}
	}
	return encoding.JSON(w, struct {
		Version int `json:"version"`
		Report
	}{jsonVersion, r})
}

func (r Report) summary() string {
	var counts []string
	for _, effect := range effects {
		n := 0
		for _, c := range r.Changes {
			if c.Effect == effect {
				n++
			}
		}
		switch {
		case n > 0:
			counts = append(counts, fmt.Sprintf("%s: %d", effect, n))
		case effect == Rollout && r.Unknown != "":
			counts = append(counts, "rollout: not known")
		}
	}
	what := cmp.Or(strings.Join(counts, ", "), "nothing changes")
	return fmt.Sprintf("%s, from KServe %s to %s: %s", terminal.Count(r.Objects, "object"), r.From, r.To, what)
}

func (c Change) place() string {
	if c.Line > 0 {
		return fmt.Sprintf("%s:%d", c.File, c.Line)
	}
	return c.File
}

// repaired says whether generate repairs a finding that the new release has.
func (c Change) repaired() string {
	switch {
	case c.Effect == Gone, c.Effect == Health, c.Rule == "":
		return "-"
	case c.Repaired:
		return "yes"
	case c.Unused:
		return fmt.Sprintf("no: %s would, if the Application used the plugin", c.Rule)
	}
	return "no"
}

// code returns text as code, and an empty cell for none.
func code(text string) string {
	if text == "" {
		return ""
	}
	return encoding.MarkdownCode(text)
}
