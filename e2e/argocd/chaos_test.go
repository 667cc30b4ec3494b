package argocd_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/argocd"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/stack"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/wait"
)

var (
	chaosFor  = flag.Duration("chaos-for", 2*time.Minute, "how long TestChaos breaks things, all cases together")
	chaosSeed = flag.Uint64("chaos-seed", uint64(time.Now().UnixNano()), "what TestChaos draws its random numbers from")
)

// serverCases are cases against argocd-cmp-server, directCases those against the plugin as a process of the test.
var (
	serverCases = []struct {
		name  string
		patch string // of the sidecar
		run   func(*chaos, *argocd.Sidecar, []chaosSource)
	}{
		{"the plugin is killed", factsPatch, (*chaos).killed},
		{"callers go away", factsPatch, (*chaos).gone},
		{"64 at once", factsPatch, (*chaos).atOnce},
		{"full disk", smallDisk, (*chaos).serverDiskFull},
	}
	directCases = []struct {
		name string
		run  func(*chaos, *direct)
	}{
		{"the plugin is killed", (*chaos).directKilled},
		{"the reader goes away or stops", (*chaos).reader},
		{"full disk", (*chaos).directDiskFull},
		{"the tree changes", (*chaos).treeChanges},
	}
)

// smallDisk gives the sidecar a small volume.
const smallDisk = factsPatch + "          resources: {limits: {ephemeral-storage: 8Mi}}\n"

// TestChaos breaks things at random moments. Every answer must be the complete output or an error that says why,
// argocd-cmp-server must survive, and nothing may be left. With several processes at work the seed repeats what is
// done, not exactly when.
func TestChaos(t *testing.T) {
	t.Logf("-chaos-seed %d", *chaosSeed)
	share := *chaosFor / time.Duration(len(argocd.Versions)*len(serverCases)+len(directCases))
	for _, version := range argocd.Versions {
		t.Run(version.Name(t), func(t *testing.T) {
			for _, tc := range serverCases {
				table.Run(t, version.Name(t), "chaos: "+tc.name, func(t *testing.T) {
					s := stack.New(t)
					sidecar := startSidecar(t, s, version, tc.patch)
					sources := chaosSources(t, sidecar)
					before := processes(t)
					c := newChaos(t, share)
					tc.run(c, sidecar, sources)
					nothingLeft(t, sidecar)
					sameProcesses(t, before)
					for _, source := range sources {
						got, err := sidecar.Generate(t.Context(), source.Source)
						if err != nil || !slices.Equal(got, source.want) {
							t.Errorf("afterwards, %s: %d objects, %v", source.Path, len(got), err)
						}
					}
					c.report(sidecar)
				})
			}
		})
	}
	t.Run("plugin", func(t *testing.T) {
		for _, tc := range directCases {
			t.Run(tc.name, func(t *testing.T) {
				d := newDirect(t, stack.New(t))
				before := processes(t)
				c := newChaos(t, share)
				tc.run(c, d)
				sameProcesses(t, before)
				d.nothingLeft(t)
				c.report(nil)
			})
		}
	})
}

// sameProcesses waits until only the given processes are left.
func sameProcesses(t *testing.T, before map[int]string) {
	t.Helper()
	wait.For(t, "no process is left", func(context.Context) error {
		if now := processes(t); !maps.Equal(now, before) {
			return fmt.Errorf("%v, before %v", now, before)
		}
		return nil
	})
}

// chaos counts the outcomes of one case.
type chaos struct {
	t   *testing.T
	end time.Time // of the case's share of time

	mu       sync.Mutex
	random   *rand.Rand
	outcomes map[string]int
}

func newChaos(t *testing.T, share time.Duration) *chaos {
	return &chaos{
		t: t, end: time.Now().Add(share), random: rand.New(rand.NewPCG(*chaosSeed, 0)), outcomes: map[string]int{},
	}
}

// complete is the outcome beside the kinds of errors.
const complete = "complete"

