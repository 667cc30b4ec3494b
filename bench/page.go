package main

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"
)

const (
	row        = "%-66s  %-26s  %-20s  %-12s  %-18s  %s\n"
	no         = "**no**"
	begin, end = "<!-- measured: begin -->\n", "<!-- measured: end -->\n"
)

var heads = []any{"what", "against", "ratio of CPU time", "peak memory", "goal at most", "met"}

func (r result) cells() []any {
	memory := ""
	if r.memory > 0 {
		memory = fmt.Sprintf("%.0f MB", float64(r.memory)/1e6)
	}
	return []any{r.name, r.peer, fmt.Sprintf("%.2f", r.ratio) + r.note, memory, r.goals(), r.verdict()}
}

func (r result) goals() string {
	text := fmt.Sprintf("%g", r.most.ratio)
	if r.most.memory > 0 {
		text += fmt.Sprintf(", %.0f MB", float64(r.input+r.most.memory)/1e6)
	}
	return text
}

// verdict also says no where a run took no time or no memory: then it was not measured.
func (r result) verdict() string {
	inTime := r.ratio > 0 && r.ratio <= r.most.ratio
	inMemory := r.most.memory == 0 || r.memory > 0 && r.memory <= r.input+r.most.memory
	if inTime && inMemory {
		return "yes"
	}
	return no
}

// writePage replaces what was measured on a page.
func writePage(path string, results []result, before float64, took time.Duration) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	measuredWith, err := commit()
	if err != nil {
		return err
	}
	head, rest, ok := bytes.Cut(text, []byte(begin))
	_, tail, closed := bytes.Cut(rest, []byte(end))
	if !ok || !closed {
		return fmt.Errorf("%s: %q and %q are missing", path, begin, end)
	}
	var b bytes.Buffer
	b.Write(head)
	b.WriteString(begin)
	writeTable(&b, results)
	fmt.Fprintf(&b, "\nMeasured in %.0f minutes with commit %s, %s on %s and %d processors, with a load average of %.2f "+
		"before and %.2f after.\n",
		took.Minutes(), measuredWith, runtime.Version(), runtime.GOARCH, runtime.NumCPU(), before, load())
	b.WriteString(end)
	b.Write(tail)
	return os.WriteFile(path, b.Bytes(), 0o644)
}

func writeTable(b *bytes.Buffer, results []result) {
	line := strings.Repeat("| %s ", len(heads)) + "|\n"
	fmt.Fprintf(b, line, heads...)
	b.WriteString(strings.Repeat("|---", len(heads)) + "|\n")
	for _, r := range results {
		fmt.Fprintf(b, line, r.cells()...)
	}
}

// commit returns the commit that the programs were built from.
func commit() (string, error) {
	out, err := exec.Command("git", "rev-parse", "--short=8", "HEAD").Output()
	if err != nil {
		return "", fmt.Errorf("git rev-parse HEAD: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

// quiet is the load average above which the page is not written: other programs make the programs slower by different
// factors.
const quiet = 0.5

// patience is how long the load of what was built before may take to go down.
const patience = 5 * time.Minute

// awaitQuiet waits until the machine is quiet.
func awaitQuiet() error {
	for end := time.Now().Add(patience); load() > quiet; time.Sleep(time.Second) {
		if time.Now().After(end) {
			return fmt.Errorf("the load average is %.2f, more than %.1f: end the other programs, or leave out -page",
				load(), quiet)
		}
	}
	return nil
}

// load returns how many processes ran or waited for a processor, on average over the last minute. What it cannot tell
// is a high one.
func load() float64 {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return math.Inf(1)
	}
	average, err := strconv.ParseFloat(strings.Fields(string(text))[0], 64)
	if err != nil {
		return math.Inf(1)
	}
	return average
}
