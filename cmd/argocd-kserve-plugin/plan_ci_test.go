//go:build linux

package main

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/plan"
)

// proposal makes the checkout a shallow clone with a change of an image, and returns the commit before it.
func (h *host) proposal(t *testing.T, after string) (base string) {
	t.Helper()
	origin, app := filepath.Join(h.temp, "origin"), filepath.Join("apps", "iris", "isvc.yaml")
	commit := "git add . && git -c user.name=ci -c user.email=ci@example.com commit --quiet --message=change"
	for _, step := range []struct{ image, script string }{
		{"server:1", "git init --quiet --initial-branch=main . && " + commit},
		{after, "test -z \"$(git status --porcelain)\" || { " + commit + "; }"},
	} {
		served := strings.Replace(healthy, "  annotations:\n", "  annotations:\n    image: "+step.image+"\n", 1)
		if err := os.WriteFile(filepath.Join(h.checkout, app), []byte(served), 0o644); err != nil {
			t.Fatal(err)
		}
		if base == "" {
			if err := os.Rename(h.checkout, origin); err != nil {
				t.Fatal(err)
			}
		}
		out, code := h.run(t, origin, []string{"sh", "-e"}, step.script+" && git rev-parse HEAD")
		if code != 0 {
			t.Fatal(out)
		}
		if base == "" {
			base = strings.TrimSpace(out)
			h.checkout = origin
		}
	}
	h.checkout = filepath.Join(h.temp, "checkout")
	clone := "git clone --quiet --depth=1 file://" + origin + " " + h.checkout
	if out, code := h.run(t, h.temp, []string{"sh", "-e"}, clone); code != 0 {
		t.Fatal(out)
	}
	return base
}

// TestPlanOnPullRequest runs action.yml on a pull request, twice each time.
func TestPlanOnPullRequest(t *testing.T) {
	const restart = "**pods restart**"
	const noList = "::notice::the plan is in the summary only: GitHub's answer is no list of comments\n"
	for name, tc := range map[string]struct {
		image    string
		given    map[string]string
		others   int // comments that begin as the workflow's own does
		readOnly bool
		listed   string // what GitHub answers instead of the comments
		comments int    // of the workflow
		printed  string // by the step
		wrote    string // to the summary
		failed   string // the step
	}{
		"a change that KServe refuses": {image: "refused", comments: 1, wrote: "denied the request", failed: "Plan"},
		"a change":                     {image: "server:2", comments: 1, wrote: restart},
		"a check that fails": {image: "server:2", given: map[string]string{"sarif": "none/kserve.sarif"}, comments: 1, wrote: restart,
			failed: "Check"},
		"after a long talk": {image: "server:2", others: 250, comments: 1, wrote: restart},
		"nothing changes":   {image: "server:1", wrote: "1 service, nothing changes"},
		"a fork": {image: "server:2", readOnly: true, wrote: restart,
			printed: "::notice::the plan is in the summary only: a comment needs the permission pull-requests: write\n"},
		"a page of a proxy":         {image: "server:2", listed: "<html></html>", wrote: restart, printed: noList},
		"no list":                   {image: "server:2", listed: `{"message":"Moved Permanently"}`, wrote: restart, printed: noList},
		"an answer that breaks off": {image: "server:2", listed: `[{"id":1,"bo`, wrote: restart, printed: noList},
		"no pull request": {image: "server:2", given: map[string]string{
			"github.event.pull_request.number": "", "github.event.pull_request.base.sha": ""}, wrote: "1 object made"},
		"not wanted":      {image: "server:2", given: map[string]string{"plan": ""}},
		"another release": {image: "server:2", given: map[string]string{"kserve-version": "0.16.0"}, comments: 1, wrote: "stands in for"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHost(t, healthy)
			base := h.proposal(t, tc.image)
			probe, talk := &reviews{}, &reviews{readOnly: tc.readOnly, listed: tc.listed}
			h.env["GITHUB_API_URL"], h.env["GITHUB_REPOSITORY"] = probe.github(t), "owner/models"
			h.env["GITHUB_JOB"], h.env["GITHUB_ACTION_PATH"] = "manifests", top(t)
			given := map[string]string{
				"version": "1.2.0", "base-url": h.release(t, "1.2.0", true), "apps": "apps/*", "plan": "v0.20.0",
				"kserve-version": "0.20.0", "default-deployment-mode": "Standard", "github.token": "secret",
				"github.event.pull_request.number": "7", "github.event.pull_request.base.sha": base,
			}
			maps.Copy(given, tc.given)
			if tc.others > 0 {
				h.steps(t, actionSteps(t, given), "")
				for range tc.others {
					talk.add("reviewer", probe.marker(t))
				}
			}
			h.env["GITHUB_API_URL"] = talk.github(t)
			var outputs map[string]string
			var summary, failed string
			for range 2 {
				outputs, summary, failed = h.steps(t, actionSteps(t, given), "")
			}
			for _, body := range talk.bodies("reviewer") {
				if body != probe.marker(t) {
					t.Fatalf("the comment of somebody else is now %s", body)
				}
			}
			comments := talk.bodies(bot)
			if failed != tc.failed || len(comments) != tc.comments || !strings.Contains(summary, tc.wrote) ||
				tc.wrote == "" && strings.Contains(summary, "What KServe") {
				t.Errorf("step %q failed, %d comments\n%s\n%s\nrequests %q", failed, len(comments), outputs[failed], summary,
					talk.requests)
			}
			for _, body := range comments {
				if marker, text, _ := strings.Cut(body, "\n"); !strings.HasPrefix(marker, "<!-- ") || !strings.HasSuffix(summary, text) {
					t.Errorf("the comment is\n%s", body)
				}
			}
			if !strings.Contains(outputs["Plan"], tc.printed) {
				t.Errorf("the step printed %s", outputs["Plan"])
			}
		})
	}
}

