package cluster

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/argocd"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/binary"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/compatibility"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/controlplane"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/knative"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/stack"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/toolchain"
)

var (
	versionsFlag   = flag.String("kserve-version", "all", "releases of KServe to test, separated by commas")
	kindFlag       = flag.String("kind", "all", "kind of service to test: InferenceService, LLMInferenceService, or all")
	driftFlag      = flag.String("drift", "all", "cases of the table Drift to test: all, or some that are quick")
	comparisonFlag = flag.String("comparison", "",
		"ways of Argo CD to test, as release/tracking/comparison with * for all, separated by commas; none without it")
	policyReporterFlag = flag.String("policy-reporter", "",
		"the program of Policy Reporter, to make metrics of a Report; none without it")
	commitFlag = flag.String("commit", "", "commit of the plugin for -update, where the plugin does not know it")
	update     = flag.Bool("update", false, "write what was measured to testdata/results and docs")
)

// table is what TestKServe has measured.
var table = compatibility.Table{Document: &compatibility.Standard}

// versions are the releases of KServe that this run tests.
var versions []string

func TestMain(m *testing.M) {
	flag.Parse()
	var err error
	if versions, err = kserve.Choose(*versionsFlag); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if kinds := []string{"all", inferenceServices, llmInferenceServices}; !slices.Contains(kinds, *kindFlag) {
		fmt.Fprintf(os.Stderr, "-kind: %q is not one of %s\n", *kindFlag, strings.Join(kinds, ", "))
		os.Exit(2)
	}
	// The cases wait for controllers rather than compute, so they all run at once.
	if err := flag.Set("test.parallel", "100"); err != nil {
		panic(err)
	}
	stack.Main(m, prepare, func() {
		for _, table := range []*compatibility.Table{&table, &scaling, &knativeTable, &kedaTable} {
			table.Write(os.Stdout)
		}
	})
}

// chosenOf returns those of the releases that a test knows that the run tests. To name another one is an error.
func chosenOf(t *testing.T, known []string) []string {
	t.Helper()
	for _, version := range versions {
		if *versionsFlag != "all" && !slices.Contains(known, version) {
			t.Fatalf("-kserve-version: %q is not one of %s", version, strings.Join(known, ", "))
		}
	}
	return slices.DeleteFunc(slices.Clone(known), func(version string) bool { return !slices.Contains(versions, version) })
}

// syncing are the tests in which Argo CD syncs.
var syncing = []string{"TestKServe", "TestComparison", "TestDoctor", "TestKEDA", "TestKnative", "TestScaling"}

func prepare(ctx context.Context) error {
	programs := controlplane.Tools()
	releases := argocd.Versions
	if *comparisonFlag != "" {
		releases = argocd.Compared
	}
	if slices.ContainsFunc(syncing, selected) {
		for _, version := range releases {
			programs = append(programs, version.Tool, version.Helm)
		}
	}
	var sources []toolchain.Tool
	for _, version := range versions {
		programs = append(programs, kserve.Tools(version)...)
		sources = append(sources, kserve.Sources(version)...)
	}
	if selected("TestDoctorFails") {
		sources = append(sources, kserve.Sources(doctored[len(doctored)-1])...)
	}
	if selected("TestKnative") {
		programs = append(programs, knative.Tools()...)
		sources = append(sources, knative.Sources()...)
	}
	if selected("TestKEDA") {
		programs = append(programs, kserve.KEDATools()...)
	}
	return toolchain.Prepare(ctx, programs, append(sources, programs...))
}

// selected reports whether -run and -skip leave a test, or a part of it.
func selected(test string) bool {
	run, _, _ := strings.Cut(option("test.run"), "/")
	runs, _ := regexp.MatchString(run, test)
	skip := option("test.skip")
	skips, _ := regexp.MatchString(skip, test)
	return runs && (skip == "" || strings.Contains(skip, "/") || !skips)
}

// complete reports whether all parts of the test ran, without a failure.
func complete(t *testing.T) bool {
	return !t.Failed() && !strings.Contains(option("test.run")+option("test.skip"), "/")
}

func option(name string) string { return flag.Lookup(name).Value.String() }

// syncTable compares a page of the documentation, and the results that it shows, with what this run has measured, or
// brings them up to date.
func syncTable(t *testing.T, table *compatibility.Table) {
	t.Helper()
	root, err := toolchain.Repository()
	if err != nil {
		t.Fatal(err)
	}
	run := compatibility.Run{Commit: binary.UnderTest(t).Commit(t, *commitFlag), Complete: complete(t), Update: *update}
	if err := table.Sync(root, run); err != nil {
		t.Error(err)
	}
}

// syncPage compares a page of the documentation with what this run has measured of each release, unless something is
// missing.
func syncPage(t *testing.T, commit, name, introduction string, sections map[string]string) {
	t.Helper()
	if !complete(t) {
		return
	}
	root, err := toolchain.Repository()
	if err != nil {
		t.Fatal(err)
	}
	page := filepath.Join(root, "docs", "evidence", name)
	if err := compatibility.SyncSections(page, introduction, commit, sections, *update); err != nil {
		t.Error(err)
	}
}
