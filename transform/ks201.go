package transform

import (
	"fmt"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

var externalAutoscaler = &Rule{
	ID:    "KS201",
	Name:  "external-autoscaler",
	Title: "The autoscaler class does not fit the autoscaler",
	Doc: `Without a class, or with class ` + "`hpa`" + `, KServe makes a HorizontalPodAutoscaler of its own. Beside a user's
autoscaler on the same Deployment there are then two, and Kubernetes stops both (AmbiguousSelector), or, when the names are
equal, KServe overwrites the user's. With class ` + "`none`" + ` KServe sets the replicas itself and fights the autoscaler. The class for
a user's own autoscaler is ` + "`external`" + `, on every release that knows it (0.12.0 and later), together with another name (KS202).
0.15.0 alone sets the replicas back under that class too; no manifest prevents it.

When only some components have an autoscaler of the user's, the class is written on those components.

The rule also finds classes that the release's webhook refuses, and the class without which it refuses a predictor that
spans nodes: ` + "`none`" + `, on 0.15.0 ` + "`external`" + `.`,
	Issues: []string{
		"https://github.com/kserve/kserve/issues/4312", "https://github.com/kserve/kserve/pull/4363",
		"https://github.com/kserve/kserve/issues/4196", "https://github.com/kserve/kserve/issues/4252",
	},
	Kinds:    []string{"InferenceService"},
	Example:  "unknown/no-annotations",
	Severity: Error,
	Restarts: true,
	Run:      checkClass,
}

func checkClass(p *Pass) {
	s := p.Service(p.Object)
	if !s.mayBeStandard() {
		return
	}
	scaled := p.autoscalersOf(s)
	for _, component := range s.Components() {
		c := classOf{s, component, len(scaled) == len(s.Components())}
		autoscalers := scaled[component]
		switch {
		case c.spansNodes():
			c.checkNodes(p, autoscalers)
		case len(autoscalers) > 0:
			c.checkScaled(p, autoscalers[0])
		default:
			c.checkUnscaled(p)
		}
	}
}

// classOf is the autoscaler class of one component.
type classOf struct {
	*Service
	component string
	all       bool // every component of the service is scaled by the user
}

// external reports whether the class is external once this rule has run.
func (c classOf) external(p *Pass) bool {
	class, _ := c.Class(c.component)
	set := class == "" || class == "hpa" || class == "none" && p.Versions.Known()
	return (class == "external" || set) && !c.spansNodes() && p.Versions.All(kserve.AutoscalerClasses["external"])
}

// spansNodes reports whether the component is a predictor with workers on other nodes.
func (c classOf) spansNodes() bool { return c.component == kserve.Predictor && c.hasWorkers() }

// become repairs the class where it is written, or on the component alone when the others keep theirs.
func (c classOf) become(p *Pass, class, message string) {
	_, at := c.Class(c.component)
	f := Finding{At: at, Message: message}
	if !c.all {
		at = yamldoc.Path{"spec", c.component, "annotations", kserve.AutoscalerClassAnnotation}
	}
	p.repair(f, Edit{c.Object, yamldoc.Set(at, class)})
}

// checkScaled finds classes that do not leave the component to the user's autoscaler.
func (c classOf) checkScaled(p *Pass, a autoscaler) {
	class, at := c.Class(c.component)
	forced := p.Versions.Known() && p.Versions.Any(kserve.ReplicasForced)
	switch {
	case !p.Versions.Any(kserve.AutoscalerClasses["external"]):
		p.Report(Finding{At: at, Message: fmt.Sprintf("%s scales the %s, but KServe 0.11 always makes an autoscaler of its own, for it knows no class external: upgrade to 0.12, or remove the former", a, c.component)})
	case class == "" || class == "hpa":
		message := fmt.Sprintf("%s scales the %s, and KServe would make another autoscaler for it: set autoscalerClass external", a, c.component)
		switch {
		case forced:
			message += ", and upgrade to 0.15.1, since 0.15.0 resets the replicas to minReplicas even so"
		case !p.Versions.Any(kserve.ForeignAutoscalersLost) && a.Name != a.target():
			message += ", and delete the HorizontalPodAutoscaler that KServe 0.12 has made, since it leaves it"
		}
		c.become(p, "external", message)
	case class == "none" && !p.Versions.Known():
		p.Report(Finding{At: at, Needs: "kserve-version", Message: fmt.Sprintf("KServe sets the replicas itself under autoscalerClass none, against %s: set external", a)})
	case class == "none":
		c.become(p, "external", fmt.Sprintf("KServe sets the replicas itself under autoscalerClass none, or refuses it before 0.15.1, against %s: set external", a))
	case class == "keda" && p.Versions.Any(kserve.AutoscalerClasses["keda"]):
		p.Report(Finding{At: at, Message: fmt.Sprintf("KServe makes a ScaledObject under autoscalerClass keda, beside %s: set external, or remove the latter", a)})
	case class == "external" && forced:
		p.Report(Finding{At: at, Severity: Warning, Message: "KServe 0.15.0 resets the replicas to minReplicas on every reconcile, even under autoscalerClass external: upgrade to 0.15.1"})
	default:
		c.checkUnscaled(p)
	}
}

// checkUnscaled finds classes that the webhook refuses. It reads those of the service alone: one of a component that it
// would refuse gets past it, and KServe's controller fails on it.
func (c classOf) checkUnscaled(p *Pass) {
	class, at := c.Class(c.component)
	if class == "" || at[0] == "metadata" && c.component != kserve.Predictor {
		return
	}
	window, known := kserve.AutoscalerClasses[class]
	switch {
	case !known:
		p.Report(Finding{At: at, Message: fmt.Sprintf("KServe knows no autoscalerClass %q: use hpa, external, keda or none", class)})
	case !p.Versions.Known() || p.Versions.All(window):
	case class == "none" && !p.Versions.Any(window) && p.Versions.All(kserve.AutoscalerClasses["external"]):
		p.repair(Finding{At: at, Message: "KServe knows no autoscalerClass none before 0.15.1: set external"}, Edit{c.Object, yamldoc.Set(at, "external")})
	default:
		p.Report(Finding{At: at, Message: fmt.Sprintf("KServe knows no autoscalerClass %s before %s: upgrade, or remove it", class, window.From)})
	}
}

// checkNodes finds the lack of the only class that the webhook accepts for a predictor with workers. It looks at the
// service's annotations, and only when there is a model (inference_service_validation.go@v0.15.2).
func (c classOf) checkNodes(p *Pass, autoscalers []autoscaler) {
	for _, a := range autoscalers {
		p.Report(Finding{At: yamldoc.Path{"spec", c.component, "workerSpec"}, Message: fmt.Sprintf("%s scales a predictor that spans nodes, which KServe does not support: remove the former", a)})
	}
	predictor := c.Get("spec", c.component)
	if predictor.Has("containers") && !predictor.Has("model") {
		return
	}
	at := yamldoc.Path{"metadata", "annotations", kserve.AutoscalerClassAnnotation}
	class := c.Annotation(kserve.AutoscalerClassAnnotation)
	for want, window := range kserve.MultiNodeClasses {
		switch {
		case class == want || !p.Versions.Any(window):
		case p.Versions.All(window):
			p.repair(Finding{At: at, Message: fmt.Sprintf("KServe's webhook refuses a predictor with a workerSpec without autoscalerClass %s: set it", want)},
				Edit{c.Object, yamldoc.Set(at, want)})
		case want == "none":
			p.Report(Finding{At: at, Needs: "kserve-version", Message: "KServe's webhook refuses a predictor with a workerSpec without autoscalerClass none (on 0.15.0 external)"})
		}
	}
}
