package version

import (
	"runtime"
	"runtime/debug"
	"testing"
)

func TestBuild(t *testing.T) {
	const revision = "4f1d2c3b4a5968778695a4b3c2d1e0f123456789"
	vcs := func(modified string) []debug.BuildSetting {
		return []debug.BuildSetting{{Key: "vcs", Value: "git"}, {Key: "vcs.revision", Value: revision},
			{Key: "vcs.time", Value: "2026-11-22T18:30:00Z"}, {Key: "vcs.modified", Value: modified}}
	}
	built := func(version string, settings []debug.BuildSetting) *debug.BuildInfo {
		return &debug.BuildInfo{Main: debug.Module{Version: version}, Settings: settings}
	}
	for _, tc := range []struct {
		name string
		info *debug.BuildInfo
		want string
	}{
		{"no information", nil, "(devel)"},
		{"a tag in a checkout", built("v0.2.0", vcs("false")), "v0.2.0, commit " + revision + ", 2026-11-22T18:30:00Z"},
		{"a changed checkout", built("v0.2.0+dirty", vcs("true")),
			"v0.2.0+dirty, commit " + revision + ", with changes, 2026-11-22T18:30:00Z"},
		{"go install of a tag", built("v0.2.0", nil), "v0.2.0"},
		{"go install of a commit", built("v0.2.1-0.20261122183000-4f1d2c3b4a59", nil),
			"v0.2.1-0.20261122183000-4f1d2c3b4a59, commit 4f1d2c3b4a59, 2026-11-22T18:30:00Z"},
		{"without the version control system", built("(devel)", nil), "(devel)"},
	} {
		want := tc.want + ", " + runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH
		if got := newBuild(tc.info).String(); got != want {
			t.Errorf("%s: %s, want %s", tc.name, got, want)
		}
	}
}
