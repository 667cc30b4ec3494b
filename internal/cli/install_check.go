package cli

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/cli/flags"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/encoding"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/install"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
)

func newInstallCheckCommand(env *Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "check LIVE|- [FILE|-]",
		Short: "List what is wrong with an installed sidecar and its health checks",
		Long: `Read what kubectl prints for the Deployment of the repo-server and the ConfigMap argocd-cm, or, where an operator
writes that, the ArgoCD resource. List what is missing, wrong, outdated or unlocked.

  missing   the container, or a part of it, or a health check
  wrong     a part with which the sidecar cannot work, or is less safe
  outdated  the image, a mounted plugin.yaml, a fact about the cluster, a health check
  unlocked  a setting that applications and repositories can change

A locked setting may have another value than the one that install sets, except for a root outside the application and
for allow-empty. A mounted plugin.yaml is wrong if LIVE does not have its ConfigMap to compare. What install does not
set may be there, except for Secrets, tokens and namespaces of the node, which the sidecar does not need.

--timeout, --max-input and --max-memory are those of this command. The health checks are those for kserve-version, or
for the one that the sidecar has. FILE is as for install. The exit code is 1 when anything is listed.`,
		Example: `  kubectl -n argocd get deployment/argocd-repo-server configmap/argocd-cm -o yaml |
    argocd-kserve-plugin install check -`,
		Args: flags.Arguments(1, 2),
	}
	c := newInstalling(env, cmd)
	output := flags.Format(cmd, install.Formats)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		format, err := output()
		if err != nil {
			return err
		}
		if slices.Equal(args, []string{"-", "-"}) {
			return errors.New("standard input cannot be both LIVE and FILE")
		}
		set, err := c.facts(cmd.Context(), args[1:])
		if err != nil {
			return err
		}
		return c.check(cmd.Context(), args[0], set, format)
	}
	return cmd
}

func (c *installing) check(
	ctx context.Context, file string, set *settings.Settings, format encoding.Format[[]install.Problem],
) error {
	c.env.caller.Limit(ctx, set)
	data, name, err := c.env.readInput(file, set.MaxInput)
	if err != nil {
		return err
	}
	live, err := install.ReadLive(data, name)
	if err != nil {
		return err
	}
	release := set.KServeVersion
	// One that this release refuses is among the problems.
	installed := live.Setting("kserve-version")
	if _, _, err := kserve.ParseVersions(installed); err == nil && release == install.Unknown && installed != "" {
		release = installed
	}
	configuration, err := c.configuration(set, release)
	if err != nil {
		return err
	}
	problems, notes, err := live.Check(c.options(set), configuration)
	if err != nil && len(problems) == 0 {
		return err
	}
	c.env.note(notes)
	if err := writeAs(ctx, c.env, format, problems); err != nil {
		return err
	}
	return cmp.Or(err, found(len(problems)))
}
