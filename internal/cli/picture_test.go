package cli

import (
	"bytes"
	"fmt"
	"html"
	"os"
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
				"ARGOCD_KSERVE_PLUGIN_HEALTH_METADATA=false",
			},
		})
		if code == 2 {
			t.Fatal(output.String())
		}
		session.WriteString(output.String() + "\n")
	}
	const about = "A terminal: check finds what is wrong with an InferenceService, fix repairs it, and check finds nothing"
	expect(t, filepath.Join("..", "..", "docs", "check.svg"), svg(about, strings.TrimSpace(session.String())))
}

// TestAgentPicture draws what KServe's agent does before and after the repair. e2e/cluster compares the two texts with
// the real agent, started as KServe starts it.
func TestAgentPicture(t *testing.T) {
	var session strings.Builder
	for _, part := range []struct{ title, file, color string }{
		{"KServe 0.15.2, an exec readiness probe and a logger: the agent ends, again and again", "without", "1;31"},
		{"The same after the repair: the agent has the probe and answers the kubelet", "with", "32"},
	} {
		output, err := os.ReadFile(filepath.Join("..", "..", "e2e", "cluster", "testdata", "agent", part.file+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&session, "\x1b[1m# %s\x1b[m\n", part.title)
		for line := range strings.Lines(string(output)) {
			fmt.Fprintf(&session, "\x1b[%sm%s\x1b[m\n", part.color, shortened(strings.TrimSpace(line)))
		}
		session.WriteString("\n")
	}
	const about = "A terminal: KServe's agent ends without a readiness probe, and answers 200 after the repair"
	expect(t, filepath.Join("..", "..", "docs", "agent.svg"), svg(about, strings.TrimSpace(session.String())))
}

// TestPlanPicture draws what plan prints about testdata/plan. make plan-test compares the texts with a real run.
func TestPlanPicture(t *testing.T) {
	var session strings.Builder
	for _, run := range []struct{ file, args string }{
		{"change", "--previous iris.yaml new.yaml"}, {"misfit", "fashion.yaml"}, {"llm", "llama.yaml"},
	} {
		output, err := os.ReadFile(filepath.Join("..", "..", "testdata", "plan", run.file+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&session, "\x1b[1m$ %s plan %s\x1b[m\n", program, run.args)
		_, services, _ := strings.Cut(string(output), "\n\n")
		for line := range strings.Lines(services) {
			for _, part := range wrapped(strings.TrimRight(line, "\n")) {
				fmt.Fprintf(&session, "%s\n", emphasised(part))
			}
		}
		session.WriteString("\n")
	}
	const about = "A terminal: plan shows a change of an image, which restarts pods; a service whose model format no runtime " +
		"supports; and the GPUs of an LLMInferenceService"
	expect(t, filepath.Join("..", "..", "docs", "plan.svg"), svg(about, strings.TrimSpace(session.String())))
}

// wrapped breaks a line of plan that is too long for the picture between two facts.
func wrapped(line string) []string {
	const most = 100
	if len(line) <= most {
		return []string{line}
	}
	at := strings.LastIndex(line[:most], "; ")
	if at < 0 {
		return []string{shortened(line)}
	}
	return append([]string{line[:at+1]}, wrapped("      "+line[at+2:])...)
}

// emphasised colours a line of plan: what is added and removed, what restarts, and what goes wrong.
func emphasised(line string) string {
	for _, style := range []struct{ prefix, color string }{
		{"| +", "32"}, {"| -", "1;31"}, {"| ", "2"}, {"pods restart", "33"}, {"! ", "1;31"},
	} {
		if text := strings.TrimLeft(line, " "); strings.HasPrefix(text, style.prefix) {
			return line[:len(line)-len(text)] + "\x1b[" + style.color + "m" + text + "\x1b[m"
		}
	}
	return line
}

// shortened cuts a line that is too long for a picture.
func shortened(line string) string {
	const most = 92
	if len(line) > most {
		return line[:most-1] + "…"
	}
	return line
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

// svg draws the output of a terminal, with a text about it for those who do not see it.
func svg(about, session string) string {
	lines := strings.Split(session, "\n")
	columns := 0
	for _, line := range lines {
		columns = max(columns, utf8.RuneCountInString(sgr.ReplaceAllString(line, "")))
	}
	width, height := columns*charWidth+2*margin, len(lines)*lineHeight+2*margin
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" `+
		`font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="13">
<title>%s</title>
<rect width="100%%" height="100%%" rx="8" fill="%s"/>
<g fill="%s" xml:space="preserve">
`, width, height, width, height, about, background, foreground)
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
