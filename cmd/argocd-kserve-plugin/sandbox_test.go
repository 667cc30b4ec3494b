//go:build linux

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

const repository = "../../examples"

// apps are the examples that Argo CD would render, each a folder.
var apps = []string{"sklearn-logger", "multi-team/fraud", "triton-transformer", "two-environments/overlays/production"}

// run returns what generate prints in an app's folder with the given environment and nothing else.
func run(t *testing.T, app string, environ ...string) string {
	t.Helper()
	var out, diagnostics bytes.Buffer
	cmd := exec.Command("argocd-kserve-plugin", "generate")
	cmd.Dir, cmd.Env = filepath.Join(repository, app), environ
	cmd.Stdout, cmd.Stderr = &out, &diagnostics
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", app, err, &diagnostics)
	}
	return out.String()
}

// sandboxed is main in the folder that the first argument names below the working directory, on a read-only root, as
// an unknown user without a home.
func sandboxed() {
	if err := confine(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
	os.Args = append(os.Args[:1], os.Args[2:]...)
	main()
}

func confine(app string) error {
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("private mounts: %w", err)
	}
	// The folders above the working directory may be closed to the unknown user.
	if err := syscall.Mount(".", os.TempDir(), "", syscall.MS_BIND, ""); err != nil {
		return fmt.Errorf("another place for the examples: %w", err)
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(mounts)) {
		point := strings.Fields(line)[4]
		err := syscall.Mount("", point, "", syscall.MS_REMOUNT|syscall.MS_BIND|syscall.MS_RDONLY, "")
		if err != nil && (point == "/" || point == os.TempDir()) {
			return fmt.Errorf("%s read-only: %w", point, err)
		}
	}
	if err := os.WriteFile(filepath.Join(os.TempDir(), "probe"), nil, 0o600); !errors.Is(err, syscall.EROFS) {
		return fmt.Errorf("the temporary folder can still be written: %v", err)
	}
	if err := os.Chdir(filepath.Join(os.TempDir(), app)); err != nil {
		return err
	}
	return errors.Join(syscall.Setgroups(nil), syscall.Setgid(54321), syscall.Setuid(54321))
}

// The plugin needs no network, no writable file system, no known user and no home.
func TestSandbox(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root to make a read-only root and an empty network namespace")
	}
	for _, app := range apps {
		t.Run(app, func(t *testing.T) {
			environ := []string{"ARGOCD_APP_NAME=shop", "ARGOCD_APP_SOURCE_PATH=" + app}
			want := run(t, app, environ...)
			var out, diagnostics bytes.Buffer
			cmd := exec.Command("sandboxed", app, "generate")
			cmd.Dir, cmd.Env = repository, environ
			cmd.Stdout, cmd.Stderr = &out, &diagnostics
			cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWNET | syscall.CLONE_NEWPID}
			if err := cmd.Run(); err != nil {
				t.Fatalf("%v\n%s", err, &diagnostics)
			}
			if out.String() != want {
				t.Errorf("the output differs in the sandbox:\n%s", &out)
			}
		})
	}
}

// The output is a function of the manifests and settings alone, also when many run at once, and nothing is left behind.
func TestDeterministic(t *testing.T) {
	for _, app := range apps {
		t.Run(app, func(t *testing.T) {
			t.Parallel()
			want := run(t, app)
			var runs sync.WaitGroup
			for i, environ := range [][]string{
				{"TZ=Pacific/Auckland", "LANG=tr_TR.UTF-8", "LC_ALL=tr_TR.UTF-8"},
				{"GOMAXPROCS=1"}, {"GOMAXPROCS=16"}, {"GOGC=1"},
				{"KUBE_VERSION=1.29+", "KUBE_API_VERSIONS=v1,apps/v1", "ARGOCD_APP_NAME=a", "ARGOCD_APP_REVISION=0123abc"},
				{"KUBE_VERSION=v1.31.2k3s1", "ARGOCD_APP_NAME=", "ARGOCD_APP_NAMESPACE=", "ARGOCD_APP_PARAMETERS=null"},
				{"ARGOCD_APP_PARAMETERS=[]", "ARGOCD_APP_PROJECT_NAME=default", "HOME=/nonexistent"},
				{"ARGOCD_ENV_SOMETHING=else", "PARAM_KSERVE_VERSION=0.11.0"},
			} {
				runs.Go(func() {
					temporary := t.TempDir()
					environ = append(environ, "TMPDIR="+temporary, "ARGOCD_APP_SOURCE_PATH=examples/"+app)
					if got := run(t, app, environ...); got != want {
						t.Errorf("run %d: the output differs with %v", i, environ)
					}
					_ = filepath.WalkDir(temporary, func(path string, _ fs.DirEntry, err error) error {
						if path != temporary {
							t.Errorf("run %d left %s", i, path)
						}
						return err
					})
				})
			}
			runs.Wait()
		})
	}
}

// TestMemory runs sixteen at once over two thousand files, a tenth of them services, and holds each to the memory that
// docs/evidence/contract.md names.
func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("memory is measured without -short, which the race detector runs with")
	}
	const limit = 96 << 10 // KiB
	dir, peaks := t.TempDir(), t.TempDir()
	manifest, err := os.ReadFile(filepath.Join(repository, "sklearn-logger", "inferenceservice.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2000 {
		content := fmt.Appendf(nil, "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings-%d\n", i)
		if i%10 == 0 {
			content = bytes.ReplaceAll(manifest, []byte("name: churn\n"), fmt.Appendf(nil, "name: churn-%d\n", i))
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%04d.yaml", i)), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var runs sync.WaitGroup
	for i := range 16 {
		runs.Go(func() {
			file := filepath.Join(peaks, fmt.Sprint(i))
			cmd := exec.Command("measured", "generate", "--timeout=10m", dir)
			cmd.Env = []string{"GOMEMLIMIT=128MiB", peakFile + "=" + file, "PATH=" + os.Getenv("PATH")}
			if out, err := cmd.Output(); err != nil || len(out) == 0 {
				t.Errorf("%v, %d bytes", err, len(out))
			}
			if peak := peak(t, file); peak > limit {
				t.Errorf("used %d KiB, more than %d", peak, limit)
			}
		})
	}
	runs.Wait()
}
