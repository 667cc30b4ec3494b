package doctor

import (
	"fmt"
	"io"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/encoding"
)

// Markdown writes the same as Text, with a section for each service.
func Markdown(w io.Writer, r Report) error {
	var b strings.Builder
	fmt.Fprintf(&b, "### KServe: %s\n\n%s\n", r.count(), encoding.Markdown(r.about()))
	for _, line := range r.Unknown {
		fmt.Fprintf(&b, "\n%s\n", encoding.Markdown(line))
	}
	for _, u := range r.Unread {
		fmt.Fprintf(&b, "\nNot read: %s\n", encoding.Markdown(u.Text))
	}
	for _, s := range r.Services {
		fmt.Fprintf(&b, "\n**%s**: %s\n\n", encoding.MarkdownCode(s.name()), s.Verdict())
		writeItems(&b, s.entries())
	}
	for _, f := range r.Others {
		fmt.Fprintf(&b, "\n**%s**\n\n", encoding.MarkdownCode(f.Subject()))
		writeItems(&b, []entry{finding(f)})
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func writeItems(b *strings.Builder, entries []entry) {
	for _, e := range entries {
		text := encoding.Markdown(strings.Join(strings.Fields(e.text), " "))
		if e.label == "more" {
			text = encoding.MarkdownCode(e.text)
		}
		fmt.Fprintf(b, "- %s: %s\n", e.label, text)
	}
}
