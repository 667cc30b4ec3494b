package cli

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/health"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/healthconfig"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/install"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/run"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/rules"
)

func newInstallCommand(env *Env) *cobra.Command {
	var forms []string
	for _, form := range install.Forms {
		forms = append(forms, form.Name)
	}
	cmd := &cobra.Command{
		Use:   "install [FILE|-]",
		Short: "Print what adds the sidecar to Argo CD, or check an installed one",
		Long: `Print the sidecar of this release, with the settings that it locks and the health checks, in the form in which
you install Argo CD. FILE is what kubectl prints for KServe's ConfigMap and the Deployment of its controller; it gives
kserve-version and default-deployment-mode, unless flags do. If it has the Deployment of the repo-server too, the
rules-as-of of a sidecar stays, so that a newer release makes no new repairs unannounced; without one it is that of this
release. --timeout, --max-input and --max-memory are those of the sidecar; its memory limit is at least four times
max-memory, and its limits of storage are at least max-input.`,
		Example: `  argocd-kserve-plugin install --kserve-version 0.15.2 --default-deployment-mode Standard
  kubectl -n kserve get configmap/inferenceservice-config \
    deployment/kserve-controller-manager -o yaml | argocd-kserve-plugin install --form helm-values -
  kubectl -n argocd get deployment/argocd-repo-server configmap/argocd-cm -o yaml |
    argocd-kserve-plugin install check -`,
		Args: takes(0, 1),
	}
	c := newInstalling(env, cmd)
	form := newChoice(cmd, "form", "", "how you install Argo CD", forms)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		name, err := form()
		if err != nil {
			return err
		}
		set, err := c.facts(cmd.Context(), args)
		if err != nil {
			return err
		}
		return c.print(cmd.Context(), set, install.Forms[slices.Index(forms, name)])
	}
	cmd.AddCommand(newInstallCheckCommand(env), newDetectCommand(env))
	return cmd
}

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
	c.src = newSomeFlags(env, cmd, "kserve-version", "default-deployment-mode", "rules-as-of", "argocd-version",
		"max-memory", "max-input", "timeout")
	cmd.Flags().StringVar(&c.image, "image", "", "the plugin's image, instead of "+install.Image)
	cmd.Flags().BoolVar(&c.checks, "health-checks", true, "print or compare the health checks")
	return c
}

// facts reads the settings. What no flag and no variable says about the cluster and its sidecar comes from a file.
func (c *installing) facts(ctx context.Context, args []string) (*settings.Settings, error) {
	set, err := c.src.Locked()
	if err != nil {
		return nil, err
	}
	if set.Locked(rulesAsOf) {
		c.asOf = set.AsOf
	}
	if len(args) == 0 {
		return set, nil
	}
	c.env.caller.Limit(ctx, set)
	var sidecar installed
	facts, name, err := c.env.detect(args[0], set.MaxInput, sidecar.read)
	if err != nil {
		return nil, err
	}
	if c.asOf == "" {
		if c.asOf, err = sidecar.rules(); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	for _, f := range facts {
		at := &set.KServeVersion
		if f.setting == "default-deployment-mode" {
			at = &set.DefaultDeploymentMode
		}
		switch {
		case *at != install.Unknown:
		case f.value == "":
			c.env.complain(f.missing(name))
		default:
			*at = f.value
		}
	}
	return set, nil
}

const rulesAsOf = "rules-as-of"

// installed is what a sidecar that runs says about the rules.
type installed struct {
	asOf string
	err  error
}

func (i *installed) read(object health.Object) {
	asOf, err := install.InstalledSetting(object, rulesAsOf)
	if err == nil && asOf != "" && i.asOf != "" && asOf != i.asOf {
		err = fmt.Errorf("one has %s and another one %s: give the one of your Argo CD", i.asOf, asOf)
	}
	i.asOf, i.err = cmp.Or(i.asOf, asOf), cmp.Or(i.err, err)
}

// rules returns the rules-as-of of the sidecar, "" if there is none.
func (i *installed) rules() (string, error) {
	_, err := rules.ParseVersion(i.asOf)
	if err = cmp.Or(i.err, err); err != nil {
		return "", fmt.Errorf("%s of the sidecar: %w; or give --%[1]s", rulesAsOf, err)
	}
	return i.asOf, nil
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
