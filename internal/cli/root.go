// Package cli is the command line: one file per command, with streams, environment and arguments passed in.
package cli

import (
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/cli/flags"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/cli/help"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/version"
)

// newRootCommand returns the program: the command that the arguments name first, or all if they name none. What cobra
// prints itself, which is help and completions, goes to printed.
func newRootCommand(env *Env, printed io.Writer) *cobra.Command {
	root := &cobra.Command{
		Use:   program,
		Short: "Repair KServe manifests between Git and the cluster",
		Long: "Find and repair what KServe and Argo CD break between Git and the cluster. check and diff write nothing: " +
			"start with them.",
		Example: "  argocd-kserve-plugin check\n  argocd-kserve-plugin diff deploy/\n" +
			"  argocd-kserve-plugin fix deploy/\n  argocd-kserve-plugin explain KS101",
		SilenceErrors:     true,
		SilenceUsage:      true,
		DisableAutoGenTag: true,
		Annotations:       map[string]string{cobra.CommandDisplayNameAnnotation: env.name()},
	}
	alone := slices.ContainsFunc(groups, func(g commandGroup) bool { return slices.ContainsFunc(g.commands, env.names) })
	root.CompletionOptions.DisableDefaultCmd = alone
	if !alone {
		root.Version = version.Current().Version
		root.Flags().Bool("version", false, "print the version") // cobra's own has the shorthand -v, which is --verbose
		root.SetVersionTemplate(env.versionLine())
	}
	for _, group := range groups {
		root.AddGroup(&cobra.Group{ID: group.title, Title: group.title + ":"})
		for _, command := range group.commands {
			if alone && !env.names(command) {
				continue // to declare its flags takes time for nothing
			}
			cmd := command.make(env)
			cmd.GroupID = group.title
			root.AddCommand(cmd)
		}
	}
	root.SetArgs(append([]string{}, env.Args...)) // cobra takes the process's own for nil
	root.SetIn(env.Stdin)
	root.SetOut(printed)
	root.SetErr(env.Stderr)
	root.SetHelpCommandGroupID(theProgram)
	root.SetCompletionCommandGroupID(otherPrograms)
	help.Complete(root)
	if len(env.Args) > 0 && env.Args[0] == cobra.ShellCompRequestCmd {
		flags.WithoutQuotes(root)
	}
	return root
}

// alias returns a command under another name, which no list shows.
func alias(name string, newCommand func(*Env) *cobra.Command) command {
	return command{name, func(env *Env) *cobra.Command {
		cmd := newCommand(env)
		cmd.Use, cmd.Hidden = strings.Replace(cmd.Use, cmd.Name(), name, 1), true
		return cmd
	}, nil}
}

type commandGroup struct {
	title    string
	commands []command
}

type command struct {
	name  string
	new   func(*Env) *cobra.Command
	below []command
}

// make returns the command with those below it.
func (c command) make(env *Env) *cobra.Command {
	cmd := c.new(env)
	for _, sub := range c.below {
		cmd.AddCommand(sub.make(env))
	}
	return cmd
}

// names reports whether the arguments name the command first.
func (env *Env) names(c command) bool { return len(env.Args) > 0 && env.Args[0] == c.name }

// The groups that cobra's own commands are in.
const (
	theProgram    = "The program"
	otherPrograms = "For other programs"
)

// groups are the commands as the help of the program shows them.
var groups = []commandGroup{
	{"Manifests", []command{
		{"check", newCheckCommand, nil}, {"diff", newDiffCommand, nil}, {"fix", newFixCommand, nil},
		{"generate", newGenerateCommand, nil}, {"drift", newDriftCommand, nil}, {"upgrade", newUpgradeCommand, nil},
		{"plan", newPlanCommand, nil},
	}},
	{"The cluster", []command{
		{"doctor", newDoctorCommand, nil},
		{"install", newInstallCommand, []command{
			{"check", newInstallCheckCommand, nil}, {"detect", newInstallDetectCommand, nil},
		}},
		{"health", newHealthCommand, []command{
			{"assess", newHealthAssessCommand, nil}, {"wait", newHealthWaitCommand, nil}, {"lint", newHealthLintCommand, nil},
			{"config", newHealthConfigCommand, []command{
				{"compare", newHealthConfigCompareCommand, nil}, {"flux", newHealthConfigFluxCommand, nil},
			}},
		}},
		alias("detect", newInstallDetectCommand),
	}},
	{"Rules and settings", []command{
		{"explain", newExplainCommand, nil}, alias("rules", newExplainCommand), {"settings", newSettingsCommand, nil},
	}},
	{theProgram, []command{{"version", newVersionCommand, nil}}},
	{otherPrograms, []command{
		{"function", newFunctionCommand, nil}, {"test", newTestCommand, nil}, {"parameters", newParametersCommand, nil},
		{"probe", newProbeCommand, nil},
	}},
}