// more reports whether the case goes on: it lasts until its time is over and each of the outcomes was seen.
func (c *chaos) more(outcomes ...string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.t.Failed() {
		return false
	}
	now := time.Now()
	for _, outcome := range outcomes {
		if c.outcomes[outcome] == 0 && now.After(c.end.Add(wait.Bound)) {
			c.t.Errorf("not within %v: %s; only %v", wait.Bound, outcome, c.outcomes)
			return false
		}
		if c.outcomes[outcome] == 0 {
			return true
		}
	}
	return now.Before(c.end)
}

func (c *chaos) count(outcome string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.outcomes[outcome]++
}

// n returns a random number below limit.
func (c *chaos) n(limit int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.random.IntN(limit)
}

// moment returns a channel that is ready after a random part of the duration.
func (c *chaos) moment(limit time.Duration) <-chan time.Time {
	return time.After(time.Duration(c.n(int(limit))))
}

func (c *chaos) report(sidecar *argocd.Sidecar) {
	c.t.Logf("outcomes: %v", c.outcomes)
	if sidecar == nil {
		return
	}
	use, ok, err := sidecar.Memory()
	if err != nil {
		c.t.Error(err)
	}
	if ok {
		c.t.Logf("memory of the container: %d MiB at most", use.Peak>>20)
	}
	if use.Kills > 0 {
		c.t.Errorf("the kernel killed %d processes of the container for want of memory", use.Kills)
	}
}

// errorKinds are the causes by which errors are counted, as parts of their texts.
var errorKinds = []string{
	"signal: killed", "signal: terminated", "terminated signal received", "no space left on device", "context canceled",
	"gave up after", "broken pipe", "EOF", "unexpected end of JSON", "not a regular file", "no such file or directory",
	"changed while it was read", "symbolic links", "outside", "escapes", "is a directory",
}

// fault counts an error by its cause, and prints it when it has none of the known ones.
func (c *chaos) fault(text string) {
	for _, kind := range errorKinds {
		if strings.Contains(text, kind) {
			c.count(kind)
			return
		}
	}
	c.t.Logf("an error: %s", text)
	c.count("other error")
}

// chaosSource is a source and what argocd-cmp-server answers when nothing disturbs it.
type chaosSource struct {
	argocd.Source
	want []string
	took time.Duration
}

// chaosSources are a small app, a kustomization and an app of half a megabyte.
func chaosSources(t *testing.T, sidecar *argocd.Sidecar) []chaosSource {
	t.Helper()
	repository := tree(t, map[string]string{
		"small/iris.yaml":               iris,
		"overlay/kustomization.yaml":    "resources: [../small-base]\nnamePrefix: prod-\n",
		"small-base/kustomization.yaml": "resources: [iris.yaml]\n",
		"small-base/iris.yaml":          iris,
		"large/many.yaml":               many(400),
	})
	var sources []chaosSource
	for _, path := range []string{"small", "overlay", "large"} {
		source := chaosSource{Source: argocd.Source{Repository: repository, Path: path, Env: appEnv(path)}}
		start := time.Now()
		var err error
		if source.want, err = sidecar.Generate(t.Context(), source.Source); err != nil {
			t.Fatal(err)
		}
		source.took = time.Since(start)
		equal(t, source.want, locally(t, source.Source))
		sources = append(sources, source)
	}
	return sources
}

// ask has the sidecar render the source, and judges the answer.
func (c *chaos) ask(ctx context.Context, sidecar *argocd.Sidecar, source chaosSource) {
	got, err := sidecar.Generate(ctx, source.Source)
	switch {
	case err == nil && slices.Equal(got, source.want):
		c.count(complete)
	case err == nil:
		c.t.Errorf("%s: success with %d objects that are not the %d of the source", source.Path, len(got), len(source.want))
	case len(got) > 0:
		c.t.Errorf("%s: %d objects and the error %v", source.Path, len(got), err)
	case strings.HasSuffix(strings.TrimSpace(err.Error()), "exit status 2") || strings.Contains(err.Error(), "goroutine "):
		c.t.Errorf("%s: an error that does not say why: %v", source.Path, err)
	default:
		c.fault(err.Error())
	}
}

