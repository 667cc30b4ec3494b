// Package handover lets the main program become the one with Helm before its large packages are initialized, when it
// generates the manifests of a chart: their start takes as long as a small chart.
//
// Importing it is enough. Of the packages whose imports are initialized, Go takes the one whose path comes first
// (https://go.dev/ref/spec#Program_initialization), so this one, with its few imports, comes early. In another order
// the program is only slower: package cli does the same later, for every command and all settings.
package handover

import (
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

func init() { _ = handOver() }

// handOver returns if the arguments name no chart, or if there is no program with Helm. That one does whatever this one
// would do, so to become it is right even where the settings say that the chart is no source.
func handOver() error {
	if len(os.Args) < 2 || os.Args[1] != "generate" || !isChart(".") && !slices.ContainsFunc(os.Args[2:], isChart) {
		return nil
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	program := filepath.Join(filepath.Dir(self), "argocd-kserve-plugin-helm")
	if filepath.Base(os.Args[0]) == filepath.Base(program) { // it would start itself again and again
		return nil
	}
	return syscall.Exec(program, append([]string{program}, os.Args[1:]...), environment())
}

// environment is that of this process, with a collection of garbage only at 16 MiB, as package cli has it for a run
// with little memory: Helm's packages need a part of that before the run begins.
func environment() []string {
	if os.Getenv("GOGC") != "" {
		return os.Environ()
	}
	return append(os.Environ(), "GOGC=400")
}

func isChart(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, "Chart.yaml"))
	return err == nil
}
