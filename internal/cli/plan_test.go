package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/plan"
)

// The program is that of the newest release that is meant and has one, or else that of --like.
func TestProgram(t *testing.T) {
	const unused = "flag --like: not used, because there is a program of KServe 0.20.0"
	for _, tc := range []struct {
		there         string // releases whose programs are there
		version, like string
		program       string // its release
		meant         string
		warning       string
		err           string // a part of it
	}{
		{there: "0.19.0 0.20.0", version: "0.20.0", program: "0.20.0", meant: "0.20.0"},
		{there: "0.15.0 0.15.2", version: "0.15", program: "0.15.2", meant: "0.15.2"},
		{there: "0.15.0", version: "0.15", program: "0.15.0", meant: "0.15.0"},
		{there: "0.20.0", version: "0.20.0", like: "0.20.0", program: "0.20.0", meant: "0.20.0"},
		{there: "0.19.0 0.20.0", version: "0.20.0", like: "0.19.0", program: "0.20.0", meant: "0.20.0", warning: unused},
		{there: "0.19.0", version: "0.20.0", like: "0.19.0", program: "0.19.0", meant: "0.20.0"},
		{there: "0.17.0", version: "0.18.0", like: "0.17.0", program: "0.17.0", meant: "0.18.0"},
		{there: "0.20.0", version: "v0.99.0", program: "0.20.0", meant: "0.99.0"},
		{there: "0.19.0 0.20.0", version: "0.99.0", like: "0.19.0", program: "0.19.0", meant: "0.99.0"},
		{there: "0.15.0 0.15.2 0.20.0", version: "odh-2.29", program: "0.15.0", meant: "odh-2.29"},
		{version: "0.20.0", err: "0.20.0, with KServe's own code, is missing"},
		{version: "0.18.0", err: "take that of a release near by, with --like 0.17.0"},
		{version: "0.15.1", err: "with --like 0.15.0"},
		{there: "0.20.0", version: "0.18.0", like: "0.17.0", err: "0.17.0, with KServe's own code, is missing"},
		{version: "unknown", err: "plan needs the release of KServe"},
		{version: "main", err: `"main" is not a KServe version`},
	} {
		dir := t.TempDir()
		for _, release := range strings.Fields(tc.there) {
			for _, end := range []string{"", ".exe"} {
				if err := os.WriteFile(filepath.Join(dir, plan.Name+release+end), nil, 0o755); err != nil {
					t.Fatal(err)
				}
			}
		}
		var pl planning
		path, meant, err := pl.program(plan.Programs{Beside: dir}, tc.version, tc.like)
		if tc.err != "" {
			if err == nil || !strings.Contains(err.Error(), tc.err) {
				t.Errorf("%+v: error %v", tc, err)
			}
			continue
		}
		release := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(path), plan.Name), ".exe")
		if err != nil || release != tc.program || meant != tc.meant || strings.Join(pl.warnings, "\n") != tc.warning {
			t.Errorf("%+v: %s, %s, warnings %q, error %v", tc, path, meant, pl.warnings, err)
		}
	}
}
