// Package version says which version of the program runs.
package version

import (
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"golang.org/x/mod/module"
)

// Build is what the go command has written into a program about its source (runtime/debug.BuildInfo).
type Build struct {
	Version  string `json:"version"`          // of the module: a tag, a pseudo-version or (devel)
	Commit   string `json:"commit,omitempty"` // empty if not known, 12 digits from a pseudo-version
	Date     string `json:"date,omitempty"`   // of the commit, as RFC 3339 in UTC
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// Current returns what is known about this program.
func Current() Build {
	info, _ := debug.ReadBuildInfo()
	return newBuild(info)
}

// newBuild returns what info says, which may be nil. A program that go install has built from a module knows the commit
// only from a pseudo-version.
func newBuild(info *debug.BuildInfo) Build {
	b := Build{Version: "(devel)", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if info == nil {
		return b
	}
	if info.Main.Version != "" {
		b.Version = info.Main.Version
	}
	b.Commit, _ = module.PseudoVersionRev(b.Version)
	if date, err := module.PseudoVersionTime(b.Version); err == nil {
		b.Date = date.Format(time.RFC3339)
	}
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			b.Commit = setting.Value
		case "vcs.time":
			b.Date = setting.Value
		case "vcs.modified":
			b.Modified = setting.Value == "true"
		}
	}
	return b
}

func (b Build) String() string {
	parts := []string{b.Version}
	if b.Commit != "" {
		parts = append(parts, "commit "+b.Commit)
	}
	if b.Modified {
		parts = append(parts, "with changes")
	}
	if b.Date != "" {
		parts = append(parts, b.Date)
	}
	return strings.Join(append(parts, b.Go+" "+b.Platform), ", ")
}
