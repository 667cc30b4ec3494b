// Mutants moves each edge of the rules, and wants a golden case that sees it: the bounds of the windows of releases, up
// and down to the next release, and the comparisons, by one. It builds the tests of transform/rules once, with all
// mutants in it, and runs them once for each.
//
// The file that the flag -known names lists the mutants that may survive, each with the reason. What survives and is
// not in it is an error, and so is what is in it and does not survive.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// packages are those whose edges move.
var packages = []string{"internal/kserve", "internal/model", "transform/rules"}

func main() {
	known := flag.String("known", "", "`file` with the mutants that may survive, and why")
	run := flag.String("run", "", "only the mutants that match this `regexp`")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := mutants(ctx, os.Stdout, *known, *run); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// mutants tests the mutants that match run, and prints those that live.
func mutants(ctx context.Context, w io.Writer, known, run string) error {
	matches, err := regexp.Compile(run)
	if err != nil {
		return err
	}
	reasons, err := readReasons(known)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	all, err := build(ctx, dir)
	if err != nil {
		return err
	}
	results, err := testAll(ctx, dir, all, matches)
	if err != nil {
		return err
	}
	if len(results) == 0 {
		return fmt.Errorf("no mutant matches %q", run)
	}
	return report(w, all, results, reasons)
}

// testAll returns whether the mutants that match live, by their names.
func testAll(ctx context.Context, dir string, all []string, matches *regexp.Regexp) (map[string]bool, error) {
	begun := time.Now()
	if out, err := test(ctx, dir, -1, ".", 0); err != nil {
		return nil, fmt.Errorf("the tests fail without a mutant: %w\n%s", err, out)
	}
	limit := 20 * time.Since(begun) // of a mutant that does not end
	results := map[string]bool{}
	var (
		wg    sync.WaitGroup
		mu    sync.Mutex
		slots = make(chan struct{}, runtime.GOMAXPROCS(0))
	)
	for i, name := range all {
		if !matches.MatchString(name) {
			continue
		}
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			_, err := test(ctx, dir, i, own(name), limit)
			if err == nil {
				_, err = test(ctx, dir, i, ".", limit)
			}
			mu.Lock()
			defer mu.Unlock()
			results[name] = err == nil
		})
	}
	wg.Wait()
	return results, context.Cause(ctx)
}

// report prints the mutants that live, and what is wrong with the list of reasons.
func report(w io.Writer, all []string, results map[string]bool, reasons map[string]string) error {
	faults, unseen := 0, 0
	for _, name := range all {
		lives, tested := results[name]
		reason, isKnown := reasons[name]
		switch {
		case lives && !isKnown:
			fmt.Fprintf(w, "lives: %s\n", name)
			faults++
		case lives:
			fmt.Fprintf(w, "lives: %s: %s\n", name, reason)
			unseen++
		case isKnown && tested:
			fmt.Fprintf(w, "is seen now, so it leaves the list: %s\n", name)
			faults++
		}
	}
	for _, name := range slices.Sorted(maps.Keys(reasons)) {
		if !slices.Contains(all, name) {
			fmt.Fprintf(w, "is no mutant, so it leaves the list: %s\n", name)
			faults++
		}
	}
	if faults > 0 {
		return fmt.Errorf("%d faults, %d mutants", faults, len(results))
	}
	fmt.Fprintf(w, "%d mutants: all are seen but %d, which have a reason\n", len(results), unseen)
	return nil
}

// readReasons returns the reasons for which mutants may survive, by their names. A line is a name, a tab and a reason.
func readReasons(known string) (map[string]string, error) {
	reasons := map[string]string{}
	if known == "" {
		return reasons, nil
	}
	data, err := os.ReadFile(known)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(data)) {
		if line == "\n" || line[0] == '#' {
			continue
		}
		name, reason, found := strings.Cut(strings.TrimSpace(line), "\t")
		if !found {
			return nil, fmt.Errorf("%s: no tab in %q", known, line)
		}
		reasons[name] = reason
	}
	return reasons, nil
}

// build builds the tests with all mutants, and returns the names of these.
func build(ctx context.Context, dir string) ([]string, error) {
	releases, err := releases("internal/kserve/version.go")
	if err != nil {
		return nil, err
	}
	m := mutator{releases: releases, replace: map[string]string{}, dir: dir}
	for _, pkg := range packages {
		files, err := filepath.Glob(filepath.Join(pkg, "*.go"))
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			if err := m.file(file); err != nil {
				return nil, err
			}
		}
	}
	if err := m.write("transform/switches.go", []byte(switches)); err != nil {
		return nil, err
	}
	overlay, err := json.Marshal(map[string]any{"Replace": m.replace})
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, "overlay.json"), overlay, 0o666); err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-overlay="+filepath.Join(dir, "overlay.json"),
		"-o", filepath.Join(dir, "rules.test"), "./transform/rules")
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, out)
	}
	return m.names, nil
}

// switches are in package transform, between an edge and what a mutant makes of it.
const switches = `package transform

import (
	"cmp"
	"os"
	"strconv"
)

var number, _ = strconv.Atoi(os.Getenv("MUTANT"))

func Mutated[T any](mutant int, without, with T) T {
	if mutant == number {
		return with
	}
	return without
}

func LSS[T cmp.Ordered](mutant int, a, b T) bool { return a < b || mutant == number && a == b }
func LEQ[T cmp.Ordered](mutant int, a, b T) bool { return a < b || mutant != number && a == b }
func GTR[T cmp.Ordered](mutant int, a, b T) bool { return a > b || mutant == number && a == b }
func GEQ[T cmp.Ordered](mutant int, a, b T) bool { return a > b || mutant != number && a == b }
`

// own returns a regular expression for the cases of the rule whose file a mutant is in, or for no case.
func own(mutant string) string {
	file, _, _ := strings.Cut(mutant, ".go:")
	return "^" + strings.ToUpper(path.Base(file)) + "$"
}

// test runs the golden cases that match a regular expression, with a mutant or with none.
func test(ctx context.Context, dir string, mutant int, cases string, limit time.Duration) ([]byte, error) {
	cmd := exec.CommandContext(ctx, filepath.Join(dir, "rules.test"), "-test.run=^TestRules$/"+cases, "-test.failfast",
		"-test.timeout="+limit.String())
	cmd.Dir = "transform/rules"
	cmd.Env = append(os.Environ(), fmt.Sprint("MUTANT=", mutant), "UPDATE_GOLDEN=")
	return cmd.CombinedOutput()
}
