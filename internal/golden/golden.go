// Package golden runs cases: an input, and what is expected to become of it.
//
// A case is a YAML or JSON file, or a folder with a kustomization, beside which stand <case>.golden, the expected
// output byte for byte, or <case>.diff, the expected findings and the unified diff, or both. Settings of a case come
// from the folders above it, of which one named like a KServe version sets kserve-version and one named like a rule
// sets rules, from a settings file in its folder, and from a first line `# settings: name=value name=value`.
package golden

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"github.com/spf13/pflag"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/report"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// Case is one input and its expectations.
type Case struct {
	Name  string // path below the folder of cases, without the extension
	Input string // path of the file or folder

	options transform.Options
	source  render.Options
}

// Outcome is what became of a case's input.
type Outcome struct {
	Result *transform.Result
	Output []byte // empty when a finding forbids any
	Diff   []byte // the findings as comments, then the unified diff of every file
}

// Find lists the cases below dir, in path order. With all, inputs without expectations are cases too.
func Find(dir string, all bool) ([]Case, error) {
	var cases []Case
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !input(path, entry) || path == dir {
			return nil
		}
		stem := strings.TrimSuffix(path, filepath.Ext(path))
		if !all && !exists(stem+".golden") && !exists(stem+".diff") {
			return skip(entry)
		}
		name, err := filepath.Rel(dir, stem)
		if err != nil {
			return err
		}
		c := Case{Name: filepath.ToSlash(name), Input: path}
		if err := c.load(dir); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		cases = append(cases, c)
		return skip(entry)
	})
	if err == nil && len(cases) == 0 {
		err = fmt.Errorf("%s: no cases; put <case>.golden or <case>.diff beside an input, or write them with -update", dir)
	}
	return cases, err
}

// input reports whether the entry can be the input of a case.
func input(path string, entry fs.DirEntry) bool {
	if entry.IsDir() {
		return exists(filepath.Join(path, "kustomization.yaml"))
	}
	return !strings.HasPrefix(entry.Name(), ".") && slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(path))
}

func skip(entry fs.DirEntry) error {
	if entry.IsDir() {
		return fs.SkipDir
	}
	return nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

var (
	versionFolder = regexp.MustCompile(`^v?\d+\.\d+(\.\d+)?$|^unknown$`)
	settingsLine  = regexp.MustCompile(`\A# settings: (.*)`)
)

// load works out the case's settings.
func (c *Case) load(dir string) error {
	given := map[string]string{}
	for _, folder := range strings.Split(filepath.ToSlash(filepath.Dir(c.Name)), "/") {
		switch {
		case versionFolder.MatchString(folder):
			given["kserve-version"] = folder
		case slices.ContainsFunc(transform.Rules, func(r *transform.Rule) bool { return r.ID == folder }):
			given["rules"] = folder
		}
	}
	head, _ := os.ReadFile(c.Input) // a folder has no settings line
	if m := settingsLine.FindSubmatch(head); m != nil {
		for field := range strings.FieldsSeq(string(m[1])) {
			name, value, _ := strings.Cut(field, "=")
			given[name] = value
		}
	}
	var environ []string
	for name, value := range given {
		environ = append(environ, "ARGOCD_KSERVE_PLUGIN_"+strings.ToUpper(strings.ReplaceAll(name, "-", "_"))+"="+value)
	}
	s, err := settings.Load(settings.Sources{
		Flags: settings.Bind(pflag.NewFlagSet("", pflag.ContinueOnError)), Environ: environ,
		Dir: filepath.Dir(c.Input), Shown: filepath.Dir(c.Input),
	})
	if err != nil {
		return err
	}
	root, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	c.options = s.Options
	c.source = render.Options{
		Source: s.Source, Root: root, RootLocked: true, MaxInput: int64(s.MaxInput),
		Dir: filepath.Join(root, filepath.Dir(c.Name)), Getenv: func(string) string { return "" },
	}
	return nil
}

// Run renders and repairs the case's input.
func (c Case) Run(ctx context.Context) (Outcome, error) {
	files, err := render.Render(ctx, filepath.Base(c.Input), c.source)
	if err != nil {
		return Outcome{}, err
	}
	return c.Repair(ctx, files)
}

// Repair is Run for an input that is rendered already.
func (c Case) Repair(ctx context.Context, files []transform.File) (Outcome, error) {
	result, err := transform.Run(ctx, files, c.options)
	if err != nil {
		return Outcome{}, err
	}
	o := Outcome{Result: result}
	var diff bytes.Buffer
	for _, f := range report.Sorted(result.Findings) {
		fmt.Fprintf(&diff, "# %s %s\n", report.Line(f), "("+f.Rule.Name+")")
	}
	if !result.Fatal() {
		pieces, err := result.Stream()
		if err != nil {
			return Outcome{}, err
		}
		o.Output = bytes.Join(pieces, nil)
		for _, f := range result.Files() {
			diff.WriteString(udiff.Unified("a/"+f.File.Path, "b/"+f.File.Path, string(f.Before), string(f.After)))
		}
	}
	o.Diff = diff.Bytes()
	return o, nil
}

// expectation is one of the files that say what a case should give.
type expectation struct {
	extension string
	of        func(Outcome) []byte
}

var expectations = []expectation{
	{".golden", func(o Outcome) []byte { return o.Output }},
	{".diff", func(o Outcome) []byte { return o.Diff }},
}

// Check compares the outcome with the expectations and returns a unified diff of what differs, empty when nothing does.
func (c Case) Check(o Outcome) (string, error) {
	var differences strings.Builder
	for _, e := range expectations {
		path := c.expected(e)
		want, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		if got := e.of(o); !bytes.Equal(got, want) {
			shown := c.Name + e.extension
			differences.WriteString(cmp.Or(udiff.Unified(shown+" (expected)", shown+" (actual)", string(want), string(got)), shown+": only line ends differ\n"))
		}
	}
	return differences.String(), nil
}

// Update writes the outcome as the case's expectations: those that exist, or all when there are none.
func (c Case) Update(o Outcome) error {
	none := !slices.ContainsFunc(expectations, func(e expectation) bool { return exists(c.expected(e)) })
	for _, e := range expectations {
		if path := c.expected(e); none || exists(path) {
			if err := os.WriteFile(path, e.of(o), 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c Case) expected(e expectation) string {
	return strings.TrimSuffix(c.Input, filepath.Ext(c.Input)) + e.extension
}
