// Package toolchain builds the real programs that the suites run, and the plugin under test.
//
// Programs are built once, from the modules under e2e/tools, into a cache folder outside the repository.
package toolchain

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"
)

// CacheVariable names the environment variable that moves the cache of built programs.
const CacheVariable = "E2E_CACHE"

// PluginVariable names the environment variable that gives a ready plugin binary to test instead of a fresh build.
const PluginVariable = "E2E_PLUGIN"

// Build returns the path of the program's executable, and builds it first when the cache has none for this version,
// module file and Go release. A cold build of a large program takes minutes and needs the module proxy.
func (t Tool) Build(ctx context.Context) (string, error) {
	target, err := t.target()
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(target); err == nil {
		return target, nil
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return "", err
	}
	fmt.Fprintf(os.Stderr, "building %s\n", filepath.Base(target))
	unlock, err := lock(ctx, target+".lock")
	if err != nil {
		return "", err
	}
	defer unlock()
	if _, err := os.Stat(target); err == nil {
		return target, nil // another suite built it while this one waited
	}
	dir, err := t.dir()
	if err != nil {
		return "", err
	}
	partial := target + ".partial"
	defer os.Remove(partial)
	ldflags := strings.TrimSpace("-s -w " + t.LDFlags)
	if _, err := run(ctx, dir, "build", "-ldflags", ldflags, "-o", partial, t.Package); err != nil {
		return "", err
	}
	return target, os.Rename(partial, target)
}

// Source returns the folder with the unpacked sources of the program's module, for the manifests it ships.
func (t Tool) Source(ctx context.Context) (string, error) {
	dir, err := t.dir()
	if err != nil {
		return "", err
	}
	out, err := run(ctx, dir, "mod", "download", "-json", t.Module)
	if err != nil {
		return "", err
	}
	var module struct{ Dir string }
	if err := json.Unmarshal(out, &module); err != nil {
		return "", err
	}
	return module.Dir, nil
}

// Prepare builds programs and the plugin, and downloads the sources of others.
func Prepare(ctx context.Context, programs, sources []Tool) error {
	for _, tool := range programs {
		if _, err := tool.Build(ctx); err != nil {
			return err
		}
	}
	for _, tool := range sources {
		if _, err := tool.Source(ctx); err != nil {
			return err
		}
	}
	_, err := Plugin(ctx)
	return err
}

// Plugin builds the plugin from the repository and returns the path of its executable, or the one that PluginVariable
// names. Called before the namespaces are entered, it sets PluginVariable, so
// that there is nothing to build inside.
func Plugin(ctx context.Context) (string, error) {
	if ready := os.Getenv(PluginVariable); ready != "" {
		return filepath.Abs(ready)
	}
	root, err := Repository()
	if err != nil {
		return "", err
	}
	cache, err := cache()
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp(cache, "build-") // its own, as tests and suites build at the same time
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	const name = "argocd-kserve-plugin"
	partial, target := filepath.Join(dir, name), filepath.Join(cache, name)
	if _, err := run(ctx, root, "build", "-trimpath", "-ldflags", "-s -w", "-o", partial, "./cmd/"+name); err != nil {
		return "", err
	}
	if err := os.Rename(partial, target); err != nil {
		return "", err
	}
	return target, os.Setenv(PluginVariable, target)
}

// Program returns the path of the program with KServe's own code that make plan builds for a release, such as v0.20.0.
func Program(version string) (string, error) {
	root, err := Repository()
	if err != nil {
		return "", err
	}
	version = strings.TrimPrefix(version, "v")
	path := filepath.Join(root, "bin", "argocd-kserve-plugin-kserve-"+version)
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("%w: make plan KSERVE=%s builds it", err, version)
	}
	return path, nil
}

// Repository returns the top folder of the repository that holds the running suite.
func Repository() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for ; ; dir = filepath.Dir(dir) {
		if info, err := os.Stat(filepath.Join(dir, "e2e", "tools")); err == nil && info.IsDir() {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", errors.New("no folder above the working directory holds e2e/tools: run the suite inside the repository")
		}
	}
}

func cache() (string, error) {
	if dir := os.Getenv(CacheVariable); dir != "" {
		return filepath.Abs(dir)
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("set %s: %w", CacheVariable, err)
	}
	return filepath.Join(dir, "argocd-kserve-plugin-e2e"), nil
}

// target is keyed by what decides the bytes of the executable.
func (t Tool) target() (string, error) {
	cache, err := cache()
	if err != nil {
		return "", err
	}
	version, err := t.Version()
	if err != nil {
		return "", err
	}
	sum, err := t.sum()
	if err != nil {
		return "", err
	}
	return filepath.Join(cache, fmt.Sprintf("%s-%s-%s-%s", t.Name, version, runtime.Version(), sum)), nil
}

// lock keeps a second suite from building the same program at the same time.
func lock(ctx context.Context, path string) (unlock func(), err error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	locked := make(chan error, 1)
	go func() { locked <- unix.Flock(int(file.Fd()), unix.LOCK_EX) }()
	select {
	case <-ctx.Done():
		return nil, ctx.Err() // the wait for the lock ends with this process
	case err = <-locked:
	}
	if err != nil {
		file.Close()
		return nil, &fs.PathError{Op: "lock", Path: path, Err: err}
	}
	return func() { file.Close() }, nil
}

func run(ctx context.Context, dir string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, stderr.String())
	}
	return out, nil
}
