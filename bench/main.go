// Bench measures the plugin against other programs on the same input, and against itself on a smaller one. It compares
// CPU time, because other load on the machine changes it least, and prints ratios, because times describe the machine
// more than the program.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

func main() {
	tools := flag.String("tools", "bin", "folder with the plugin and the programs to compare with")
	page := flag.String("page", "", "page to write the table to")
	sidecar := flag.String("sidecar", "", "file with what e2e/argocd measured, for more rows of the table")
	only := flag.String("only", "", "expression for the names of the cases to measure")
	budget := flag.Duration("for", 3*time.Second, "time for each case; the first three pairs of runs may take longer")
	flag.Parse()
	if err := run(*tools, *page, *sidecar, *only, *budget); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(tools, page, sidecar, only string, budget time.Duration) error {
	tools, err := filepath.Abs(tools)
	if err != nil {
		return err
	}
	wanted, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var results []result
	if page != "" {
		if err := awaitQuiet(); err != nil {
			return err
		}
	}
	start, before := time.Now(), load()
	fmt.Printf(row, heads...)
	for _, c := range cases {
		if !wanted.MatchString(c.name) {
			continue
		}
		r, err := c.measure(files{dir}, tools, budget)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		fmt.Printf(row, r.cells()...)
		results = append(results, r)
	}
	if sidecar != "" {
		measured, err := sidecarResults(sidecar)
		if err != nil {
			return err
		}
		for _, r := range measured {
			fmt.Printf(row, r.cells()...)
		}
		results = append(results, measured...)
	}
	if len(results) == 0 {
		return fmt.Errorf("no case matches %q", only)
	}
	if page != "" {
		if err := writePage(page, results, before, time.Since(start)); err != nil {
			return err
		}
	}
	return missed(results)
}

// missed returns an error that names the cases that miss their goal.
func missed(results []result) error {
	var names []string
	for _, r := range results {
		if r.verdict() == no {
			names = append(names, r.name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return fmt.Errorf("%d of %d cases miss their goal: %s", len(names), len(results), strings.Join(names, "; "))
}
