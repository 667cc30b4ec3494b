package main

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"strings"
)

// product is what people run.
var product = []string{"cmd", "internal", "transform", "resource_customizations"}

// unknown is the age of a commit that is not in the history, as one that a rebase has replaced.
const unknown = 1 << 20

// ages are those of commits, as far as they have been asked for.
type ages map[string]int

// oldest returns the oldest of commits, and how many commits have changed the product since.
func (known ages) oldest(commits []string) (commit string, ago int, err error) {
	ago = -1
	for _, c := range commits {
		n, err := known.of(c)
		if err != nil {
			return "", 0, err
		}
		if n > ago {
			commit, ago = c, n
		}
	}
	return commit, ago, nil
}

// of returns how many commits have changed the product since one.
func (known ages) of(commit string) (int, error) {
	if n, found := known[commit]; found {
		return n, nil
	}
	if exec.Command("git", "merge-base", "--is-ancestor", commit, "HEAD").Run() != nil {
		known[commit] = unknown
		return unknown, nil
	}
	out, err := git(append([]string{"rev-list", "--count", "--no-merges", commit + "..HEAD", "--"}, product...)...)
	if err != nil {
		return 0, err
	}
	n := 0
	_, err = fmt.Sscan(out, &n)
	known[commit] = n
	return n, err
}

var ruleFile = regexp.MustCompile(`^transform/rules/ks(\d+)\.go$`)

// changedRules returns the rules whose source has changed since a commit.
func changedRules(commit string) (ids []string, err error) {
	out, err := git("diff", "--name-only", commit, "HEAD", "--", "transform/rules")
	for name := range strings.Lines(out) {
		if found := ruleFile.FindStringSubmatch(strings.TrimSpace(name)); found != nil {
			ids = append(ids, "KS"+found[1])
		}
	}
	return ids, err
}

func git(args ...string) (string, error) {
	out, err := exec.Command("git", args...).Output()
	if failed := new(exec.ExitError); errors.As(err, &failed) {
		return "", fmt.Errorf("git %s: %s", strings.Join(args, " "), bytes.TrimSpace(failed.Stderr))
	}
	return string(out), err
}
