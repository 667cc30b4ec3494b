package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/cli/flags"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/encoding"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/health"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kubectl"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/shell"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/terminal"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/watchdog"
)

// statusLag is how long a service that is Healthy from the start is watched: KServe takes up to half a second until the
// status shows the last change of the spec.
const statusLag = 2 * time.Second

func newHealthWaitCommand(env *Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "wait TYPE/NAME... | TYPE [NAME...] | FILE [NAMESPACE/]NAME...",
		Short: "Wait until services are Healthy",
		Long: `Wait until all the services are Healthy, one of them stays Degraded, or the time is up.

With a type such as isvc or llmisvc, the command runs your kubectl, which lists and watches the services, and the
Deployments and LeaderWorkerSets that belong to them. Without names it waits for all services in the namespace.
With a file or - it reads what kubectl get --watch prints instead; add the streams of Deployments and LeaderWorkerSets
with --with, because a service that is Ready may still be rolling out.

Every change of a verdict is a line on standard error; a terminal shows one line per service. With -o json every change
is a line on standard output, and the last line is the outcome. The other formats print the last verdicts.

The status of a service lags behind its spec, so a Degraded service ends the wait only when it stays Degraded for the
time --settle. Fix a broken service, and the wait goes on when KServe sees the fix.

The exit code is 0 when all are Healthy, 1 when one is not, 2 for an error.`,
		Example: `  argocd-kserve-plugin health wait isvc/iris -n models --timeout 15m
  argocd-kserve-plugin health wait isvc,llmisvc -A -l team=shop
  argocd-kserve-plugin health wait <(kubectl get inferenceservices -w -o json) \
    --with <(kubectl get deployments -w -o json) iris`,
		Args: flags.Arguments(1, math.MaxInt),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveDefault
			}
			return health.KindNames(), cobra.ShellCompDirectiveDefault // or a file
		},
	}
	w := waiting{env: env, watched: newClusterFlags(cmd)}
	cmd.Flags().StringVarP(&w.watched.services.Selector, "selector", "l", "", "labels of the services, such as team=shop")
	cmd.Flags().DurationVar(&w.timeout, "timeout", 10*time.Minute, "time to wait, such as 90s or 10m; 0 is no limit")
	cmd.Flags().DurationVar(&w.settle, "settle", 30*time.Second, "how long a service must stay Degraded to end the wait, such "+
		"as 90s; 0 ends it at once, and more than --timeout never")
	cmd.Flags().BoolVar(&w.acceptSuspended, "accept-suspended", false, "also accept services that are Suspended")
	cmd.Flags().StringArrayVar(&w.with, "with", nil,
		"another `file` to read, such as a stream of the Deployments; may be repeated")
	load := flags.Settings(cmd, env.caller, "argocd-version", "max-memory", "max-input").Locked
	format := flags.Format(cmd, health.Formats)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		var err error
		if w.format, err = format(); err != nil {
			return err
		}
		set, err := load()
		if err != nil {
			return err
		}
		env.caller.LimitMemory(cmd.Context(), set.MaxMemory)
		w.maxInput = set.MaxInput
		if w.fleet, w.bundled, err = newFleet(env, set.ArgoCDVersion); err != nil {
			return err
		}
		return w.run(cmd, args)
	}
	return cmd
}

// waiting is a run of health wait.
type waiting struct {
	env             *Env
	fleet           *health.Fleet
	bundled         string // the release of Argo CD that is compared
	format          encoding.Format[health.Report]
	watched         *clusterFlags
	with            []string
	timeout, settle time.Duration
	acceptSuspended bool
	maxInput        settings.Size
}

func (w *waiting) run(cmd *cobra.Command, args []string) error {
	if w.timeout < 0 {
		return fmt.Errorf("flag --timeout: %v must not be negative", w.timeout)
	}
	if w.settle < 0 {
		return fmt.Errorf("flag --settle: %v must not be negative", w.settle)
	}
	ctx, cancel := cmd.Context(), context.CancelFunc(func() {})
	if w.timeout > 0 {
		ctx, cancel = context.WithTimeout(ctx, w.timeout)
	}
	defer cancel()
	wait := &health.Wait{
		Fleet: w.fleet, Progress: w.progress(cmd.Context()), AcceptSuspended: w.acceptSuspended, Settle: w.settle,
	}
	outcome, err := w.wait(ctx, cmd, args, wait)
	if cause := context.Cause(cmd.Context()); cause != nil {
		return cause
	} else if err != nil {
		return err
	}
	if err := wait.Progress.End(outcome); err != nil {
		return err
	}
	if !w.streamsJSON() {
		report := health.Report{Results: outcome.Results, Bundled: w.bundled}
		if err := writeAs(cmd.Context(), w.env, w.format, report); err != nil {
			return err
		}
	}
	if outcome.Reason != "" {
		return &findingsError{len(outcome.Results)} // perhaps none is known yet
	}
	return nil
}

