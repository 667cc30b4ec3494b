package transformtest

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/unified"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// Outcome is what a case gives.
type Outcome struct {
	Result *transform.Result
	Output []byte // the repaired stream; empty if a finding is fatal
	Diff   []byte // the findings as comments, with what differs from their rule, then the unified diff of every file

	suite  Suite
	config transform.Config
}

func (s Suite) repair(ctx context.Context, files []transform.File, config transform.Config) (*Outcome, error) {
	result, err := transform.Run(ctx, files, config)
	if err != nil {
		return nil, err
	}
	o := &Outcome{Result: result, suite: s, config: config}
	if !result.Fatal() {
		pieces, err := result.Stream()
		if err != nil {
			return nil, err
		}
		o.Output = bytes.Join(pieces, nil)
	}
	o.Diff = o.diff()
	return o, nil
}

func (o *Outcome) diff() []byte {
	result := o.Result
	findings := transform.Sorted(result.Findings())
	var b bytes.Buffer
	for _, f := range findings {
		fmt.Fprintf(&b, "# %s (%s%s)\n", strings.ReplaceAll(f.String(), "\n", `\n`), f.Rule.Name, exceptions(f))
	}
	if len(findings) == 0 {
		b.WriteString("# no findings\n")
	}
	for _, f := range result.Files() {
		b.WriteString(unified.Diff(header("a/"+f.File.Path), header("b/"+f.File.Path),
			string(o.masked(f.Before)), string(o.masked(f.After))))
	}
	return b.Bytes()
}

// exceptions says how a finding differs from others of its rule: in its severity, and in that no pod restarts.
func exceptions(f transform.Finding) (text string) {
	if f.Severity != f.Rule.Severity {
		text = ", " + string(f.Severity)
	}
	if f.Rule.Restarts && len(f.Edits) > 0 && len(f.Restarted()) == 0 {
		text += ", no restart"
	}
	return text
}

// header returns a path for a line of its own.
func header(path string) string {
	if strings.ContainsFunc(path, unicode.IsControl) {
		return strconv.Quote(path)
	}
	return path
}

// masked returns the documents of a stream as diffs show them.
func (o *Outcome) masked(data []byte) []byte {
	documents, err := yamldoc.Split(data)
	if err != nil || o.suite.Mask == nil {
		return data
	}
	var b bytes.Buffer
	for _, d := range documents {
		b.Write(d.Head)
		b.Write(o.suite.Mask(d.Body))
	}
	return b.Bytes()
}

// violations returns which properties that every case has to have are missing.
func (o *Outcome) violations(ctx context.Context) ([]string, error) {
	if o.Result.Fatal() {
		return nil, nil
	}
	var violations []string
	for _, check := range []func(context.Context) (string, error){o.changesAgain, o.losesBytes, o.dependsOnLineEnds} {
		violation, err := check(ctx)
		if err != nil {
			return nil, err
		}
		if violation != "" {
			violations = append(violations, violation)
		}
	}
	return violations, nil
}

// changesAgain repairs the output.
func (o *Outcome) changesAgain(ctx context.Context) (string, error) {
	again, err := o.suite.repair(ctx, []transform.File{{Path: "output.yaml", Data: o.Output}}, o.config)
	if err != nil {
		return "", fmt.Errorf("the output cannot be repaired again: %w", err)
	}
	if !bytes.Equal(again.Output, o.Output) {
		return "the output changes when it is repaired again:\n" + string(again.Diff), nil
	}
	if left := append(again.Result.Repaired(), again.Result.Enriched()...); len(left) > 0 {
		return fmt.Sprintf("the output still has something to repair: %v", left), nil
	}
	return "", nil
}

// losesBytes splits the input and puts it together again.
func (o *Outcome) losesBytes(context.Context) (string, error) {
	for _, f := range o.Result.Files() {
		documents, err := yamldoc.Split(f.Before)
		if err != nil {
			return "", err
		}
		var whole []byte
		for _, d := range documents {
			whole = append(append(whole, d.Head...), d.Body...)
		}
		if !bytes.Equal(whole, f.Before) {
			return fmt.Sprintf("splitting %s into documents loses bytes", f.File.Path), nil
		}
	}
	return "", nil
}

// dependsOnLineEnds repairs the input with CRLF line ends.
func (o *Outcome) dependsOnLineEnds(ctx context.Context) (string, error) {
	files := o.Result.Files()
	if len(files) != 1 || bytes.Contains(files[0].Before, []byte("\r")) || !bytes.Contains(files[0].Before, []byte("\n")) {
		return "", nil
	}
	crlf := func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n")) }
	got, err := o.suite.repair(ctx, []transform.File{{Path: files[0].File.Path, Data: crlf(files[0].Before)}}, o.config)
	if err != nil {
		return "", fmt.Errorf("with CRLF line ends: %w", err)
	}
	if !bytes.Equal(got.Output, crlf(o.Output)) {
		return "the output differs with CRLF line ends:\n" + strings.ReplaceAll(string(got.Diff), "\r", "␍"), nil
	}
	return "", nil
}
