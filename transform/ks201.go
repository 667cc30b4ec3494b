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

The rule also finds classes that the release's webhook refuses, and the class that a multi-node predictor must have. When
only some components have an autoscaler of the user's, the class is written on those components.`,
	Issues: []string{
		"https://github.com/kserve/kserve/issues/4312", "https://github.com/kserve/kserve/pull/4363",
		"https://github.com/kserve/kserve/issues/4196", "https://github.com/kserve/kserve/issues/4252",
	},
	Kinds:    []string{"InferenceService"},
	Severity: Error,
	Restarts: true,
	Run:      checkClass,
}

func checkClass(p *Pass) {
	s := p.Service(p.Object)
	if s.Mode == kserve.Knative || s.Mode == kserve.ModelMesh {
		return
	}
	if s.Get("spec", "predictor").Has("workerSpec") {
		checkMultiNodeClass(p, s)
		return
	}
	scaled := p.autoscalersOf(s)
	for _, c := range s.Components() {
		class := classOf{s, c, len(scaled) == len(s.Components())}
		if autoscalers := scaled[c]; len(autoscalers) > 0 {
			class.checkScaled(p, autoscalers[0])
		} else {
			class.checkUnscaled(p)
		}
	}
}

// classOf is the autoscaler class of one component.
type classOf struct {
	*Service
	component string
	all       bool // every component of the service is scaled by the user
}

// stands is where the class that counts today is written.
func (c classOf) stands() yamldoc.Path {
	if _, own := c.Class(c.component); own {
		return yamldoc.Path{"spec", c.component, "annotations", kserve.AutoscalerClassAnnotation}
	}
	return yamldoc.Path{"metadata", "annotations", kserve.AutoscalerClassAnnotation}
}

// belongs is where a class for this component alone has to be written.
func (c classOf) belongs() yamldoc.Path {
	if c.all {
		return c.stands()
	}
	return yamldoc.Path{"spec", c.component, "annotations", kserve.AutoscalerClassAnnotation}
}

func (c classOf) become(p *Pass, at yamldoc.Path, class, message string) {
	f := Finding{At: at, Message: message}
	if p.Options.Autoscaler != "report" {
		f.Edits = []Edit{{c.Object, yamldoc.Set(at, class)}}
	}
	p.Report(f)
}

// checkScaled finds classes that do not leave the component to the user's autoscaler.
func (c classOf) checkScaled(p *Pass, a autoscaler) {
	external := kserve.AutoscalerClasses["external"]
	class, _ := c.Class(c.component)
	switch {
	case !p.Versions.Any(external):
		p.Report(Finding{At: c.stands(), Message: fmt.Sprintf("%s scales the %s, but KServe 0.11 knows no autoscalerClass external and always makes its own: upgrade KServe or remove it", a, c.component)})
	case class == "" || class == "hpa":
		c.become(p, c.belongs(), "external", fmt.Sprintf("%s scales the %s, and KServe would make another autoscaler for it: autoscalerClass external", a, c.component))
	case class == "none" && !p.Versions.Known():
		p.Report(Finding{At: c.stands(), Needs: "kserve-version", Message: fmt.Sprintf("autoscalerClass none and %s exclude each other: external is the class for it", a)})
	case class == "none":
		c.become(p, c.belongs(), "external", fmt.Sprintf("autoscalerClass none excludes %s: external", a))
	case class == "keda":
		p.Report(Finding{At: c.stands(), Message: fmt.Sprintf("KServe makes a ScaledObject under autoscalerClass keda, beside %s: use external, or remove the latter", a)})
	case class == "external" && p.Versions.Known() && p.Versions.Any(kserve.ReplicasForced):
		p.Report(Finding{At: c.stands(), Severity: Warning, Message: "KServe 0.15.0 sets the replicas back to minReplicas on every reconcile under autoscalerClass external: upgrade to 0.15.1"})
	case class != "external":
		c.checkUnscaled(p)
	}
}

// checkUnscaled finds classes that the webhook refuses.
func (c classOf) checkUnscaled(p *Pass) {
	class, own := c.Class(c.component)
	if class == "" || !own && c.component != kserve.Predictor {
		return
	}
	window, known := kserve.AutoscalerClasses[class]
	switch {
	case !known:
		p.Report(Finding{At: c.stands(), Message: fmt.Sprintf("%q is no autoscalerClass: use hpa, external, keda or none", class)})
	case p.Versions.Known() && !p.Versions.Any(window) && class == "none" && p.Versions.All(kserve.AutoscalerClasses["external"]):
		c.become(p, c.stands(), "external", "KServe before 0.15.1 refuses autoscalerClass none: external")
	case p.Versions.Known() && !p.Versions.All(window):
		p.Report(Finding{At: c.stands(), Message: fmt.Sprintf("autoscalerClass %s is known from KServe %s on; the webhook of older ones refuses the service", class, window.From)})
	}
}

// checkMultiNodeClass finds a class that the webhook refuses for a predictor that spans nodes.
func checkMultiNodeClass(p *Pass, s *Service) {
	c := classOf{s, kserve.Predictor, true}
	class, _ := c.Class(c.component)
	for want, window := range kserve.MultiNodeClasses {
		if class != "" && class != want && p.Versions.All(window) {
			c.become(p, c.stands(), want, fmt.Sprintf("the webhook refuses autoscalerClass %s for a predictor with a workerSpec: %s", class, want))
		}
	}
}
