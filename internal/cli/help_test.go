package cli

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/cli/help"
)

// everyCommand returns the arguments that lead to each command, the root's first.
func everyCommand() [][]string {
	var all [][]string
	var walk func(*cobra.Command, []string)
	walk = func(cmd *cobra.Command, path []string) {
		all = append(all, path)
		for _, sub := range cmd.Commands() {
			walk(sub, append(path[:len(path):len(path)], sub.Name()))
		}
	}
	walk(newRootCommand(&Env{state: &state{}}, io.Discard), nil)
	return all
}

// TestHelpFits checks that the help of every command fits a terminal, and that it is the same with the command help.
func TestHelpFits(t *testing.T) {
	for _, path := range everyCommand() {
		var stdout, stderr, again bytes.Buffer
		code := Run(t.Context(), Env{Args: append(path, "--help"), Stdout: &stdout, Stderr: &stderr})
		if code != 0 || stdout.Len() == 0 || stderr.Len() > 0 {
			t.Errorf("%v --help: exit code %d, %s", path, code, &stderr)
		}
		if strings.HasPrefix(strings.Join(path, " "), "completion ") {
			continue // cobra's own text, with commands that are longer
		}
		for line := range strings.Lines(stdout.String()) {
			if utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) > help.Columns {
				t.Errorf("%v --help: %s", path, line)
			}
		}
		Run(t.Context(), Env{Args: append([]string{"help"}, path...), Stdout: &again, Stderr: &stderr})
		if len(path) > 0 && again.String() != stdout.String() {
			t.Errorf("help %v differs: %s", path, &again)
		}
	}
}

// TestHelpIntro checks that what the help shows before the usage ends with a sentence: the examples come next, and then
// the rest.
func TestHelpIntro(t *testing.T) {
	root := newRootCommand(&Env{state: &state{}}, io.Discard)
	for _, path := range everyCommand() {
		cmd, _, err := root.Find(path)
		if err != nil {
			t.Fatal(err)
		}
		if cmd.Name() == "completion" || cmd.HasParent() && cmd.Parent().Name() == "completion" {
			continue // cobra's own text
		}
		if intro, _, _ := strings.Cut(cmd.Long, "\n\n"); intro != "" && !strings.HasSuffix(intro, ".") {
			t.Errorf("the help of %v begins with %q, which does not end with a sentence", path, intro)
		}
	}
}

// TestHelpAll checks that every command takes --help-all, which says at least what --help says.
func TestHelpAll(t *testing.T) {
	for _, path := range everyCommand() {
		var short, all, stderr bytes.Buffer
		Run(t.Context(), Env{Args: append(path[:len(path):len(path)], "--help"), Stdout: &short, Stderr: &stderr})
		code := Run(t.Context(), Env{Args: append(path[:len(path):len(path)], "--help-all"), Stdout: &all, Stderr: &stderr})
		if code != 0 || stderr.Len() > 0 || all.Len() < short.Len() {
			t.Errorf("%v --help-all: exit code %d, %d bytes, --help has %d: %s", path, code, all.Len(), short.Len(), &stderr)
		}
	}
}

// TestUnknownCommand checks that a misspelt command of every group is an error, which names the right one.
func TestUnknownCommand(t *testing.T) {
	for _, tc := range []struct{ args, want string }{
		{"generat", `unknown command "generat"; did you mean generate? the commands are check, `},
		{"health asess -o json live.yaml", `unknown command "health asess"; did you mean assess? the commands are assess, `},
		{"help generat", `unknown command "generat"; did you mean generate? `},
		{"help health asess", `unknown command "health asess"; did you mean assess? `},
		{"completion bsh", `unknown command "completion bsh"; did you mean bash? `},
	} {
		var stdout, stderr bytes.Buffer
		code := Run(t.Context(), Env{Args: strings.Fields(tc.args), Stdout: &stdout, Stderr: &stderr})
		if code != 2 || stdout.Len() > 0 || !strings.HasPrefix(stderr.String(), tc.want) {
			t.Errorf("%s: exit code %d, %s", tc.args, code, &stderr)
		}
	}
	for _, path := range everyCommand() {
		cmd, _, err := newRootCommand(&Env{state: &state{}}, io.Discard).Find(path)
		if err != nil || !cmd.HasSubCommands() || strings.Contains(cmd.Use, " ") {
			continue
		}
		for _, args := range [][]string{path, append(path, "xyzzy")} {
			var stdout, stderr bytes.Buffer
			if code := Run(t.Context(), Env{Args: args, Stdout: &stdout, Stderr: &stderr}); code != 2 || stdout.Len() > 0 {
				t.Errorf("%v: exit code %d, %s", args, code, &stdout)
			}
		}
	}
}