// killed has four callers ask all the time, while the plugin's processes get SIGKILL and SIGTERM at random moments.
func (c *chaos) killed(sidecar *argocd.Sidecar, sources []chaosSource) {
	ctx, stop := context.WithCancel(c.t.Context())
	defer stop()
	var killer, callers sync.WaitGroup
	killer.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-c.moment(sources[len(sources)-1].took):
			}
			c.kill()
		}
	})
	for range 4 {
		callers.Go(func() {
			for c.more(complete, "signal: killed", "terminated signal received") {
				c.ask(ctx, sidecar, sources[c.n(len(sources))])
			}
		})
	}
	callers.Wait()
	stop()
	killer.Wait()
}

// kill ends one of the plugin's processes, if there is one.
func (c *chaos) kill() {
	running, err := stack.Processes()
	if err != nil {
		c.t.Error(err)
	}
	maps.DeleteFunc(running, func(_ int, command string) bool {
		return command != "/usr/local/bin/argocd-kserve-plugin generate"
	})
	if len(running) == 0 {
		return
	}
	victims := slices.Sorted(maps.Keys(running))
	signal := []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM}[c.n(2)]
	if err := syscall.Kill(victims[c.n(len(victims))], signal); err != nil && !errors.Is(err, syscall.ESRCH) {
		c.t.Error(err)
	}
}

// gone has callers go away at a random moment. argocd-cmp-server then ends the plugin.
func (c *chaos) gone(sidecar *argocd.Sidecar, sources []chaosSource) {
	var callers sync.WaitGroup
	for range 4 {
		callers.Go(func() {
			for c.more(complete, "context canceled") {
				source := sources[c.n(len(sources))]
				ctx, leave := context.WithCancel(c.t.Context())
				timer := time.AfterFunc(time.Duration(c.n(int(3*source.took))), leave)
				c.ask(ctx, sidecar, source)
				timer.Stop()
				leave()
			}
		})
	}
	callers.Wait()
}

// atOnce has 64 callers ask at the same time.
func (c *chaos) atOnce(sidecar *argocd.Sidecar, sources []chaosSource) {
	rounds, start := 0, time.Now()
	for ; c.more(complete); rounds++ {
		var callers sync.WaitGroup
		for i := range 64 {
			callers.Go(func() { c.ask(c.t.Context(), sidecar, sources[i%len(sources)]) })
		}
		callers.Wait()
	}
	c.t.Logf("%d rounds of 64 in %v", rounds, time.Since(start).Round(time.Millisecond))
}

// serverDiskFull leaves argocd-cmp-server and the plugin a random amount of space in /tmp: for nothing, for the archive
// that the repo-server sends, for the files in it, for all.
func (c *chaos) serverDiskFull(sidecar *argocd.Sidecar, sources []chaosSource) {
	for c.more(complete, "no space left on device") {
		free := fill(c.t, sidecar.Tmp, c.n(2<<20))
		c.ask(c.t.Context(), sidecar, sources[c.n(len(sources))])
		free()
	}
}

// fill leaves about as many bytes of the file system of dir as given, until free is called.
func fill(t *testing.T, dir string, leave int) (free func()) {
	t.Helper()
	var disk unix.Statfs_t
	if err := unix.Statfs(dir, &disk); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "ballast")
	file, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if size := int64(disk.Bfree)*disk.Bsize - int64(leave); size > 0 {
		if err := unix.Fallocate(int(file.Fd()), 0, 0, size); err != nil {
			t.Fatal(err)
		}
	}
	return func() {
		if err := os.Remove(name); err != nil {
			t.Error(err)
		}
	}
}
