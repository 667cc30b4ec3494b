// Package transformtest runs golden tests of rules: inputs, each with its expected outcome beside it.
//
// An input is a YAML or JSON file, or a directory with a kustomization. Its expectation has the same name with one of
// two extensions:
//
//   - <case>.diff holds the findings as comments, or "# no findings", and then the unified diff of every file. A comment
//     ends with the rule's name, the severity if it is not the rule's, and "no restart" if a repair of a rule that
//     restarts pods restarts none;
//   - <case>.golden holds the output byte for byte. It is for what a diff does not show well, such as line ends.
//
// Beside an input there may be <case>.previous.yaml: the input before a change, for rules about deleted objects.
//
// [Suite.Check] compares the outcome of a case with its expectation, or writes it. It also checks what has to hold for
// every case:
//
//   - repairing the output once more changes nothing and finds nothing to repair;
//   - splitting the input into documents loses no byte;
//   - an input with CRLF line ends gives the same output with CRLF line ends.
//
// [Files] opens cases that are single files. There the directories above a case choose the rule and the release:
//
//	testdata/EX101/1.24.0/empty.yaml    rule EX101 alone, release 1.24.0
//	testdata/EX101/1.24.0/empty.diff    what is expected of it
//	testdata/EX101/unknown/empty.yaml   rule EX101 alone, without a release
//
// [Suite.Uncovered] finds rules without such a case.
//
// Cases may come from strangers: a suite reads only regular files, follows no link out of its directory, and writes no
// expectation through a link.
package transformtest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// Suite is a directory of cases and the way to run them. Dir and Open are required.
type Suite struct {
	Dir string // cases are in it, at any depth

	// Open returns the input of a case as files of manifests, and the configuration to run it with, with Case.Previous in
	// Config.Previous. See Files.
	Open func(context.Context, Case) ([]transform.File, transform.Config, error)

	// Mask returns a document without what diffs must not show, with the same number of lines. Nil masks nothing.
	Mask func(body []byte) []byte
}

// Case is one input. [Suite.Find] makes cases.
type Case struct {
	Name     string // the path below Suite.Dir, with slashes; that of a file is without its extension
	Input    string // the path of the file or directory
	Previous string // the path of <case>.previous.yaml, empty if there is none
}

// Dirs returns the names of the directories between Suite.Dir and the input, the outermost first.
func (c Case) Dirs() []string { return strings.Split(c.Name, "/")[:strings.Count(c.Name, "/")] }

