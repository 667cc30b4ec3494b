package cli

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/run"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
)

const (
	sourceHelp = `PATH is a folder, a file, or - for standard input; without it the working directory is read.`
	pathsHelp  = sourceHelp + ` Several PATHs give one result: each folder is a source with its own
settings, and the files of one folder are one source together.`
)

const severalHelp = `With --discover it finds the sources below PATH: kustomizations, charts and folders with
manifests. What a kustomization or chart uses is rendered with it, and not on its own.

With --application it reads Argo CD's Applications and ApplicationSets from a file, a folder or standard input, and
renders each source from the checkout that PATH is in, with the fields of the source, as Argo CD would. List, matrix and
merge generators of lists are expanded. What is not rendered is said on standard error: sources of other repositories,
charts of Helm repositories, other plugins and other generators. A repository is this checkout if one of the remotes in
.git/config has its repoURL, in whatever protocol, or if --repo names it.`

// newSource gives a command the settings as flags and a PATH.
func newSource(env *Env, cmd *cobra.Command) *run.Loader {
	cmd.Args = takes(0, 1)
	l := &run.Loader{Caller: env.caller, Flags: settings.Bind(cmd.Flags())}
	for _, row := range settings.Table {
		if len(row.Values) > 0 {
			completed(cmd, row.Name, row.Values)
		}
	}
	return l
}

// newPaths is newSource for a command that takes several PATHs, for people: it warns of overlays that are not rendered.
func newPaths(env *Env, cmd *cobra.Command) *run.Loader {
	l := newSource(env, cmd)
	cmd.Args, l.Overlays = cobra.ArbitraryArgs, true
	takeSeveral(l, cmd)
	return l
}

// takeSeveral adds the flags for several sources.
func takeSeveral(l *run.Loader, cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringArrayVar(&l.Applications, "application", nil,
		"render the sources of the Applications in this `file` or folder; may be repeated")
	flags.StringArrayVar(&l.Repos, "repo", nil,
		"with --application: a `repoURL` that stands for this checkout; may be repeated")
	flags.BoolVar(&l.Discover, "discover", false, "find the sources below PATH")
}

// newSomeFlags gives a command some settings as flags.
func newSomeFlags(env *Env, cmd *cobra.Command, names ...string) *run.Loader {
	all := pflag.NewFlagSet("", pflag.ContinueOnError)
	l := &run.Loader{Caller: env.caller, Flags: settings.Bind(all)}
	for _, name := range names {
		cmd.Flags().AddFlag(all.Lookup(name))
	}
	return l
}

// newLockedFlags gives a command without a PATH some settings as flags. The function that it returns reads them and the
// environment.
func newLockedFlags(env *Env, cmd *cobra.Command, names ...string) func() (*settings.Settings, error) {
	return newSomeFlags(env, cmd, names...).Locked
}
