package watchdog

import (
	"context"
	"fmt"
	"time"
)

// LimitTime ends the run when the time is up, also while it writes. Argo CD kills a plugin at its own deadline and
// shows no reason (https://github.com/argoproj/argo-cd/issues/20577). A further call starts the time anew.
func (w *Watchdog) LimitTime(ctx context.Context, limit time.Duration) {
	advice := "--timeout raises it"
	if w.Getenv("ARGOCD_APP_NAME") != "" {
		advice = "when raising it, raise Argo CD's own deadline too " +
			"(controller.repo.server.timeout.seconds and server.repo.server.timeout.seconds, 60 by default)"
	}
	timer := time.AfterFunc(limit, func() {
		w.End(fmt.Errorf("gave up after %s, the setting timeout; %s", limit, advice))
	})
	context.AfterFunc(ctx, func() { timer.Stop() })
	w.StopTime()
	w.timer = timer
}

// StopTime takes the limit of time away.
func (w *Watchdog) StopTime() {
	if w.timer != nil {
		w.timer.Stop()
	}
}
