package argocd_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/argocd"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/stack"
)

var figuresFile = flag.String("figures", "", "file for what TestFigures measures, as JSON")

// figures is what bench writes to docs/performance.md.
type figures struct {
	ArgoCD            string  // the release
	RequestsPerSecond float64 // from four clients
	PluginCPU         float64 // ms per request, user plus system
	PeakMemory        int64   // anonymous bytes of the plugin's processes together, with 32 requests at once
}

// TestFigures measures the newest argocd-cmp-server with the overlay of the benchmark, which has a patch.
func TestFigures(t *testing.T) {
	if *figuresFile == "" {
		t.Skip("only with -figures")
	}
	version := argocd.Versions[len(argocd.Versions)-1]
	sidecar := startSidecar(t, stack.New(t), version, factsPatch)
	examples, _ := exampleApps(t)
	const app = "two-environments/overlays/production"
	source := argocd.Source{Repository: examples, Path: app, Env: appEnv(app)}
	ask := func(clients int, limit time.Duration) int64 { return ask(t, sidecar, source, clients, limit) }

	ask(4, time.Second) // the first requests wait for pages of the programs
	found := figures{ArgoCD: version.Name(t)}
	before, start := childrenCPU(t, sidecar.PID), time.Now()
	requests := ask(4, 10*time.Second)
	found.RequestsPerSecond = float64(requests) / time.Since(start).Seconds()
	found.PluginCPU = float64((childrenCPU(t, sidecar.PID) - before).Microseconds()) / 1e3 / float64(requests)

	done, peak := make(chan struct{}), make(chan int64)
	go func() { peak <- pluginMemory(done) }()
	ask(32, 5*time.Second)
	close(done)
	found.PeakMemory = <-peak

	text, err := json.MarshalIndent(found, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(*figuresFile, append(text, '\n'), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Logf("%s", text)
}

// ask has clients ask for the manifests until the time is up, each one request after the other, and returns how many
// requests were answered.
func ask(
	t *testing.T, sidecar *argocd.Sidecar, source argocd.Source, clients int, limit time.Duration,
) (answered int64) {
	t.Helper()
	end := time.Now().Add(limit)
	var count atomic.Int64
	var group sync.WaitGroup
	for range clients {
		group.Go(func() {
			for time.Now().Before(end) {
				if _, err := sidecar.Generate(t.Context(), source); err != nil {
					t.Error(err)
					return
				}
				count.Add(1)
			}
		})
	}
	group.Wait()
	return count.Load()
}

// childrenCPU returns the CPU time, user plus system, of the children of a process that have ended: fields 16 and 17 of
// /proc/PID/stat (man 5 proc_pid_stat), in hundredths of a second.
func childrenCPU(t *testing.T, pid int) time.Duration {
	t.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(stat), ") ") // the name of the program may hold blanks
	fields := strings.Fields(rest)
	var user, system time.Duration
	if _, err := fmt.Sscan(fields[13]+" "+fields[14], &user, &system); err != nil {
		t.Fatal(err)
	}
	return (user + system) * time.Second / 100
}

// pluginMemory returns the most anonymous memory that the plugin's processes have together until done is closed.
func pluginMemory(done chan struct{}) (peak int64) {
	for tick := time.NewTicker(5 * time.Millisecond); ; {
		select {
		case <-done:
			tick.Stop()
			return peak
		case <-tick.C:
			peak = max(peak, pluginMemoryNow())
		}
	}
}

func pluginMemoryNow() (sum int64) {
	processes, err := stack.Processes()
	if err != nil {
		return 0
	}
	for pid, command := range processes {
		if !strings.Contains(command, "argocd-kserve-plugin") || !strings.Contains(command, "generate") {
			continue
		}
		status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid)) // nothing if it ended meanwhile
		var kilobytes int64
		if _, line, found := strings.Cut(string(status), "RssAnon:"); found {
			_, _ = fmt.Sscan(line, &kilobytes)
		}
		sum += kilobytes << 10
	}
	return sum
}
