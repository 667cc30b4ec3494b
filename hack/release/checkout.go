package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/semver"
)

// release is a commit on its way to become a release.
type release struct {
	version string    // the tag, with the v
	commit  string    // the full hash
	date    time.Time // of the commit: the time of everything in the release
	work    string    // a temporary folder
	source  string    // a clone of the commit with the tag, in work
}

// checkout clones the commit that is checked out in the working directory into a temporary folder and tags it there, so
// that the go command stamps the version into the programs whether or not the repository has the tag. Changes that are
// not committed are an error, because they would not be in the release.
func checkout(ctx context.Context, version string) (*release, error) {
	top, err := output(ctx, ".", "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, err
	}
	changed, err := output(ctx, top, "git", "status", "--porcelain", "--untracked-files=no")
	if err != nil {
		return nil, err
	}
	if changed != "" {
		return nil, fmt.Errorf("a release is made from a commit, and these changes are not in it; commit them first:\n%s",
			changed)
	}
	if version == "" {
		if version, err = output(ctx, top, "git", "describe", "--tags", "--exact-match", "--match", "v[0-9]*"); err != nil {
			return nil, fmt.Errorf("the commit has no tag, so give a version such as v0.2.0: %w", err)
		}
	}
	if semver.Canonical(version) != version {
		return nil, fmt.Errorf("%q is no version; one looks like v0.2.0 or v0.2.0-rc.1", version)
	}
	logged, err := output(ctx, top, "git", "log", "-1", "--format=%H %ct")
	if err != nil {
		return nil, err
	}
	commit, seconds, _ := strings.Cut(logged, " ")
	date, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return nil, err
	}
	work, err := os.MkdirTemp("", "release")
	if err != nil {
		return nil, err
	}
	r := &release{version: version, commit: commit, date: time.Unix(date, 0).UTC(), work: work,
		source: filepath.Join(work, "source")}
	for _, args := range [][]string{
		{"clone", "--quiet", "--no-tags", "--no-checkout", top, r.source},
		{"-C", r.source, "checkout", "--quiet", "--detach", commit},
		{"-C", r.source, "tag", version},
	} {
		if _, err := output(ctx, top, "git", args...); err != nil {
			return nil, errors.Join(err, os.RemoveAll(work))
		}
	}
	return r, nil
}

// noRelease is the version of what is built to be tested, and never published.
const noRelease = "v0.0.0"

var pinned = regexp.MustCompile(`(?m)^const Version = "(.*)"$`)

// checkVersion returns an error unless the commit is about the version, or it is a pre-release of that one. The
// command install prints the image of the version in the file, and the tests of the commit compare the file with all
// other places that name it.
func (r *release) checkVersion() error {
	const name = "internal/install/install.go"
	text, err := os.ReadFile(filepath.Join(r.source, filepath.FromSlash(name)))
	if err != nil {
		return err
	}
	m := pinned.FindSubmatch(text)
	if m == nil {
		return fmt.Errorf("%s has no line %s", name, pinned)
	}
	if version := strings.TrimSuffix(r.version, semver.Prerelease(r.version)); version != string(m[1]) &&
		r.version != noRelease {
		return fmt.Errorf("the version is %s, and install of this commit is about %s (%s): release that one, "+
			"or change the version there first", r.version, m[1], name)
	}
	return nil
}

// output runs a program and returns its standard output without the last line end.
func output(ctx context.Context, dir, name string, args ...string) (string, error) {
	return outputWith(ctx, dir, nil, name, args...)
}

// outputWith is output with more variables in the environment.
func outputWith(ctx context.Context, dir string, environ []string, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	var stderr bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stderr = dir, append(os.Environ(), environ...), &stderr
	stdout, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, &stderr)
	}
	return strings.TrimSuffix(string(stdout), "\n"), nil
}
