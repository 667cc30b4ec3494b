// Proofs checks that the tests that docs/evidence names as proofs can fail. Each archive in testdata/proofs has the
// mutants of one package's tests: its first line is the package, and each file is a mutant. The file's name has the
// tests that the mutant makes fail, and the file says what is broken then, in which source, and how: lines that begin
// with - are replaced by those that begin with +.
//
// A mutant is built with an overlay, so no source changes. Of the tests in the archive those that the mutant names have
// to fail, and no others.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/tools/txtar"
)

func main() {
	run := flag.String("run", "", "only the mutants whose package, tests or sentence match this `regexp`")
	parallel := flag.Int("parallel", 2, "how many mutants are tested at once")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := proofs(ctx, os.Stdout, *run, *parallel, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// proofs tests the mutants of archives, and prints a line for each.
func proofs(ctx context.Context, w io.Writer, run string, parallel int, archives []string) error {
	matches, err := regexp.Compile(run)
	if err != nil {
		return err
	}
	var all []mutant
	for _, name := range archives {
		mutants, err := read(name)
		if err != nil {
			return err
		}
		all = append(all, mutants...)
	}
	all = slices.DeleteFunc(all, func(m mutant) bool { return !matches.MatchString(m.String()) })
	if len(all) == 0 {
		return fmt.Errorf("no mutant matches %q", run)
	}
	var (
		wg     sync.WaitGroup
		mu     sync.Mutex
		failed int
		slots  = make(chan struct{}, parallel)
	)
	for _, m := range all {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			start := time.Now()
			err := m.test(ctx)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				failed++
				fmt.Fprintf(w, "FAIL %5.1fs %s\n     %v\n", time.Since(start).Seconds(), m, err)
				return
			}
			fmt.Fprintf(w, "ok   %5.1fs %s\n", time.Since(start).Seconds(), m)
		})
	}
	wg.Wait()
	if failed > 0 {
		return fmt.Errorf("%d of %d mutants do not make the proof fail that they name, and no other", failed, len(all))
	}
	fmt.Fprintf(w, "%d mutants, each of which makes its proof fail and no other\n", len(all))
	return nil
}

// maxOutput is how much is shown of what tests print, in bytes.
const maxOutput = 1500

// mutant is a wrong program.
type mutant struct {
	pkg      string   // the package of the tests
	proofs   []string // all tests in the archive
	tests    []string // those that have to fail
	what     string   // what is broken
	source   string   // the file that changes
	from, to string   // what is there, and what replaces it
}

func (m mutant) String() string {
	return fmt.Sprintf("%s %s: %s", m.pkg, strings.Join(m.tests, " "), m.what)
}

// read returns the mutants in an archive.
func read(name string) ([]mutant, error) {
	archive, err := txtar.ParseFile(name)
	if err != nil {
		return nil, err
	}
	pkg, _, _ := strings.Cut(string(archive.Comment), "\n")
	var proofs []string
	for _, file := range archive.Files {
		proofs = append(proofs, strings.Fields(file.Name)...)
	}
	slices.Sort(proofs)
	proofs = slices.Compact(proofs)
	var mutants []mutant
	for _, file := range archive.Files {
		m := mutant{pkg: pkg, proofs: proofs, tests: strings.Fields(file.Name)}
		slices.Sort(m.tests)
		var head []string
		for line := range strings.Lines(string(file.Data)) {
			switch {
			case line[0] == '-':
				m.from += line[1:]
			case line[0] == '+':
				m.to += line[1:]
			case line != "\n":
				head = append(head, strings.TrimSuffix(line, "\n"))
			}
		}
		if len(head) != 2 || m.from == "" {
			return nil, fmt.Errorf("%s: %s: a mutant is a sentence, a file, and lines with - and +", name, file.Name)
		}
		m.what, m.source = head[0], head[1]
		mutants = append(mutants, m)
	}
	return mutants, nil
}

// test returns an error if other proofs than those of the mutant fail.
func (m mutant) test(ctx context.Context) error {
	text, err := os.ReadFile(m.source)
	if err != nil {
		return err
	}
	if n := bytes.Count(text, []byte(m.from)); n != 1 {
		return fmt.Errorf("%s has the lines %d times that it replaces", m.source, n)
	}
	dir, err := os.MkdirTemp("", "proofs")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	overlay, err := writeOverlay(dir, m.source, bytes.Replace(text, []byte(m.from), []byte(m.to), 1))
	if err != nil {
		return err
	}
	var patterns []string
	for _, proof := range m.proofs {
		patterns = append(patterns, "^"+strings.ReplaceAll(proof, "/", "$/^")+"$")
	}
	cmd := exec.CommandContext(ctx, "go", "test", "-json", "-vet=off", "-timeout=5m", "-overlay="+overlay,
		"-run="+strings.Join(patterns, "|"), m.pkg)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	passes := cmd.Run() == nil
	failed, output, err := failures(&stdout, m.proofs)
	switch {
	case err != nil:
		return fmt.Errorf("%w\n%s", err, &stderr)
	case passes:
		return fmt.Errorf("it survives: %s passes", strings.Join(m.tests, " and "))
	case !slices.Equal(failed, m.tests):
		return fmt.Errorf("%q fail\n%s", failed, output[:min(len(output), maxOutput)])
	}
	return nil
}

// writeOverlay writes a file for go test into a folder that puts a text in the place of a source, and returns its path.
func writeOverlay(dir, source string, text []byte) (string, error) {
	changed, overlay := filepath.Join(dir, filepath.Base(source)), filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(changed, text, 0o666); err != nil {
		return "", err
	}
	replace, err := json.Marshal(map[string]any{"Replace": map[string]string{source: changed}})
	if err != nil {
		return "", err
	}
	return overlay, os.WriteFile(overlay, replace, 0o666)
}

// failures returns which of the proofs fail, sorted, and what the tests print.
func failures(events io.Reader, proofs []string) (failed []string, output string, err error) {
	running := map[string]bool{} // a panic in a goroutine ends the tests that run
	for decoder := json.NewDecoder(events); ; {
		var event struct{ Action, Test, Output, FailedBuild string }
		if err := decoder.Decode(&event); err == io.EOF {
			for test := range running {
				failed = append(failed, test)
			}
			slices.Sort(failed)
			return failed, output, nil
		} else if err != nil {
			return nil, output, err
		}
		if event.FailedBuild != "" {
			return nil, output, fmt.Errorf("it does not build: %s", output)
		}
		if !strings.HasPrefix(event.Output, "=== ") && !strings.Contains(event.Output, "--- PASS: ") {
			output += event.Output
		}
		if !slices.Contains(proofs, event.Test) {
			continue
		}
		switch event.Action {
		case "run":
			running[event.Test] = true
		case "fail":
			failed = append(failed, event.Test)
			delete(running, event.Test)
		case "pass", "skip":
			delete(running, event.Test)
		}
	}
}
