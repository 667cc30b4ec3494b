package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/health"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/terminal"
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
		Args: takes(1, math.MaxInt),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveDefault
			}
			return health.KindNames(), cobra.ShellCompDirectiveDefault // or a file
		},
	}
	w := waiting{env: env, watched: newClusterFlags(cmd)}
	flags := cmd.Flags()
	flags.DurationVar(&w.timeout, "timeout", 10*time.Minute, "time to wait, such as 90s or 10m; 0 is no limit")
	flags.DurationVar(&w.settle, "settle", 30*time.Second, "how long a service must stay Degraded to end the wait, such "+
		"as 90s; 0 ends it at once, and more than --timeout never")
	flags.BoolVar(&w.acceptSuspended, "accept-suspended", false, "a service that is Suspended is fine, too")
	flags.StringArrayVar(&w.with, "with", nil,
		"another `file` to read, such as a stream of the Deployments; may be repeated")
	load := newLockedFlags(env, cmd, "argocd-version", "max-memory")
	format := newHealthFormat(cmd)
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
	format          health.Format
	watched         *clusterFlags
	with            []string
	timeout, settle time.Duration
	acceptSuspended bool
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
		var b bytes.Buffer
		if err := w.format.Write(&b, health.Report{Results: outcome.Results, Bundled: w.bundled}); err != nil {
			return err
		}
		if err := w.env.write(cmd.Context(), b.Bytes()); err != nil {
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
	if isKind(args[0]) {
		if len(w.with) > 0 {
			return health.Outcome{}, errors.New("flag --with: only for streams; kubectl watches the Deployments already")
		}
		wait.Lag = statusLag
		err := w.watched.list(ctx, w.env, wait, args)
		if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return health.Outcome{Ending: health.TimeUp, Reason: "timed out while kubectl listed the objects"}, nil
		} else if err != nil {
			return health.Outcome{}, err
		}
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
		closer, stream, err := w.env.open(name)
		if err != nil {
			return health.Outcome{}, err
		}
		defer closer.Close()
		wait.Feeds = append(wait.Feeds, stream.Feed())
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
