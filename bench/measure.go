package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	fewest = 3  // pairs of runs, however long they take
	enough = 51 // pairs of runs, however short they are
)

// result is what a case took: medians of all pairs of runs.
type result struct {
	testCase
	pairs  int
	ratio  float64
	cpu    time.Duration
	memory int64  // peak of anonymous memory in bytes; pages of files are not part of it
	input  int64  // size in bytes
	note   string // what else the row says
}

// measure runs both commands of a case in turn, so that other load affects them alike, and compares them pair by pair.
func (c testCase) measure(f files, tools string, budget time.Duration) (result, error) {
	r := result{testCase: c}
	own, err := newMeasured(c.command, starts[c.peer].own, f, tools)
	if err != nil {
		return r, err
	}
	other, err := newMeasured(c.other, starts[c.peer].other, f, tools)
	if err != nil {
		return r, err
	}
	var ratios []float64
	var times []time.Duration
	var peaks []int64
	for start := time.Now(); r.pairs < fewest || r.pairs < enough && time.Since(start) < budget; r.pairs++ {
		cpu, peak, err := own.run()
		if err != nil {
			return r, err
		}
		otherCPU, _, err := other.run()
		if err != nil {
			return r, err
		}
		ratios = append(ratios, float64(cpu)/float64(otherCPU))
		times, peaks = append(times, cpu), append(peaks, peak)
	}
	slices.Sort(ratios)
	slices.Sort(times)
	slices.Sort(peaks)
	middle := r.pairs / 2
	r.ratio, r.cpu, r.memory, r.input = ratios[middle], times[middle], peaks[middle], own.program.input
	if r.peer == cat {
		r.note = fmt.Sprintf(", %.2f ms per MB", r.cpu.Seconds()*1e9/float64(r.input))
	}
	return r, nil
}

// measured is a command and, if the start of its program does not count, another one that takes just that.
type measured struct{ program, start program }

func newMeasured(command, start string, f files, tools string) (m measured, err error) {
	if m.program, err = newProgram(command, f, tools); err != nil || start == "" {
		return m, err
	}
	m.start, err = newProgram(start, f, tools)
	return m, err
}

// run returns the CPU time of the command without the start, and its peak memory.
func (m measured) run() (cpu time.Duration, peak int64, err error) {
	cpu, peak, err = m.program.run()
	if err != nil || m.start.args == nil {
		return cpu, peak, err
	}
	start, _, err := m.start.run()
	return cpu - start, peak, err
}

// program is a command that can run many times.
type program struct {
	env, args []string
	stdin     string // file, or empty
	input     int64  // bytes in the input files
}

// newProgram reads a command as a shell does: variables of the environment come first, and the file for stdin last. It
// writes the inputs.
func newProgram(command string, f files, tools string) (program, error) {
	var p program
	var failed error
	words := strings.Fields(os.Expand(command, func(input string) string {
		text, size, err := f.write(input)
		if err != nil {
			failed = err
		}
		p.input += size
		return text
	}))
	if failed != nil {
		return p, failed
	}
	for strings.Contains(words[0], "=") {
		p.env, words = append(p.env, words[0]), words[1:]
	}
	if i := slices.Index(words, "<"); i > 0 {
		p.stdin, words = words[i+1], words[:i]
	}
	if tool := filepath.Join(tools, words[0]); fileExists(tool) {
		words[0] = tool
	}
	p.args = words
	return p, nil
}

func fileExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// run returns the CPU time of a command, user and system, and its peak memory. The output goes through a pipe, as under
// Argo CD.
func (p program) run() (cpu time.Duration, peak int64, err error) {
	cmd := exec.Command(p.args[0], p.args[1:]...)
	cmd.Env = append(os.Environ(), p.env...)
	var stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = discard{}, &stderr
	if p.stdin != "" {
		file, err := os.Open(p.stdin)
		if err != nil {
			return 0, 0, err
		}
		defer file.Close()
		cmd.Stdin = file
	}
	if err := cmd.Start(); err != nil {
		return 0, 0, err
	}
	watched := make(chan int64)
	go func() { watched <- watchMemory(cmd.Process.Pid) }()
	err = cmd.Wait()
	peak = <-watched
	if err != nil {
		return 0, 0, fmt.Errorf("%.200s: %w\n%s", strings.Join(p.args, " "), err, &stderr)
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), peak, nil
}

// watchMemory returns the largest anonymous memory that a process had until it ended. It looks every millisecond,
// because the kernel keeps no record of this peak.
func watchMemory(pid int) (peak int64) {
	file, err := os.Open(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	defer file.Close()
	for status := make([]byte, 8<<10); ; time.Sleep(time.Millisecond) {
		n, _ := file.ReadAt(status, 0)
		_, line, found := strings.Cut(string(status[:n]), "RssAnon:")
		if !found {
			return peak // the process has ended
		}
		var size int64
		if _, err := fmt.Sscan(line, &size); err != nil {
			return peak
		}
		peak = max(peak, size<<10)
	}
}

// discard is not an *os.File, so exec gives the command a pipe.
type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
