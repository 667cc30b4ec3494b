package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/encoding"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/lazyregexp"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/terminal"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// The characters that a comment on GitHub may have are 65,536. The findings leave room for the diff.
const (
	maxMarkdown = 60_000
	maxTable    = 30_000
)

// Markdown writes the comment of a pull request or the summary of a CI step: the findings, and behind a click what the
// repair changes, what it restarts, and what is accepted. It is cut where GitHub would refuse it.
func Markdown(w io.Writer, r Report) error {
	r.Findings, r.Accepted = r.Distinct(r.Findings), r.Distinct(r.Accepted)
	var b strings.Builder
	fmt.Fprintf(&b, "### %s\n\n", heading(r))
	table(&b, r, r.Findings)
	if len(r.Restarts) > 0 {
		details(&b, terminal.Count(len(r.Restarts), "service")+" will restart once", func() {
			for i, service := range r.Restarts {
				if b.Len() > maxTable {
					fmt.Fprintf(&b, "- and %d more\n", len(r.Restarts)-i)
					break
				}
				fmt.Fprintf(&b, "- %s\n", encoding.MarkdownCode(service))
			}
		})
	}
	if len(r.Accepted) > 0 {
		details(&b, terminal.Count(len(r.Accepted), "accepted finding"), func() { table(&b, r, r.Accepted) })
	}
	if Repairable(r.Findings) > 0 {
		diff, err := r.Diff()
		if err != nil {
			return err
		}
		if diff != "" {
			details(&b, "What the repair changes", func() { fence(&b, diff, maxMarkdown-b.Len()) })
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// heading counts the findings.
func heading(r Report) string {
	if len(r.Findings) == 0 {
		return "KServe manifests: " + terminal.Count(r.Objects, "object") + " without findings"
	}
	return fmt.Sprintf("KServe manifests: %s in %s, %d repairable",
		Counted(r.Findings), terminal.Count(r.Objects, "object"), Repairable(r.Findings))
}

// Counted returns the number of findings of each severity in words.
func Counted(findings []transform.Finding) string {
	var parts []string
	for _, severity := range bySeverity {
		switch n := count(findings, severity); {
		case n == 0:
		case severity == transform.Advice:
			parts = append(parts, fmt.Sprintf("%d advice", n))
		default:
			parts = append(parts, terminal.Count(n, string(severity)))
		}
	}
	return strings.Join(parts, ", ")
}

// details writes what a reader has to open.
func details(b *strings.Builder, summary string, content func()) {
	fmt.Fprintf(b, "\n<details><summary>%s</summary>\n\n", summary)
	content()
	b.WriteString("\n</details>\n")
}

// table writes a row for each finding, the severest first, as long as there is room.
func table(b *strings.Builder, r Report, findings []transform.Finding) {
	if len(findings) == 0 {
		return
	}
	findings = transform.Sorted(findings)
	severest(findings)
	b.WriteString("| | rule | object | finding |\n|---|---|---|---|\n")
	for i, f := range findings {
		place := r.Place(f)
		at := place.Path
		switch {
		case f.Object.IsLive():
			at = f.At.String()
		case place.Line > 0:
			at = fmt.Sprintf("%s:%d", at, place.Line)
		}
		severity, text := string(f.Severity), encoding.Markdown(place.text(f))
		if f.Repaired() {
			text += "; **repairable**"
		}
		if f.Accepted != nil {
			text += "; " + encoding.Markdown(accepted(f))
		}
		row := fmt.Sprintf("| %s | [%s](%s) %s | %s<br>%s | %s |\n",
			severity, f.Rule.ID, Page(f.Rule), f.Rule.Name, encoding.MarkdownCode(f.Subject()), encoding.MarkdownCode(at), text)
		if b.Len()+len(row) > maxTable {
			fmt.Fprintf(b, "\nand %d more\n", len(findings)-i)
			return
		}
		b.WriteString(row)
	}
}

// fence writes a diff between rows of backticks that are longer than any in it, cut to a number of bytes.
func fence(b *strings.Builder, diff string, limit int) {
	ticks := "```"
	for _, row := range backticks().FindAllString(diff, -1) {
		if len(row) >= len(ticks) {
			ticks = row + "`"
		}
	}
	fmt.Fprintf(b, "%sdiff\n", ticks)
	left := limit - 2*len(ticks) - 100
	rest := ""
	for line := range strings.Lines(diff) {
		line = terminal.Quote(strings.TrimSuffix(line, "\n")) + "\n"
		if left -= len(line); left < 0 {
			rest = "\nThe diff is longer; run `diff` to see all of it.\n"
			break
		}
		b.WriteString(line)
	}
	fmt.Fprintf(b, "%s\n%s", ticks, rest)
}

var backticks = lazyregexp.New("`+")
