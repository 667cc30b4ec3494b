package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/cli/flags"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/healthconfig"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/install"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/policyreport"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/run"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/version"
)

func newInstallCommand(env *Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "install [FILE|-]",
		Short: "Print what adds the sidecar to Argo CD, or check an installed one",
		Long: `Print the sidecar of this release, with the settings that it locks and the health checks, for the way in which
you install Argo CD.

FILE is what kubectl prints for KServe's ConfigMap and the Deployment of its controller. kserve-version and
default-deployment-mode come from it, unless flags set them. If FILE also has the Deployment of the repo-server, the
sidecar in it keeps its rules-as-of, so that a newer release makes no new repairs unannounced. Otherwise rules-as-of is
that of this release.

A program that was not built from a release has no published image: it needs --image, with the one that you built.

--report locks the setting report: findings become objects of the applications. Standard error says which
CustomResourceDefinition that needs.

--timeout, --max-input and --max-memory are the limits of the sidecar. Its memory limit is at least four times max-memory,
and its limits of storage are at least max-input.`,
		Example: `  argocd-kserve-plugin install --image registry.example.com/plugin:1 \
    --kserve-version 0.15.2 --default-deployment-mode Standard
  kubectl -n kserve get configmap/inferenceservice-config \
    deployment/kserve-controller-manager -o yaml |
    argocd-kserve-plugin install --image registry.example.com/plugin:1 --form helm-values -
  kubectl -n argocd get deployment/argocd-repo-server configmap/argocd-cm -o yaml |
    argocd-kserve-plugin install check -`,
		Args: flags.Arguments(0, 1),
	}
	c := newInstalling(env, cmd)
	form := flags.ChoiceOf(cmd, "form", "", "how you install Argo CD", install.Forms,
		func(f install.Form) string { return f.Name })
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		form, err := form()
		if err != nil {
			return err
		}
		set, err := c.facts(cmd.Context(), args)
		if err != nil {
			return err
		}
		if c.image == "" && !published(version.Current().Version) {
			return errNoImage
		}
		if len(args) == 0 {
			c.noteUnknown(set)
		}
		return c.print(cmd.Context(), set, form)
	}
	return cmd
}

var errNoImage = errors.New("no image of this program is published, because it was not built from a release: build one " +
	"with docker build or buildah, push it, and name it with --image")

// published reports whether the image that install pins has the program of the version.
func published(version string) bool { return version == install.Version }

// installing is a run of install.
type installing struct {
	env    *Env
	src    *run.Loader
	image  string
	checks bool
	asOf   string // rules-as-of, "" for that of this release
}

func newInstalling(env *Env, cmd *cobra.Command) *installing {
	c := &installing{env: env}
	c.src = flags.Settings(cmd, env.caller, "kserve-version", "default-deployment-mode", "rules-as-of", "argocd-version",
		"report", "max-memory", "max-input", "timeout")
	cmd.Flags().StringVar(&c.image, "image", "", "the plugin's image; a program of a release has its own")
	cmd.Flags().BoolVar(&c.checks, "health-checks", true, "print or compare the health checks")
	return c
}

// facts reads the settings. What no flag and no variable says about the cluster and its sidecar comes from a file.
func (c *installing) facts(ctx context.Context, args []string) (*settings.Settings, error) {
	set, err := c.src.Locked()
	if err != nil {
		return nil, err
	}
	if set.Locked("rules-as-of") {
		c.asOf = set.AsOf
	}
	if len(args) == 0 {
		return set, nil
	}
	c.env.caller.Limit(ctx, set)
	cluster, err := c.env.readCluster(args[0], set.MaxInput)
	if err != nil {
		return nil, err
	}
	if c.asOf == "" {
		if c.asOf, err = cluster.RulesAsOf(); err != nil {
			return nil, err
		}
	}
	c.take(&set.KServeVersion, cluster.Version)
	c.take(&set.DefaultDeploymentMode, cluster.Mode)
	return set, nil
}

// noteUnknown says which facts about the cluster nobody gave.
func (c *installing) noteUnknown(set *settings.Settings) {
	var unknown []string
	for name, value := range c.options(set).Facts() {
		if value == install.Unknown {
			unknown = append(unknown, name)
		}
	}
	slices.Sort(unknown)
	if len(unknown) > 0 {
		c.env.note([]string{strings.Join(unknown, " and ") + " unknown: many repairs wait for that. As FILE, give what " +
			"this prints: " + install.ClusterCommand})
	}
}

// take sets a setting that is unknown to what the cluster shows.
func (c *installing) take(setting *string, f install.Fact) {
	switch {
	case *setting != install.Unknown:
	case f.Value == "":
		c.env.complain(f.Missing())
	default:
		*setting = f.Value
	}
}

// readCluster reads the facts about a cluster from a file.
func (env *Env) readCluster(file string, limit settings.Size) (*install.Cluster, error) {
	in, err := env.open(file, limit)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return install.ReadCluster(in, in.name)
}

func (c *installing) options(set *settings.Settings) install.Options {
	return install.Options{
		Image: c.image, KServeVersion: set.KServeVersion, DefaultDeploymentMode: set.DefaultDeploymentMode,
		RulesAsOf: c.asOf,
	}
}

// deadline is how long Argo CD waits for manifests by default
// (cmd/argocd-application-controller/commands/argocd_application_controller.go@v2.14.21 and @v3.5.7).
const deadline = time.Minute

// limited returns the options with the limits that flags or variables set.
func (c *installing) limited(set *settings.Settings) install.Options {
	o := c.options(set)
	if form, ok := policyreport.FormNamed(set.Report); ok {
		o.Report = form.Name
		c.env.note([]string{fmt.Sprintf("report: the clusters need the CustomResourceDefinition of %s in %s, from %s; where "+
			"it is missing, there are no reports and every sync works", form.Kind, form.APIVersion, form.CRD)})
	}
	if set.Locked("timeout") {
		o.Timeout = set.Timeout
	}
	if set.Locked("max-input") {
		o.MaxInput = set.MaxInput
	}
	if set.Locked("max-memory") {
		o.MaxMemory = set.MaxMemory
	}
	if o.Timeout >= deadline {
		c.env.note([]string{"timeout: Argo CD waits 60s for manifests: raise its deadlines above " + o.Timeout.String()})
	}
	return o
}

// configuration returns the health checks for a release, nil if there are to be none.
func (c *installing) configuration(set *settings.Settings, release string) (*healthconfig.Configuration, error) {
	if !c.checks {
		return nil, nil
	}
	versions, warning, err := kserve.ParseVersions(release)
	if err != nil {
		return nil, err
	}
	if warning != "" {
		fmt.Fprintln(c.env.Stderr, warning)
	}
	configuration, err := healthconfig.Configure(versions, set.ArgoCDVersion, healthconfig.DefaultLimits)
	return &configuration, err
}

func (c *installing) print(ctx context.Context, set *settings.Settings, form install.Form) error {
	configuration, err := c.configuration(set, set.KServeVersion)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := form.Write(&b, c.limited(set), configuration); err != nil {
		return err
	}
	if configuration != nil {
		c.env.note(configuration.Notes)
	}
	return c.env.write(ctx, b.Bytes())
}
