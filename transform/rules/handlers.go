package rules

import (
	"fmt"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// checkHandlers reports probes in Standard mode that Kubernetes can't run. There nobody adds a handler, but a container
// that is merged with a runtime gets it from there.
func checkHandlers(p *pass, c model.Container) {
	if c.Service.Mode != kserve.Standard {
		return
	}
	for _, field := range model.Probes {
		probe := c.Get(field)
		inherited, _ := p.KServe.RuntimeHandler(c, field)
		words, advice := refusedHandler(probe)
		// KS101 replaces it, and KS103 reports it.
		copied := model.HandlerOf(probe) != model.NoHandler && field == "readinessProbe" && c.ProbeCopied != model.Never
		if words == "" || inherited != model.NoHandler || copied {
			continue
		}
		f := deploymentRefused(c.Path.With(field), words, advice)
		if c.MergedWithRuntime && p.KServe.Runtime(c.Service) == nil {
			if !c.GetsShippedRuntime() {
				continue
			}
			f.Severity = transform.Warning
			f.Message += "; fine if the cluster's runtime has one for this probe"
		}
		p.Report(f)
	}
	for _, hook := range []string{"postStart", "preStop"} {
		words, advice := refusedHook(c.Get("lifecycle", hook))
		if words != "" && !c.MergedWithRuntime {
			p.Report(deploymentRefused(c.Path.With("lifecycle", hook), words, advice))
		}
	}
}

func deploymentRefused(at yamldoc.Path, words, advice string) transform.Report {
	return transform.Report{At: at, Message: fmt.Sprintf("the API server refuses the Deployment that KServe makes of this "+
		"(%s): %s", words, advice)}
}

// refusedHook returns what refusedHandler does, of a hook.
func refusedHook(hook *yamldoc.Node) (words, advice string) {
	switch handler := model.HandlerOf(hook); {
	case !isMapping(hook) || !hook.Get("sleep").IsNull():
		return "", ""
	case handler == model.SeveralHandlers:
		return "may not specify more than 1 handler type", "keep one handler"
	case handler == model.HTTPGet && isWithout(hook.Get("httpGet"), "port"):
		return "must be between 1 and 65535", "write the port"
	case handler == model.NoHandler:
		return "must specify a handler type", "add httpGet, exec or sleep"
	}
	return refusedHandler(hook)
}

// refusedHandler returns what the API server says of a probe that asks nothing, and the advice. Of any other, and of
// none, it says nothing.
func refusedHandler(probe *yamldoc.Node) (words, advice string) {
	switch handler := model.HandlerOf(probe); {
	case !isMapping(probe):
	case handler == model.NoHandler:
		return "must specify a handler type", "add httpGet, tcpSocket, grpc or exec"
	case handler == model.Exec && isWithout(probe.Get("exec"), "command"):
		return "exec.command: Required value", "write the command"
	case handler == model.GRPC && isWithout(probe.Get("grpc"), "port"):
		return "grpc.port: must be between 1 and 65535", "write the port"
	}
	return "", ""
}
