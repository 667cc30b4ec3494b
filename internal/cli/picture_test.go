package cli

import (
	"bytes"
	"fmt"
	"html"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestPicture draws the picture in the README: what check prints about an example before and after the repair.
func TestPicture(t *testing.T) {
	dir := t.TempDir()
	const name = "inferenceservice.yaml"
	copyFile(t, filepath.Join("..", "..", "examples", "sklearn-logger", name), filepath.Join(dir, name), nil)
	var session strings.Builder
	for _, args := range [][]string{{"check", name}, {"fix", name}, {"check", name}} {
		fmt.Fprintf(&session, "\x1b[1m$ %s %s\x1b[m\n", program, strings.Join(args, " "))
		if args[0] == "check" {
			args = append(args, "--color=always")
		}
		var output bytes.Buffer
		code := Run(t.Context(), Env{
			Args: args, Stdout: &output, Stderr: &output, Dir: dir,
			Environ: []string{
				"ARGOCD_KSERVE_PLUGIN_KSERVE_VERSION=0.15.2", "ARGOCD_KSERVE_PLUGIN_DEFAULT_DEPLOYMENT_MODE=Standard",
			},
		})
		if code == 2 {
			t.Fatal(output.String())
		}
		session.WriteString(output.String() + "\n")
	}
	expect(t, filepath.Join("..", "..", "docs", "check.svg"), svg(strings.TrimSpace(session.String())))
}

// The size of a character of the picture, its margin, and the colours of a dark terminal.
const (
	charWidth, lineHeight, margin = 8, 19, 16
	background, foreground        = "#0d1117", "#e6edf3"
)

var (
	sgr    = regexp.MustCompile("\x1b\\[([0-9;]*)m")
	styles = map[string]string{
		"1": `fill="#ffffff" font-weight="bold"`, "2": `fill="#8b949e"`, "32": `fill="#3fb950"`,
		"33": `fill="#d29922"`, "36": `fill="#39c5cf"`, "1;31": `fill="#ff7b72" font-weight="bold"`,
	}
)

// svg draws the output of a terminal.
func svg(session string) string {
	lines := strings.Split(session, "\n")
	columns := 0
	for _, line := range lines {
		columns = max(columns, utf8.RuneCountInString(sgr.ReplaceAllString(line, "")))
	}
	width, height := columns*charWidth+2*margin, len(lines)*lineHeight+2*margin
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" `+
		`font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="13">
<title>A terminal: check finds what is wrong with an InferenceService, fix repairs it, and check finds nothing</title>
<rect width="100%%" height="100%%" rx="8" fill="%s"/>
<g fill="%s" xml:space="preserve">
`, width, height, width, height, background, foreground)
	for i, line := range lines {
		if line != "" {
			fmt.Fprintf(&b, "<text y=\"%d\">%s</text>\n", margin+(i+1)*lineHeight-5, tspans(line))
		}
	}
	b.WriteString("</g>\n</svg>\n")
	return b.String()
}

// tspans colours a line. Each part says where it starts and how wide it is, so that columns meet in every font.
func tspans(line string) string {
	var b strings.Builder
	style, from, column := "", 0, 0
	write := func(text string) {
		word := strings.TrimLeft(text, " ")
		column += len(text) - len(word)
		if width := utf8.RuneCountInString(word); width > 0 {
			fmt.Fprintf(&b, `<tspan x="%d" textLength="%d"%s>%s</tspan>`,
				margin+column*charWidth, width*charWidth, style, html.EscapeString(word))
			column += width
		}
	}
	for _, at := range sgr.FindAllStringSubmatchIndex(line, -1) {
		write(line[from:at[0]])
		style, from = "", at[1]
		if code := styles[line[at[2]:at[3]]]; code != "" {
			style = " " + code
		}
	}
	write(line[from:])
	return b.String()
}
