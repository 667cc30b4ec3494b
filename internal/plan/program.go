package plan

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
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/semver"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/lazyregexp"
)

// Name is what the program of a release is called, without the release.
const Name = "argocd-kserve-plugin-kserve-"

// Releases are those of KServe that have a program, the oldest first.
var Releases = []string{"0.13.1", "0.14.1", "0.15.0", "0.15.2", "0.16.0", "0.17.0", "0.19.0", "0.20.0"}

// Programs finds and starts the programs with KServe's code.
type Programs struct {
	Beside  string   // the folder of this program, which comes first
	Path    string   // the variable PATH
	Environ []string // for the program
}

// Find returns the program of a release, or an error that says how to get it.
func (p Programs) Find(release string) (string, error) {
	name, folder := fileName(release), ""
	for _, dir := range append([]string{p.Beside}, filepath.SplitList(p.Path)...) {
		if dir == "" {
			continue
		}
		path, err := filepath.Abs(filepath.Join(dir, name)) // or the start would look on PATH again
		if err != nil {
			return "", err
		}
		switch info, err := os.Stat(path); {
		case err != nil:
		case info.IsDir():
			folder = path
		default:
			return path, nil
		}
	}
	if folder != "" {
		return "", fmt.Errorf("%s is a folder: the program with KServe's own code belongs in its place", folder)
	}
	if !slices.Contains(Releases, release) {
		return "", fmt.Errorf("there is no program with the code of KServe %s, only of %s", release, strings.Join(Releases, ", "))
	}
	return "", fmt.Errorf("the program %s%s, with KServe's own code, is missing in the folder of this program and on PATH: "+
		"build it with make plan KSERVE=%[2]s in the plugin's repository",
		Name, release)
}

// fileName is that of the program of a release.
func fileName(release string) string {
	if runtime.GOOS == "windows" {
		return Name + release + ".exe"
	}
	return Name + release
}

// Near is the newest release with a program that is older, or the oldest.
func Near(release string) string {
	found := Releases[0]
	for _, r := range Releases {
		if semver.Compare("v"+r, "v"+release) < 0 {
			found = r
		}
	}
	return found
}

// noMemory is how Go reports that the kernel gives no more memory. The program has the limit of this one.
var noMemory = lazyregexp.New(`(?m)^(runtime|fatal error): .*(out of memory|cannot allocate memory)`)

// Run starts a program. It ends it when the context is done.
func (p Programs) Run(ctx context.Context, path string, request Request) (*Answer, error) {
	request.Version = wireVersion
	input, err := json.Marshal(request)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, path)
	cmd.Env, cmd.WaitDelay = p.Environ, time.Second
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // it removes its files; after WaitDelay it is killed
	cmd.Stdin = bytes.NewReader(input)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	name := filepath.Base(path)
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.As(err, &exit) && noMemory().MatchString(stderr.String()):
		return nil, fmt.Errorf("%s: gave up: it takes more memory than the setting max-memory allows; plan fewer sources at "+
			"once, or raise max-memory", name)
	case errors.As(err, &exit):
		return nil, fmt.Errorf("%s: %s (%w)", name, said(stderr.String()), err)
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s is there, but not the interpreter that it names", path)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var answer Answer
	if err := json.Unmarshal(stdout.Bytes(), &answer); err != nil {
		return nil, fmt.Errorf("%s: its answer is no JSON: %w", name, err)
	}
	if answer.Version != wireVersion {
		return nil, fmt.Errorf("%s: its answer has version %d, this program reads %d: take both from one release of the plugin",
			name, answer.Version, wireVersion)
	}
	if name != fileName(answer.Release) {
		return nil, fmt.Errorf("%s: it has the code of KServe %s: take both programs from one release of the plugin", name,
			answer.Release)
	}
	if err := answer.fault(request); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &answer, nil
}

// said returns the line in which a program says why it failed: the first that is an error or a crash, because KServe's
// code may have logged something before.
func said(stderr string) string {
	said := "it failed without a word"
	for line := range strings.Lines(stderr) {
		line = strings.TrimSpace(line)
		if reason, found := strings.CutPrefix(line, "error: "); found {
			return reason
		}
		if strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") {
			return line
		}
		if line != "" {
			said = line
		}
	}
	return said
}
