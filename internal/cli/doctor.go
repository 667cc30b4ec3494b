package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/cli/flags"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/cli/help"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/doctor"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/health"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kubectl"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/panics"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/policyreport"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/run"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/terminal"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

func newDoctorCommand(env *Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "doctor [TYPE/NAME... | TYPE [NAME...] | FILE]",
		Short: "Say what is wrong with the services of a cluster, and why",
		Long: `Say which services of a cluster are not well, at risk because of a finding, out of sync, or misread by Argo CD: the
verdict, the cause from the deepest object that knows it, the findings, what to change in Git, and the command that shows
more. Argo CD misreads a service that is well if its Application says something else, and Argo CD's own check of the
service as it is now does, too.

It runs your kubectl, which only lists: KServe's configuration and objects, what KServe made of them, autoscalers, pods,
warnings, and Argo CD's Applications. Secrets are not read, and nothing is written. What your account may not read is
one line. With a file or - it reads what kubectl get printed instead, as YAML or JSON; to the last of the examples add the
kinds that your cluster has too: llmisvc, lws, sts, or ksvc, configurations and revisions.

The release and the default mode are those of the cluster, unless the flags name others. A service that is Suspended or
scaled to zero is listed, and fails nothing. Nor does one that Argo CD misreads, if only the health of the whole
Application says so, which may have another reason.

The exit code is 0 when no service needs anybody, 1 when one does, 2 for an error, also when no service could
be read.`,
		Example: `  argocd-kserve-plugin doctor -n models
  argocd-kserve-plugin doctor -n models isvc/iris
  argocd-kserve-plugin doctor -A
  argocd-kserve-plugin doctor -A -o openreports | kubectl apply -f -
  kubectl get isvc,clusterservingruntimes,hpa,deploy,rs,pods,events -A -o yaml |
    argocd-kserve-plugin doctor -`,
	}
	d := doctoring{env: env, from: newClusterFlags(cmd)}
	cmd.Flags().DurationVar(&d.timeout, "request-timeout", 30*time.Second, "time for an answer of the API server")
	d.src = flags.Settings(cmd, env.caller, "kserve-version", "default-deployment-mode", "fail-on", "rules", "max-memory",
		"max-input")
	format := flags.Format(cmd, doctor.Formats)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		format, err := format()
		if err != nil {
			return err
		}
		d.reports, _ = policyreport.FormNamed(format.Name)
		report, err := d.examine(cmd, args)
		if err != nil {
			return err
		}
		report.Width = min(terminal.Width(env.Stdout, help.Columns), 120)
		if err := writeAs(cmd.Context(), env, format, report); err != nil {
			return err
		}
		return cmp.Or(report.Unseen(), found(report.Failed()))
	}
	return cmd
}

// doctoring is a run of doctor.
type doctoring struct {
	env     *Env
	src     *run.Loader
	from    *clusterFlags
	timeout time.Duration
	reports policyreport.Form // to write, none for other formats
}

func (d *doctoring) examine(cmd *cobra.Command, args []string) (doctor.Report, error) {
	set, err := d.src.Locked()
	if err != nil {
		return doctor.Report{}, err
	}
	d.env.caller.LimitMemory(cmd.Context(), set.MaxMemory)
	cluster, asked, err := d.read(cmd, args, set)
	if err != nil {
		return doctor.Report{}, err
	}
	if err := cluster.Lacks(asked); err != nil {
		return doctor.Report{}, err
	}
	findings, err := d.findings(cmd.Context(), cluster, set)
	if err != nil {
		return doctor.Report{}, err
	}
	return cluster.Examine(time.Now(), asked, findings), nil
}

