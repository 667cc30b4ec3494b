package cli

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/cli/flags"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/secret"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/terminal"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

func newDiffCommand(env *Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "diff [PATH...]",
		Short: "Show what generate and fix change",
		Long: `Show what generate and fix change as a unified diff, with the rules behind each hunk. The exit code is 1 when a
finding, repaired or not, is at or above fail-on.

Standard error names the findings whose repair loses a comment.

Paths are relative to the working directory, or to PATH if that is elsewhere. Values in Secrets are not shown; patch
refuses to change a line with one.

` + flags.PeopleHelp,
		Example: `  argocd-kserve-plugin diff deploy/
  argocd-kserve-plugin diff deploy/ | patch -p1`,
	}
	src := flags.Sources(cmd, env.caller)
	colored := flags.Color(cmd, env.caller.Getenv, env.Stdout)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		inColor, err := colored()
		if err != nil {
			return err
		}
		out, failed := src.Run(cmd.Context(), args)
		if out == nil {
			return failed
		}
		if err := contradictions(out); err != nil {
			return err
		}
		shown, err := diffs(env, out, env.painter(inColor))
		if err != nil {
			return err
		}
		if env.caller.Getenv("GITHUB_ACTIONS") != "" {
			shown = withoutCommands(shown)
		}
		if err := env.write(cmd.Context(), shown); err != nil {
			return err
		}
		out.Warn(env.Stderr)
		if bytes.Contains(shown, []byte(secret.Mask)) {
			fmt.Fprintln(env.Stderr, "values in Secrets are shown as "+secret.Mask)
		}
		io.WriteString(env.Stderr, lines(env.distinct(out, out.Losing())))
		io.WriteString(env.Stderr, annotations(out))
		fmt.Fprintln(env.Stderr, summary(out, env.distinct(out, out.Left())))
		out.Summary.Write(env.Stderr)
		return cmp.Or(failed, failing(out.Problems(), out.Fails(string(transform.Warning))))
	}
	return cmd
}

// painter returns the function that prepares a line of a diff for people or, as it is, for patch.
func (env *Env) painter(inColor bool) func(string) string {
	switch {
	case inColor:
		return painted
	case terminal.Is(env.Stdout):
		return quoted
	}
	return func(line string) string { return line }
}

func painted(line string) string {
	line = quoted(line)
	for _, c := range []struct{ prefix, code string }{
		{"--- ", "1"}, {"+++ ", "1"}, {"@@ ", "36"}, {"-", "31"}, {"+", "32"},
	} {
		if strings.HasPrefix(line, c.prefix) {
			text, end := strings.CutSuffix(line, "\n")
			line = "\x1b[" + c.code + "m" + text + "\x1b[m"
			if end {
				line += "\n"
			}
			break
		}
	}
	return line
}

// withoutCommands brackets text with a line that GitHub Actions would obey: it obeys none until it sees the token
// again, and the text cannot hold a hash of itself.
func withoutCommands(text []byte) []byte {
	obeyed := false
	for line := range strings.Lines(string(text)) {
		obeyed = obeyed || terminal.StartsCommand(line) || strings.Contains(line, "##[")
	}
	if !obeyed {
		return text
	}
	token := sha256.Sum256(text)
	return fmt.Appendf(nil, "::stop-commands::%x\n%s::%x::\n", token, text, token)
}