// TestPlanOnMergeRequest runs the job for GitLab on a merge request, twice each time.
func TestPlanOnMergeRequest(t *testing.T) {
	for name, tc := range map[string]struct {
		image    string
		given    map[string]string
		readOnly bool
		listed   string // what GitLab answers instead of the notes
		copied   bool   // whether somebody else has copied the first line of the note
		notes    int
		printed  string
		code     int
	}{
		"a change that KServe refuses": {image: "refused", notes: 1, printed: "denied the request", code: 1},
		"a change":                     {image: "server:2", notes: 1, printed: "**pods restart**"},
		"a copy":                       {image: "server:2", copied: true, notes: 1, printed: "**pods restart**"},
		"nothing changes":              {image: "server:1", printed: "1 service, nothing changes"},
		"no token":                     {image: "server:2", given: map[string]string{"PLAN_TOKEN": ""}, printed: "**pods restart**"},
		"a token that may only read": {image: "server:2", readOnly: true,
			printed: "the token PLAN_TOKEN could not write the note\n"},
		"a page of a proxy": {image: "server:2", listed: "<html></html>",
			printed: "the token PLAN_TOKEN could not list the notes\n"},
	} {
		for _, shell := range [][]string{{"bash", "-eo", "pipefail"}, {"sh", "-e"}} {
			t.Run(shell[0]+"/"+name, func(t *testing.T) {
				job := inTop(t, "install/gitlab/kserve.yml").Get("kserve")
				h := newHost(t, healthy)
				base := h.proposal(t, tc.image)
				probe, talk := &reviews{}, &reviews{readOnly: tc.readOnly, listed: tc.listed}
				h.set(job.Get("variables"))
				maps.Copy(h.env, map[string]string{
					"PLUGIN_VERSION": "1.2.0", "PLUGIN_BASE_URL": h.release(t, "1.2.0", true), "APPS": "apps/*", "PLAN": "0.20.0",
					"PLAN_TOKEN": "secret", "CI_JOB_NAME": "kserve", "CI_API_V4_URL": probe.gitlab(t),
					"CI_MERGE_REQUEST_PROJECT_ID": "3", "CI_MERGE_REQUEST_IID": "7", "CI_MERGE_REQUEST_DIFF_BASE_SHA": base,
					"ARGOCD_KSERVE_PLUGIN_KSERVE_VERSION": "0.20.0", "ARGOCD_KSERVE_PLUGIN_DEFAULT_DEPLOYMENT_MODE": "Standard",
				})
				maps.Copy(h.env, tc.given)
				lines := append(job.Get("before_script").Strings(), job.Get("script").Strings()...)
				if tc.copied {
					h.run(t, h.checkout, shell, strings.Join(lines, "\n"))
					talk.add("reviewer", probe.marker(t)+"\n")
				}
				h.env["CI_API_V4_URL"] = talk.gitlab(t)
				for range 2 {
					out, code := h.run(t, h.checkout, shell, strings.Join(lines, "\n"))
					if code != tc.code || !strings.Contains(out, tc.printed) {
						t.Errorf("exit code %d: %s", code, out)
					}
				}
				notes := talk.bodies(bot)
				if len(notes) != tc.notes {
					t.Errorf("%d notes, want %d; requests %q", len(notes), tc.notes, talk.requests)
				}
				for _, body := range notes {
					if !strings.HasPrefix(body, "<!-- ") || !strings.Contains(body, tc.printed) {
						t.Errorf("the note is\n%s", body)
					}
				}
			})
		}
	}
}