// wait opens the streams or lists the objects, and waits.
func (w *waiting) wait(
	ctx context.Context, cmd *cobra.Command, args []string, wait *health.Wait,
) (health.Outcome, error) {
	if kubectl.IsType(args[0]) {
		if len(w.with) > 0 {
			return health.Outcome{}, errors.New("flag --with: only for streams; kubectl watches the Deployments already")
		}
		wait.Lag = statusLag
		watch, err := w.watched.watch(ctx, w.env, args)
		if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return health.Outcome{Ending: health.TimeUp, Reason: "timed out while kubectl listed the objects"}, nil
		} else if err != nil {
			return health.Outcome{}, err
		}
		for _, event := range watch.Listed {
			wait.Fleet.Apply(event)
		}
		wait.Targets, wait.Feeds = watch.Targets, watch.Feeds
		return wait.Run(ctx)
	}
	if err := w.watched.refuse(cmd); err != nil {
		return health.Outcome{}, err
	}
	if len(args) == 1 {
		return health.Outcome{}, fmt.Errorf("the names of the services in %s are missing; to let kubectl watch them, "+
			"start with a type: %s", args[0], strings.Join(health.KindNames(), ", "))
	}
	for _, name := range append([]string{args[0]}, w.with...) {
		in, err := w.env.open(name, w.maxInput)
		if err != nil {
			return health.Outcome{}, err
		}
		defer in.Close()
		wait.Feeds = append(wait.Feeds, in.feed())
	}
	for _, name := range args[1:] {
		wait.Targets = append(wait.Targets, health.Named(name))
	}
	return wait.Run(ctx)
}

func (w *waiting) streamsJSON() bool { return w.format.Name == "json" }

func (w *waiting) progress(ctx context.Context) health.Progress {
	stderr := w.env.Stderr
	switch {
	case w.streamsJSON():
		return health.JSONLines{W: lineWriter{ctx, w.env}}
	case terminal.Is(stderr) && w.env.caller.Getenv("TERM") != "dumb":
		return health.NewLive(stderr, func() int { return terminal.Height(stderr) })
	}
	return health.Lines{W: stderr}
}

// clusterFlags say which objects kubectl reads, and from which cluster.
type clusterFlags struct {
	kubectl, context, kubeconfig string
	services                     kubectl.Services
}

// clusterFlagNames are for kubectl alone.
var clusterFlagNames = []string{"kubectl", "context", "kubeconfig", "namespace", "selector", "all-namespaces", "request-timeout"}

func newClusterFlags(cmd *cobra.Command) *clusterFlags {
	c, set := &clusterFlags{}, cmd.Flags()
	set.StringVar(&c.kubectl, "kubectl", "kubectl", "the kubectl to run")
	set.StringVar(&c.context, "context", "", "context of the kubeconfig, as in kubectl")
	set.StringVar(&c.kubeconfig, "kubeconfig", "", "kubeconfig file, as in kubectl")
	set.StringVarP(&c.services.Namespace, "namespace", "n", "", "namespace of the services (default: the context's)")
	set.BoolVarP(&c.services.AllNamespaces, "all-namespaces", "A", false, "the services of all namespaces")
	return c
}

// refuse returns an error if a stream is read although a flag is for kubectl.
func (c *clusterFlags) refuse(cmd *cobra.Command) error {
	for _, name := range clusterFlagNames {
		if cmd.Flags().Changed(name) {
			return fmt.Errorf("flag --%s: only with a type such as isvc, whose objects kubectl reads; the types are %s",
				name, strings.Join(health.KindNames(), ", "))
		}
	}
	return nil
}

// watch lists the services that the arguments ask for.
func (c *clusterFlags) watch(ctx context.Context, env *Env, args []string) (*kubectl.Watch, error) {
	c.services.Types = args
	return c.services.Watch(ctx, c.program(env))
}

// command returns the kubectl that the flags name, for a shell.
func (c *clusterFlags) command() string {
	command := shell.Quote(c.kubectl)
	for _, flag := range c.flags() {
		command += " " + shell.Quote(flag)
	}
	return command
}

// program returns the kubectl that the flags name.
func (c *clusterFlags) program(env *Env) *kubectl.Kubectl {
	return &kubectl.Kubectl{
		Path: c.kubectl, Flags: c.flags(), Environ: env.Environ, Dir: env.Dir, Pause: time.Second,
		Started: watchdog.Unlimit,
	}
}

// flags returns those of kubectl that say which cluster it reads.
func (c *clusterFlags) flags() (all []string) {
	if c.context != "" {
		all = append(all, "--context", c.context)
	}
	if c.kubeconfig != "" {
		all = append(all, "--kubeconfig", c.kubeconfig)
	}
	return all
}