// Find returns the cases in the order of their paths: the inputs that have an expectation, or every input if all is
// true, as before an update. Hidden files and directories and what is inside a directory with a kustomization are not
// inputs. An expectation or previous manifests without an input, two inputs with one expectation, and no case at all
// are errors, so that no mistyped name goes unnoticed.
func (s Suite) Find(all bool) ([]Case, error) {
	root, err := os.OpenRoot(s.Dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	inputs := map[string]string{} // by the names of their cases
	var cases []Case
	var companions []string
	var errs []error
	err = fs.WalkDir(root.FS(), ".", func(path string, entry fs.DirEntry, err error) error {
		hidden := strings.HasPrefix(entry.Name(), ".")
		switch {
		case err != nil || path == ".":
			return err
		case hidden && entry.IsDir():
			return fs.SkipDir
		case hidden:
			return nil
		case !entry.IsDir() && companion(path) != "":
			companions = append(companions, path)
			return nil
		case !isInput(root, path, entry):
			return nil
		}
		c := Case{Name: path, Input: filepath.Join(s.Dir, filepath.FromSlash(path))}
		if !entry.IsDir() {
			c.Name = strings.TrimSuffix(path, filepath.Ext(path))
		}
		if previous := c.Name + previousExtension; exists(root, previous) {
			c.Previous = filepath.Join(s.Dir, filepath.FromSlash(previous))
		}
		if all || exists(root, c.Name+diffExtension) || exists(root, c.Name+outputExtension) {
			if other := inputs[c.Name]; other != "" {
				errs = append(errs, fmt.Errorf("%s and %s have the same expectation, %s; rename one", filepath.Join(s.Dir, other),
					filepath.Base(path), filepath.Base(c.Name)+diffExtension))
			}
			inputs[c.Name] = path
			cases = append(cases, c)
		}
		if entry.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, path := range companions {
		if inputs[companion(path)] == "" {
			errs = append(errs, fmt.Errorf("%s: there is no input beside it; remove it or correct its name",
				filepath.Join(s.Dir, path)))
		}
	}
	if len(cases) == 0 && len(errs) == 0 {
		errs = append(errs, fmt.Errorf("%s: no cases; put <case>.diff or <case>.golden beside an input, or let an update "+
			"write them", s.Dir))
	}
	return cases, errors.Join(errs...)
}

// isInput reports whether the entry can be the input of a case.
func isInput(root *os.Root, path string, entry fs.DirEntry) bool {
	if entry.IsDir() {
		return slices.ContainsFunc(kustomizations, func(name string) bool { return exists(root, path+"/"+name) })
	}
	return slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(path))
}

const previousExtension = ".previous.yaml"

// companion returns the name of the case that a file belongs to as its expectation or previous manifests, empty for any
// other file.
func companion(path string) string {
	for _, extension := range []string{diffExtension, outputExtension, previousExtension} {
		if name, found := strings.CutSuffix(path, extension); found {
			return name
		}
	}
	return ""
}

// kustomizations are the names that kustomize looks for
// (RecognizedKustomizationFileNames in api/konfig/general.go@api/v0.21.2).
var kustomizations = []string{"kustomization.yaml", "kustomization.yml", "Kustomization"}

// exists reports whether there is a file, a link or anything else at a path.
func exists(root *os.Root, path string) bool {
	_, err := root.Lstat(path)
	return err == nil
}

// Run runs a case and returns its outcome. The error is that of Open or of [transform.Run].
func (s Suite) Run(ctx context.Context, c Case) (*Outcome, error) {
	root, err := os.OpenRoot(s.Dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return s.run(ctx, root, c)
}

func (s Suite) run(ctx context.Context, root *os.Root, c Case) (*Outcome, error) {
	for _, input := range []string{c.Input, c.Previous} {
		if input == "" {
			continue
		}
		path, err := filepath.Rel(s.Dir, input)
		if err != nil {
			return nil, err
		}
		if err := readable(root, path); err != nil {
			return nil, err
		}
	}
	files, config, err := s.Open(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Input, err)
	}
	return s.repair(ctx, files, config)
}

// readable returns an error unless the path leads to a directory or a regular file below the root: opening a pipe would
// block, and what a device holds is nobody's input.
func readable(root *os.Root, path string) error {
	info, err := root.Stat(path)
	var at *fs.PathError
	switch {
	case errors.As(err, &at):
		return fmt.Errorf("%s: %w", filepath.Join(root.Name(), path), at.Err)
	case err == nil && !info.IsDir() && !info.Mode().IsRegular():
		return fmt.Errorf("%s: not a regular file", filepath.Join(root.Name(), path))
	}
	return err
}

// Check runs a case and returns its problems, one string for each: the difference to the expectation, and the
// properties listed above that the case lacks. If update is true, it writes the expectation first. The error is that of
// [Suite.Run], or one of reading or writing the expectation.
func (s Suite) Check(ctx context.Context, c Case, update bool) ([]string, error) {
	root, err := os.OpenRoot(s.Dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	outcome, err := s.run(ctx, root, c)
	if err != nil {
		return nil, err
	}
	if update {
		if err := c.update(root, outcome); err != nil {
			return nil, err
		}
	}
	difference, err := c.compare(root, outcome)
	if err != nil {
		return nil, err
	}
	violations, err := outcome.violations(ctx)
	if difference != "" {
		violations = slices.Insert(violations, 0, difference)
	}
	return violations, err
}

// Uncovered returns an error that names the rules without a test. For every rule, there has to be the case
// <ID>/<Rule.Example>, and the rule has to report something in it.
func (s Suite) Uncovered(ctx context.Context, rules []*transform.Rule) error {
	cases, err := s.Find(false)
	if err != nil {
		return err
	}
	var errs []error
	for _, rule := range rules {
		example := slices.IndexFunc(cases, func(c Case) bool { return c.Name == rule.ID+"/"+rule.Example })
		if example < 0 {
			errs = append(errs, fmt.Errorf("%s: no case %s; write the input and its expectation in %s",
				rule.ID, rule.Example, filepath.Join(s.Dir, rule.ID)))
			continue
		}
		outcome, err := s.Run(ctx, cases[example])
		switch {
		case err != nil:
			errs = append(errs, fmt.Errorf("%s: its example %s: %w", rule.ID, rule.Example, err))
		case !slices.ContainsFunc(outcome.Result.Findings(), func(f transform.Finding) bool { return f.Rule == rule }):
			errs = append(errs, fmt.Errorf("%s: no finding in its example %s", rule.ID, rule.Example))
		}
	}
	return errors.Join(errs...)
}

// Files returns a function for [Suite.Open] that reads cases of a single file and runs them with config. Of the
// directories above a case, one named like the ID of a rule selects that rule alone, and one named x.y.z sets the
// release.
func Files(config transform.Config) func(context.Context, Case) ([]transform.File, transform.Config, error) {
	return func(_ context.Context, c Case) ([]transform.File, transform.Config, error) {
		config := config
		for _, dir := range c.Dirs() {
			if slices.ContainsFunc(config.Rules, func(r *transform.Rule) bool { return r.ID == dir }) {
				config.Select = []string{dir}
			}
			if release, err := transform.ParseRelease(dir); err == nil {
				config.Releases = []transform.Release{release}
			}
		}
		if c.Previous != "" {
			data, err := os.ReadFile(c.Previous)
			if err != nil {
				return nil, config, err
			}
			config.Previous = []transform.File{{Path: filepath.Base(c.Previous), Data: data}}
		}
		data, err := os.ReadFile(c.Input)
		return []transform.File{{Path: filepath.Base(c.Input), Data: data}}, config, err
	}
}
