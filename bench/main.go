// Bench compares the plugin with well-known programs on the same input in the same run. It prints ratios, because times
// describe the machine more than the program.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"
)

// repairs is a yq expression for what the plugin does to the InferenceServices that bench generates.
const repairs = `with(select(.kind == "InferenceService");
  .metadata.annotations."argocd-kserve-plugin/health-conditions" = "IngressReady,PredictorReady,Ready" |
  .spec.predictor.containers[0].readinessProbe.httpGet = {"path": "/v2/health/ready", "port": 8080} |
  del(.spec.predictor.containers[0].readinessProbe.exec))`

// known is what the rules need to know to repair everything.
var known = []string{"--kserve-version=0.15.2", "--default-deployment-mode=Standard", "--health-metadata=on"}

// race is one input and the commands that process it; the first is the plugin.
type race struct {
	name     string
	commands [][]string
}

func main() {
	plugin := flag.String("plugin", "bin/argocd-kserve-plugin", "the binary to measure")
	tools := flag.String("tools", "", "folder with the programs to compare with")
	runs := flag.Int("runs", 5, "runs of each command; the fastest counts")
	growth := flag.Bool("growth", false, "measure how time and memory grow with the input, instead of comparing")
	flag.Parse()
	measured := func() error { return run(*plugin, *tools, *runs) }
	if *growth {
		measured = func() error { return grow(*plugin, *runs) }
	}
	if err := measured(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(plugin, tools string, runs int) error {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	foreign, services := filepath.Join(dir, "foreign.yaml"), filepath.Join(dir, "services.yaml")
	overlay := filepath.Join(dir, "overlay")
	if err := generate(foreign, services, overlay); err != nil {
		return err
	}
	yq, kustomize := filepath.Join(tools, "yq"), filepath.Join(tools, "kustomize")
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "input\tprogram\ttime\tthe plugin takes")
	for _, r := range []race{
		{"36 MB of other kinds", [][]string{
			{plugin, "generate", foreign},
			{"cat", foreign},
			{yq, ".", foreign},
		}},
		{"5,000 InferenceServices", [][]string{
			append([]string{plugin, "generate", services}, known...),
			{"cat", services},
			{yq, repairs, services},
		}},
		{"kustomize overlay", [][]string{
			{plugin, "generate", "--root=" + dir, overlay},
			{kustomize, "build", overlay},
		}},
	} {
		if err := r.run(table, runs); err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
	}
	return table.Flush()
}

func (r race) run(table *tabwriter.Writer, runs int) error {
	best := make([]time.Duration, len(r.commands))
	for range runs { // in turn, so that other load on the machine affects all programs alike
		for i, command := range r.commands {
			took, _, err := measure(command)
			if err != nil {
				return err
			}
			if best[i] == 0 || took < best[i] {
				best[i] = took
			}
		}
	}
	for i, command := range r.commands {
		ratio := ""
		if i > 0 {
			ratio = fmt.Sprintf("%.2f x", float64(best[0])/float64(best[i]))
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n",
			r.name, filepath.Base(command[0]), best[i].Round(time.Millisecond/10), ratio)
	}
	return nil
}

// measure times a command with its output going through a pipe, as under Argo CD.
func measure(command []string) (took time.Duration, state *os.ProcessState, err error) {
	cmd := exec.Command(command[0], command[1:]...)
	var stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = discard{}, &stderr
	start := time.Now()
	if err := cmd.Run(); err != nil {
		return 0, nil, fmt.Errorf("%s: %w\n%s", strings.Join(command, " "), err, &stderr)
	}
	return time.Since(start), cmd.ProcessState, nil
}

// discard is not an *os.File, so exec gives the command a pipe.
type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
