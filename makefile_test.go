package plugin_test

import (
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestMakefile checks what make says about values that a variable cannot have, before it runs anything.
func TestMakefile(t *testing.T) {
	for args, want := range map[string]string{
		"plan KSERVE=0.17.0,0.20.0":            "",
		"plan KSERVE=all":                      "",
		"e2e SUITE=plan KSERVE=all":            "",
		"judge KSERVE=all":                     "",
		"judge KSERVE=0.20.0,\t0.15.2":         "is no list of releases",
		"judge KSERVE=":                        "is no list of releases",
		"plan KSERVE=0.20":                     "there is no control plane for KServe 0.20, only for",
		"plan-test KSERVE=0.20.0,0.99.0":       "there is no control plane for KServe 0.99.0, only for",
		"e2e SUITE=health":                     "",
		"e2e SUITE=cluster DRIFT=quick":        "",
		"e2e SUITE=health\thelm":               `"SUITE=health	helm" is none of the suites`,
		"e2e":                                  `"SUITE=" is none of the suites`,
		"e2e SUITE=cluster DRIFT=quick\tall":   `"DRIFT=quick	all" is none of: quick all`,
		"e2e SUITE=cluster DRIFT=quick\tother": `"DRIFT=quick	other" is none of: quick all`,
		"e2e SUITE=hosts HOSTS=":               `"HOSTS=" is none of: quick all`,
		"e2e SUITE=helm CHARTS=some":           `"CHARTS=some" is none of: kserve all`,
		"proofs PROOFS=quick":                  "",
		"proofs PROOFS=some":                   `"PROOFS=some" is none of: quick all`,
		"e2e SUITE=knative KNATIVE=some":       `"KNATIVE=some" is none of: all smoke`,
	} {
		out, err := dryRun(t, append([]string{"make"}, strings.Split(args, " ")...)...)
		if (err == nil) != (want == "") || !strings.Contains(out, want) {
			t.Errorf("make %q: %v, want %q:\n%s", args, err, want, out)
		}
	}
	// A variable of the environment counts as much.
	out, err := dryRun(t, "KSERVE=0.99.0", "make", "plan")
	if err == nil || !strings.Contains(out, "there is no control plane for KServe 0.99.0") {
		t.Errorf("%v:\n%s", err, out)
	}
}

// dryRun runs make, with variables before it, without those of the make that runs this test.
func dryRun(t *testing.T, command ...string) (string, error) {
	clean := []string{"-u", "MAKEFLAGS", "-u", "MAKELEVEL", "-u", "KSERVE", "-u", "SUITE"}
	cmd := exec.CommandContext(t.Context(), "env", slices.Concat(clean, command, []string{"--dry-run"})...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// TestFilters checks that each name of a test in the Makefile is one, or how one begins: go test passes where a filter
// selects nothing.
func TestFilters(t *testing.T) {
	var sources strings.Builder
	for _, name := range files(t, ".", "*_test.go") {
		sources.WriteString(read(t, name))
	}
	tests := sources.String()
	filters := 0
	for _, m := range regexp.MustCompile(`\bTest(?:\(([\w|]+)\)|([A-Z]\w*))`).FindAllStringSubmatch(read(t, "Makefile"), -1) {
		for name := range strings.SplitSeq(m[1]+m[2], "|") {
			filters++
			if !strings.Contains(tests, "\nfunc Test"+name) {
				t.Errorf("the Makefile has Test%s, and no test has such a name", name)
			}
		}
	}
	if filters < 10 {
		t.Errorf("only %d names of tests were found", filters)
	}
}