// top is the folder of the repository.
func top(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// planned prepares a machine that builds from source: make puts the program of plan where the Makefile does, and the
// repository of the plugin has the script for comments.
func planned(t *testing.T) *host {
	t.Helper()
	h := newHost(t, healthy)
	program, err := exec.LookPath(plan.Name + "0.20.0")
	if err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile(filepath.Join(top(t), "install", "github", "comment"))
	if err != nil {
		t.Fatal(err)
	}
	const maker = `#!/bin/sh -e
test "$1 $3 $4" = "-C plan KSERVE=0.20.0"
mkdir -p "$2/bin"
cp "$PLAN_PROGRAM" "$2/bin/"
`
	h.env["PLAN_PROGRAM"] = program
	for path, data := range map[string]string{
		filepath.Join(h.temp, "tools", "make"):                            maker,
		filepath.Join(h.temp, "upstream", "install", "github", "comment"): string(script),
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(data), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	publish := "git add . && git -c user.name=ci -c user.email=ci@example.com commit -q -m comment"
	if out, code := h.run(t, filepath.Join(h.temp, "upstream"), []string{"sh", "-e"}, publish); code != 0 {
		t.Fatal(out)
	}
	return h
}

// TestPlanFromSource runs the workflow and the job of docs/ci.md with what the page adds for plan.
func TestPlanFromSource(t *testing.T) {
	const restart = "**pods restart**"
	t.Run("GitHub", func(t *testing.T) {
		h := planned(t)
		base := h.proposal(t, "server:2")
		talk := &reviews{}
		h.env["GITHUB_API_URL"], h.env["GITHUB_REPOSITORY"], h.env["GITHUB_JOB"] = talk.github(t), "owner/models", "manifests"
		workflow, more := snippet(t, ".github/workflows/kserve.yaml"), snippet(t, ".github/workflows/kserve.yaml, more steps")
		fill(t, more, map[string]string{
			"github.token": "secret", "github.event.pull_request.number": "7", "github.event.pull_request.base.sha": base,
		})
		workflow.Get("env", "ARGOCD_KSERVE_PLUGIN_KSERVE_VERSION").Value = "0.20.0"
		steps := workflow.Get("jobs", "manifests", "steps")
		steps.Items = append(steps.Items, more.Items...)
		outputs, summary, failed := h.github(t, workflow)
		comments := talk.bodies(bot)
		if failed != "" || len(comments) != 1 || !strings.Contains(comments[0], restart) || !strings.Contains(summary, restart) {
			t.Errorf("step %q failed: %s; comments %q; summary %s", failed, outputs[failed], comments, summary)
		}
	})
	t.Run("GitLab", func(t *testing.T) {
		h := planned(t)
		base := h.proposal(t, "server:2")
		talk := &reviews{}
		job := snippet(t, ".gitlab-ci.yml").Get("kserve")
		more := snippet(t, ".gitlab-ci.yml, more lines").Strings()
		h.set(job.Get("variables"))
		maps.Copy(h.env, map[string]string{
			"PLAN": "0.20.0", "PLAN_TOKEN": "secret", "CI_PROJECT_DIR": h.checkout, "CI_API_V4_URL": talk.gitlab(t),
			"CI_JOB_NAME": "kserve", "CI_MERGE_REQUEST_PROJECT_ID": "3", "CI_MERGE_REQUEST_IID": "7",
			"CI_MERGE_REQUEST_DIFF_BASE_SHA": base, "ARGOCD_KSERVE_PLUGIN_KSERVE_VERSION": "0.20.0",
		})
		lines := append(job.Get("before_script").Strings(), job.Get("script").Strings()...)
		lines = slices.Insert(lines, len(lines)-1, more...)
		out, code := h.run(t, h.checkout, []string{"sh", "-e"}, strings.Join(lines, "\n"))
		if notes := talk.bodies(bot); code != 0 || len(notes) != 1 || !strings.Contains(notes[0], restart) {
			t.Errorf("exit code %d: %s; notes %q", code, out, notes)
		}
		// The job for releases has the same lines, between its first and its last ones.
		release := strings.Join(inTop(t, "install/gitlab/kserve.yml").Get("kserve", "script").Strings(), "\n")
		if same := strings.Join(more[2:], "\n"); len(more) < 10 || !strings.HasSuffix(release, "\n"+same+"\n\nexit \"$code\"") {
			t.Errorf("docs/ci.md has the lines\n%s\nand install/gitlab/kserve.yml\n%s", same, release)
		}
	})
}
