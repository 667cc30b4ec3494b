package argocd_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/argocd"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/stack"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/toolchain"
)

var figuresFile = flag.String("figures", "", "file for what TestFigures measures, as JSON")

// figures is what bench writes to docs/evidence/performance.md. The CPU times are user plus system.
type figures struct {
	ArgoCD           string  // the release
	AnswersPerSecond float64 // to four clients
	PluginCPU        float64 // ms per answer, in the plugin's processes
	ServerCPU        float64 // ms per answer, in argocd-cmp-server and the clients
	KustomizeCPU     float64 // ms per kustomize build of the same overlay
	PeakMemory       int64   // anonymous bytes of the plugin's processes together, with 32 requests at once
}

// TestFigures measures the newest argocd-cmp-server with the overlay of the benchmark, which has a patch. Other load
// makes everything slower, so the server and kustomize take turns, with four processes at once for both.
func TestFigures(t *testing.T) {
	if *figuresFile == "" {
		t.Skip("only with -figures")
	}
	kustomize, err := toolchain.Kustomize.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	version := argocd.Versions[len(argocd.Versions)-1]
	sidecar := startSidecar(t, stack.New(t), version, factsPatch)
	examples, _ := exampleApps(t)
	const app = "overlays/production"
	source := argocd.Source{Repository: filepath.Join(examples, "two-environments"), Path: app, Env: appEnv(app)}
	ask := func(clients int, limit time.Duration) int64 { return ask(t, sidecar, source, clients, limit) }
	const rounds, clients = 5, 4
	build := func() time.Duration {
		var took atomic.Int64
		var group sync.WaitGroup
		for range clients {
			group.Go(func() {
				cmd := exec.CommandContext(t.Context(), kustomize, "build", filepath.Join(source.Repository, app))
				if err := cmd.Run(); err != nil {
					t.Error(err)
					return
				}
				took.Add(int64(cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()))
			})
		}
		group.Wait()
		return time.Duration(took.Load())
	}

	ask(clients, time.Second) // the first requests wait for pages of the programs
	build()
	var answers int64
	var took, plugin, server, built time.Duration
	for range rounds {
		start, self, before := time.Now(), cpuOf(t, os.Getpid()), cpuOf(t, sidecar.PID)
		answers += ask(clients, 2*time.Second)
		took += time.Since(start)
		after := cpuOf(t, sidecar.PID)
		plugin += after.children - before.children
		server += after.own - before.own + cpuOf(t, os.Getpid()).own - self.own
		built += build()
	}
	each := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1e3 / float64(answers) }
	found := figures{
		ArgoCD: version.Name(t), AnswersPerSecond: float64(answers) / took.Seconds(),
		PluginCPU: each(plugin), ServerCPU: each(server),
		KustomizeCPU: float64(built.Microseconds()) / 1e3 / (rounds * clients),
	}

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

// cpu is the CPU time of a process, and of its children that have ended.
type cpu struct{ own, children time.Duration }

// cpuOf reads fields 14 to 17 of /proc/PID/stat (man 5 proc_pid_stat), which are in hundredths of a second.
func cpuOf(t *testing.T, pid int) cpu {
	t.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(stat), ") ") // the name of the program may hold blanks
	var times [4]time.Duration
	for i := range times {
		if _, err := fmt.Sscan(strings.Fields(rest)[11+i], &times[i]); err != nil {
			t.Fatal(err)
		}
		times[i] *= time.Second / 100
	}
	return cpu{times[0] + times[1], times[2] + times[3]}
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
