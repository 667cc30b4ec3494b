package cli

import (
	"bytes"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/mod/module"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/encoding"
)

// build is what the go command has written into a program about its source (runtime/debug.BuildInfo).
type build struct {
	Version  string `json:"version"`          // of the module: a tag, a pseudo-version or (devel)
	Commit   string `json:"commit,omitempty"` // empty if not known, 12 digits from a pseudo-version
	Date     string `json:"date,omitempty"`   // of the commit, as RFC 3339 in UTC
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func newVersionCommand(env *Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version of this program",
		Args:  takes(0, 0),
	}
	output := newChoice(cmd, "output", "o", "output format", []string{"text", "json"})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		format, err := output()
		if err != nil {
			return err
		}
		if format == "text" {
			return env.write(cmd.Context(), []byte(env.versionLine()))
		}
		info, _ := debug.ReadBuildInfo()
		var b bytes.Buffer
		if err := encoding.JSON(&b, newBuild(info)); err != nil {
			return err
		}
		return env.write(cmd.Context(), b.Bytes())
	}
	return cmd
}

// newBuild returns what info says, which may be nil. A program that go install has built from a module knows the commit
// only from a pseudo-version.
func newBuild(info *debug.BuildInfo) build {
	b := build{Version: "(devel)", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
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

func (b build) String() string {
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

// versionLine is what the command version and the flag --version print.
func (env *Env) versionLine() string {
	info, _ := debug.ReadBuildInfo()
	return fmt.Sprintf("%s %s\n", program, newBuild(info))
}

// buildVersion is the module's version, which the go command stamps from the Git tag or commit.
func buildVersion() string {
	info, _ := debug.ReadBuildInfo()
	return newBuild(info).Version
}
