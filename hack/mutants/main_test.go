package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// sources are a small module with edges of each form, and golden cases that see some of them move.
const sources = `
-- go.mod --
module github.com/argocd-kserve-plugin/argocd-kserve-plugin

go 1.26
-- transform/transform.go --
package transform

import "slices"

type Release [3]int

type Window struct{ From, Before Release }

func (w Window) Contains(r Release) bool {
	return slices.Compare(r[:], w.From[:]) >= 0 && (w.Before == Release{} || slices.Compare(r[:], w.Before[:]) < 0)
}
-- internal/kserve/version.go --
package kserve

import "github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"

var releases = []transform.Release{{0, 14, 0}, {0, 15, 0}, {0, 15, 1}, {0, 16, 0}}

func since(major, minor int) transform.Window { return transform.Window{From: transform.Release{major, minor}} }

func before(major, minor int) transform.Window { return transform.Window{Before: transform.Release{major, minor}} }

var New, Old = since(0, 16), before(0, 15)
-- internal/kserve/kserve_test.go --
package kserve

const fewer = 1 < 2
-- internal/model/model.go --
package model

func Most(n int) bool { return n > 9 }
-- transform/rules/ks101.go --
package rules

import "github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"

var hasProbes = transform.Window{From: transform.Release{0, 15, 1}}

func isPort(n int) bool { return 1 <= n && n < 65536 }
-- transform/rules/rules_test.go --
package rules

import (
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

func TestRules(t *testing.T) {
	t.Run("KS101", func(t *testing.T) {
		if hasProbes.Contains(transform.Release{0, 15, 0}) || !hasProbes.Contains(transform.Release{0, 15, 1}) {
			t.Error("hasProbes")
		}
		if isPort(0) || !isPort(65535) || isPort(65536) {
			t.Error("isPort")
		}
	})
	t.Run("together", func(t *testing.T) {
		if kserve.New.Contains(transform.Release{0, 15, 1}) || !kserve.New.Contains(transform.Release{0, 16, 0}) {
			t.Error("New")
		}
		if !kserve.Old.Contains(transform.Release{0, 14, 0}) || !model.Most(10) {
			t.Error("Old, Most")
		}
	})
}
`

// TestMutants moves the edges of the small module.
func TestMutants(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	t.Chdir(t.TempDir())
	for _, file := range txtar.Parse([]byte(sources)).Files {
		if err := os.MkdirAll(filepath.Dir(file.Name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file.Name, file.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	all, err := build(t.Context(), t.TempDir())
	want := []string{
		"internal/kserve/version.go: New: since(0, 16): 0.16.1",
		"internal/kserve/version.go: New: since(0, 16): 0.15.1",
		"internal/kserve/version.go: New: before(0, 15): 0.15.1",
		"internal/kserve/version.go: New: before(0, 15): 0.14.0",
		"internal/model/model.go: Most: n > 9: the edge",
		"transform/rules/ks101.go: hasProbes: From: transform.Release{0, 15, 1}: 0.15.2",
		"transform/rules/ks101.go: hasProbes: From: transform.Release{0, 15, 1}: 0.15.0",
		"transform/rules/ks101.go: isPort: 1 <= n: the edge",
		"transform/rules/ks101.go: isPort: n < 65536: the edge",
	}
	if err != nil || strings.Join(all, "\n") != strings.Join(want, "\n") {
		t.Fatalf("%v:\n%s", err, strings.Join(all, "\n"))
	}
	later, most, port := want[2], want[4], want[7]
	for _, tc := range []struct{ known, run, out, err string }{
		{"", "", "lives: " + later + "\nlives: " + most + "\nlives: " + port + "\n", "3 faults, 9 mutants"},
		{later + "\tno release\n" + most + "\ta guess\n", "kserve|model",
			"lives: " + later + ": no release\nlives: " + most + ": a guess\n" +
				"5 mutants: all are seen but 2, which have a reason\n", ""},
		{"# why\n\n" + want[8] + "\twhy\n", "65536",
			"is seen now, so it leaves the list: " + want[8] + "\n", "1 faults, 1 mutants"},
		{want[8] + "\twhy\n", "15, 1", "2 mutants: all are seen but 0, which have a reason\n", ""},
		{"none\twhy\n", "15, 1", "is no mutant, so it leaves the list: none\n", "1 faults, 2 mutants"},
		{"", "ks102", "", `no mutant matches "ks102"`},
		{later + "\n", "", "", "no tab in"},
	} {
		if err := os.WriteFile("known.txt", []byte(tc.known), 0o666); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		err := mutants(t.Context(), &out, "known.txt", tc.run)
		if (err == nil) != (tc.err == "") || err != nil && !strings.Contains(err.Error(), tc.err) || out.String() != tc.out {
			t.Errorf("-run %q with the list %q: %v, want %q:\n%s", tc.run, tc.known, err, tc.err, &out)
		}
	}
	if err := os.WriteFile("transform/rules/ks101.go", []byte("package rules\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := mutants(t.Context(), &bytes.Buffer{}, "", ""); err == nil {
		t.Error("tests that do not build are no error")
	}
}
