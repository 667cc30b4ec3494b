package memory

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

const (
	timeout = 10 * time.Second
	slack   = 2 * time.Second // the process starts, and ends
)

// TestBombs lets each bomb end the process that it hits. The peak of its memory is that of the kernel's accounting.
func TestBombs(t *testing.T) {
	for _, bomb := range bombs() {
		for _, mib := range []int{64, 256, 512} {
			t.Run(fmt.Sprintf("%s/%d", bomb.name, mib), func(t *testing.T) {
				dir := t.TempDir()
				if err := bomb.write(t.Context(), dir); err != nil {
					t.Fatal(err)
				}
				start := time.Now()
				ctx, cancel := context.WithTimeout(t.Context(), timeout+slack)
				defer cancel()
				cmd := exec.CommandContext(ctx, plugin, bomb.args...)
				var stdout, stderr bytes.Buffer
				cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &stdout, &stderr
				cmd.Env = append(os.Environ(), "GOMEMLIMIT=200MiB", "ARGOCD_APP_NAME=iris",
					fmt.Sprintf("ARGOCD_KSERVE_PLUGIN_MAX_MEMORY=%dMiB", mib),
					"ARGOCD_KSERVE_PLUGIN_TIMEOUT="+timeout.String())
				err := cmd.Run()
				if ctx.Err() != nil {
					t.Fatalf("still runs %v after the setting timeout", slack)
				}
				code, text := cmd.ProcessState.ExitCode(), stderr.String()
				if code != bomb.code && (bomb.code != either || code != reported && code != failed) {
					t.Errorf("%v, want exit code %d", err, bomb.code)
				}
				if code == failed && (stdout.Len() > 0 || !strings.HasPrefix(text, "iris: ") || strings.Count(text, "\n") != 1) {
					t.Errorf("%d bytes on standard output, and standard error is not one line:\n%.2000s", stdout.Len(), text)
				}
				peak, most := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss>>10, int64(mib)*13/10+72
				if peak > most {
					t.Errorf("took %d MiB, more than %d", peak, most)
				}
				t.Logf("%d of %d MiB, %v: %.120s", peak, most, time.Since(start).Round(time.Millisecond), text)
			})
		}
	}
}

// TestContainer runs four bombs and an application at once in a container with the memory that the installed sidecar
// has. The kernel ends none of them, and the application is rendered.
func TestContainer(t *testing.T) {
	group := newCgroup(t, 2<<30)
	dir := t.TempDir()
	var run strings.Builder
	for i, bomb := range slices.DeleteFunc(bombs(), func(b bomb) bool {
		return !slices.Contains([]string{"chart/repeat", "chart/indexed precision", "lua/concat", "chart/nested includes"}, b.name)
	}) {
		app := fmt.Sprintf("%s/%d", dir, i)
		if err := bomb.write(t.Context(), app); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&run, "(cd %s; '%s' %s >out 2>err; echo $? >code) &\n", app, plugin, strings.Join(bomb.args, " "))
	}
	harmless := filepath.Join(dir, "harmless")
	if err := (bomb{files: map[string]string{
		"cm.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n",
	}}).write(t.Context(), harmless); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(&run, "(cd %s; '%s' generate >out 2>err; echo $? >code) &\nwait\n", harmless, plugin)
	enter := fmt.Sprintf("echo $$ >%s/cgroup.procs && mount --bind %[1]s %s || exit\n", group.dir, group.mount)
	cmd := exec.CommandContext(t.Context(), "unshare", "--mount", "--pid", "--fork", "--mount-proc", "sh", "-c", enter+run.String())
	cmd.Env = append(os.Environ(), "GOMEMLIMIT=200MiB", "ARGOCD_APP_NAME=iris", "ARGOCD_KSERVE_PLUGIN_MAX_MEMORY=512MiB",
		"ARGOCD_KSERVE_PLUGIN_TIMEOUT=1m")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, app := range []string{"0", "1", "2", "3", "harmless"} {
		want := "2\n"
		if app == "harmless" {
			want = "0\n"
		}
		if code := read(t, filepath.Join(dir, app, "code")); code != want {
			t.Errorf("%s: exit code %q, want %q: %s", app, code, want, read(t, filepath.Join(dir, app, "err")))
		}
	}
	if killed := group.killed(t); killed != 0 {
		t.Errorf("the kernel ended %d processes", killed)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Error(err)
	}
	return string(data)
}