// read reads the cluster with kubectl, or a dump of it.
func (d *doctoring) read(cmd *cobra.Command, args []string, set *settings.Settings,
) (*doctor.Cluster, kubectl.Request, error) {
	var asked kubectl.Request
	if len(args) == 1 && !kubectl.IsType(args[0]) {
		if err := d.from.refuse(cmd); err != nil {
			return nil, asked, err
		}
		in, err := d.env.open(args[0], set.MaxInput)
		if err != nil {
			return nil, asked, err
		}
		defer in.Close()
		cluster, err := doctor.NewCluster(in.name)
		if err != nil {
			return nil, asked, err
		}
		empty := true
		err = health.Read(in, in.name, 0, func(event health.Event) bool {
			empty = false
			cluster.Apply(event)
			return cmd.Context().Err() == nil
		})
		switch {
		case err == nil && empty:
			err = fmt.Errorf("%s: no objects", in.name)
		case err == nil && !cluster.HasKServe():
			err = fmt.Errorf("%s: no object of %s", in.name, health.Group)
		}
		return cluster, asked, err
	}
	if d.reports.Kind != "" && len(args) > 0 {
		return nil, asked, fmt.Errorf("a %s is about all services of a namespace, and replaces the one before: leave out %s",
			d.reports.Kind, strings.Join(args, " "))
	}
	cluster, err := doctor.NewCluster("the cluster")
	cluster.Kubectl, cluster.Reports = d.from.command(), d.reports
	if err == nil && len(args) > 0 {
		asked, err = kubectl.ParseRequest(args)
	}
	if err == nil {
		err = d.from.services.Check(asked)
	}
	if err != nil {
		return nil, asked, err
	}
	k := d.from.program(d.env)
	k.Timeout, k.Flags = d.timeout, append(k.Flags, fmt.Sprintf("--request-timeout=%v", d.timeout))
	namespace, err := d.from.services.In(cmd.Context(), k)
	if err != nil {
		return nil, asked, err
	}
	progress, end := d.progress()
	defer end()
	return cluster, asked, cluster.Read(cmd.Context(), k, namespace, progress)
}

// progress returns functions that show on a terminal what is read, and take that away.
func (d *doctoring) progress() (show func(what string, n int), end func()) {
	const clear = "\r\x1b[K"
	stderr := d.env.Stderr
	if !terminal.Is(stderr) || d.env.caller.Getenv("TERM") == "dumb" {
		return func(string, int) {}, func() {}
	}
	return func(what string, n int) {
		if n%100 == 0 {
			fmt.Fprintf(stderr, clear+"reading %s: %d", what, n)
		}
	}, func() { fmt.Fprint(stderr, clear) }
}

// findings returns what the rules find in the objects that people wrote, from fail-on on, with the facts of the cluster
// where nobody gives others.
func (d *doctoring) findings(ctx context.Context, cluster *doctor.Cluster, set *settings.Settings,
) ([]transform.Finding, error) {
	options := set.Options
	for _, fact := range []struct {
		setting, shown *string
		value          string
	}{
		{&options.KServeVersion, &cluster.Version, cluster.Facts.Version.Value},
		{&options.DefaultDeploymentMode, &cluster.Mode, cluster.Facts.Mode.Value},
	} {
		switch {
		case *fact.setting != "unknown":
			*fact.shown = *fact.setting + " (from the settings)"
		case fact.value != "":
			*fact.setting = fact.value
		}
	}
	config, warning, err := options.Config()
	if err != nil {
		return nil, err
	}
	if warning != "" {
		run.Warn(d.env.Stderr, []string{warning})
	}
	config.MaxExpanded = int(set.MaxCopied())
	files, err := cluster.Files()
	if err != nil {
		return nil, err
	}
	result, err := panics.Await(ctx, func() (*transform.Result, error) { return transform.Run(ctx, files, config) })
	if err != nil {
		return nil, err
	}
	failOn := cmp.Or(set.FailOn, string(transform.Warning))
	return slices.DeleteFunc(result.Problems(), func(f transform.Finding) bool {
		return !run.Reaches(f.Severity, failOn)
	}), nil
}
