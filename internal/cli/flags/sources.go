package flags

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/run"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
)

// Help about the PATH of a command, about several, and about the flags of Several.
const (
	PathHelp  = `PATH is a directory, a file, or - for standard input; the default is the working directory.`
	PathsHelp = PathHelp + ` Several PATHs give one result: each directory is a source with its own
settings, and the files of one directory are one source together.`
	FoundHelp = `A directory that is neither a kustomization nor a chart, and has sources in the directories below it, a chart with
files values*.yaml beside its own, and a chart that Applications of the repository name stand for several sources: what
the Applications and ApplicationSets of the repository render of it, as Argo CD would, and what none of them renders:
kustomizations, charts, with their own values and with each other file values*.yaml beside them, and directories with
manifests. What git ignores, hidden directories, node_modules, vendor and other Git work trees are left out, unless PATH
names one. Standard error ends with what was found, and with what is not rendered and why. A source that cannot be
rendered does not hide the others; the exit code is 2 then, or with --skip-unrenderable that of the others.`
	SeveralHelp = `With --discover PATH stands for the sources below it, also where it is a source itself.

With --application it reads Argo CD's Applications and ApplicationSets from a file, a directory or standard input, and
renders each source from the checkout that PATH is in, with the fields of the source, as Argo CD would. Of the generators
those are expanded that need no server: list, git for this repository, matrix and merge, and clusters with a file that
--argocd-clusters names: the Secrets of Argo CD's clusters, or what "argocd cluster list -o yaml" prints. A repository is
this checkout if one of the remotes in .git/config has its repoURL, in whatever protocol, or if --repo names it.`
	PeopleHelp = PathsHelp + "\n\n" + FoundHelp + "\n\n" + SeveralHelp // of commands that find sources
)

// Source gives a command the settings as flags, and a PATH.
func Source(cmd *cobra.Command, caller *run.Caller) *run.Loader {
	cmd.Args = Arguments(0, 1)
	l := &run.Loader{Caller: caller, Flags: settings.Bind(cmd.Flags())}
	for _, row := range settings.Table {
		if len(row.Values) > 0 {
			Completed(cmd, row.Name, row.Values)
		}
	}
	return l
}

// Sources is Source for a command that takes several PATHs, for people: it finds the sources below a folder.
func Sources(cmd *cobra.Command, caller *run.Caller) *run.Loader {
	l := Source(cmd, caller)
	l.Finds = true
	Several(cmd, l)
	return l
}

// Several lets a command with the flags of Source take several sources.
func Several(cmd *cobra.Command, l *run.Loader) {
	cmd.Args = cobra.ArbitraryArgs
	flags := cmd.Flags()
	flags.StringArrayVar(&l.Applications, "application", nil,
		"render the sources of the Applications in this `file` or directory; may be repeated")
	flags.StringArrayVar(&l.Repos, "repo", nil,
		"for Applications: a `repoURL` that stands for this checkout; may be repeated")
	flags.Var((*Path)(&l.Clusters), "argocd-clusters", "for ApplicationSets: a `file` with the clusters of Argo CD")
	flags.BoolVar(&l.Discover, "discover", false, "find the sources below PATH")
	flags.BoolVar(&l.SkipUnrenderable, "skip-unrenderable", false, "leave out sources that cannot be rendered")
}

// Ignored hides flags that change nothing: an earlier release took them for every format of a command.
func Ignored(cmd *cobra.Command, names ...string) {
	for _, name := range names {
		cmd.Flags().Lookup(name).Hidden = true
	}
}

// Settings gives a command some settings as flags.
func Settings(cmd *cobra.Command, caller *run.Caller, names ...string) *run.Loader {
	all := pflag.NewFlagSet("", pflag.ContinueOnError)
	l := &run.Loader{Caller: caller, Flags: settings.Bind(all)}
	for _, name := range names {
		cmd.Flags().AddFlag(all.Lookup(name))
	}
	return l
}
