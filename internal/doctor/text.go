package doctor

import (
	"fmt"
	"io"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/terminal"
)

// Text writes the facts, the services that are not well, and how many are.
func Text(w io.Writer, r Report) error {
	var b strings.Builder
	fmt.Fprintln(&b, terminal.Quote(r.about()))
	for _, line := range r.Unknown {
		fmt.Fprintln(&b, terminal.Quote(line))
	}
	for _, u := range r.Unread {
		fmt.Fprintln(&b, "not read: "+terminal.Quote(u.Text))
	}
	for _, s := range r.Services {
		fmt.Fprintf(&b, "\n%s: %s\n", terminal.Quote(s.name()), s.Verdict())
		r.writeEntries(&b, s.entries())
	}
	for _, f := range r.Others {
		fmt.Fprintf(&b, "\n%s\n", terminal.Quote(f.Subject()))
		r.writeEntries(&b, []entry{finding(f)})
	}
	fmt.Fprintf(&b, "\n%s\n", r.count())
	_, err := io.WriteString(w, b.String())
	return err
}

// about is the facts in one line.
func (r Report) about() string {
	var facts []string
	for _, f := range r.Facts {
		facts = append(facts, f.Name+": "+f.Value)
	}
	return strings.Join(facts, ", ")
}

// count is the last line: how many services are well.
func (r Report) count() string {
	count := fmt.Sprintf("%s well, %d not", terminal.Count(r.Well, "service"), len(r.Services))
	if len(r.hidden) > 0 {
		count += "; not read: " + strings.Join(r.hidden, ", ")
	}
	return count
}

func (r Report) writeEntries(b *strings.Builder, entries []entry) {
	for _, e := range entries {
		if e.label == "more" {
			fmt.Fprintf(b, "  more: %s\n", terminal.Quote(e.text)) // to be copied
			continue
		}
		lines := terminal.Wrap(e.label+": "+terminal.Quote(strings.Join(strings.Fields(e.text), " ")), r.Width-2)
		for i, line := range strings.Split(lines, "\n") {
			if i > 0 {
				line = "  " + line
			}
			fmt.Fprintf(b, "  %s\n", line)
		}
	}
}
