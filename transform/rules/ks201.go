package rules

import (
	_ "embed"
	"fmt"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/shell"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks201.md
var ks201Doc string

var externalAutoscaler = &transform.Rule{
	ID:    "KS201",
	Name:  "external-autoscaler",
	Title: "The autoscaler class does not fit the autoscaler",
	Doc:   ks201Doc,
	Issues: []string{
		"https://github.com/kserve/kserve/issues/4312", "https://github.com/kserve/kserve/pull/4363",
		"https://github.com/kserve/kserve/issues/4196", "https://github.com/kserve/kserve/issues/4252",
	},
	Since:    transform.Release{0, 2},
	Kinds:    scaledKinds,
	Example:  "unknown/no-annotations",
	Severity: transform.Error,
	Restarts: true,
	Run:      run(checkClass),
}

func checkClass(p *pass) {
	s := p.KServe.Service(p.Object)
	if s == nil || !s.MayBeStandard() {
		return
	}
	scaled := p.KServe.Autoscalers(s)
	allScaled := len(scaled) == len(s.Components()) && !s.HasWorkers()
	for _, component := range s.Components() {
		c := componentClass{s, component, allScaled}
		autoscalers := scaled[component]
		switch {
		case c.MultiNode(c.component):
			c.checkMultiNode(p, autoscalers)
		case len(autoscalers) > 0:
			c.checkScaled(p, autoscalers[0])
		default:
			c.checkUnscaled(p)
		}
	}
}

// componentClass is the autoscaler class of one component.
type componentClass struct {
	*model.Service
	component string
	allScaled bool // the user scales every component of the service, and can do so: none has workers
}

// setExternal reports a class. The repair sets external where the class is written, or only on the component when the
// user does not scale the others.
func (c componentClass) setExternal(p *pass, message string) {
	at := c.ClassPath(c.component)
	f := transform.Report{At: at, Category: c.component, Message: message}
	if !c.allScaled {
		at = yamldoc.Path{"spec", c.component, "annotations", kserve.AutoscalerClassAnnotation}
	}
	edits := []yamldoc.Edit{yamldoc.Set(at, "external")}
	if c.Class(c.component) == "keda" && p.Versions.Any(metricsPanic) {
		if removals := withoutKedaMetrics(c.Service, c.component); len(removals) > 0 {
			f.Message += "; the metrics that only KEDA reads go too, because KServe 0.15 panics on them with external"
			edits = append(edits, removals...)
		}
	}
	f.Edits = p.Object.Edits(edits...)
	p.Report(f)
}

// checkScaled reports a class that does not leave the component to the user's autoscaler.
func (c componentClass) checkScaled(p *pass, a model.Autoscaler) {
	class, at := c.Class(c.component), c.ClassPath(c.component)
	switch {
	case !p.Versions.Any(kserve.AutoscalerClasses["external"]):
		p.Report(transform.Report{At: at, Category: c.component, Message: fmt.Sprintf(
			"two autoscalers scale the %s, because KServe 0.11 always makes its own beside %s: upgrade to 0.12, or remove %s",
			c.component, a, a.Name)})
	case class == "" || class == "hpa":
		c.setExternal(p, c.besideHPA(p, a))
	case class == "none" && !p.Versions.Known():
		p.Report(transform.Report{At: at, Category: c.component, Needs: kserveVersion, Message: fmt.Sprintf(
			"the replicas go up and down, because with autoscalerClass none KServe sets them too, beside %s: set external", a)})
	case class == "none":
		c.setExternal(p, fmt.Sprintf("the replicas go up and down, because with autoscalerClass none, which is refused "+
			"before 0.15.1, KServe sets them too, beside %s: set external", a))
	case class == "keda" && p.Versions.Any(kserve.AutoscalerClasses["keda"]):
		c.setExternal(p, c.besideScaledObject(p, a))
	case class == "external" && p.Versions.Known() && p.Versions.Any(kserve.ReplicasForced):
		p.Report(transform.Report{At: at, Category: c.component + " replicas", Severity: transform.Warning,
			Message: "the replicas go back to minReplicas again and again, because KServe 0.15.0 resets them, " +
				"even with autoscalerClass external: upgrade to 0.15.1"})
	default:
		c.checkUnscaled(p)
	}
}

// besideHPA says what is wrong with an autoscaler beside the HPA that KServe makes.
func (c componentClass) besideHPA(p *pass, a model.Autoscaler) string {
	own := p.KServe.StandardTarget(a).Deployment
	message := fmt.Sprintf("two autoscalers scale the %s, because KServe makes its own beside %s", c.component, a)
	if !a.IsHPA() {
		message = fmt.Sprintf("KEDA's webhook refuses %s (already managed by the hpa '%s'), because KServe makes its own "+
			"autoscaler for the %s", a, own, c.component)
	}
	message += ": set autoscalerClass external"
	switch {
	case a.IsHPA() && a.Name == own: // KS202 renames it
	case c.IsGraph() && p.Versions.Any(kserve.GraphAutoscalersKept):
		message += ", sync, " + deleteKept(c.Service)
		if !a.IsHPA() {
			message += ", and sync again"
		}
	case !p.Versions.Any(kserve.ForeignAutoscalersLost):
		message += ", and delete the HorizontalPodAutoscaler that KServe made, because 0.12 leaves it behind"
	case !a.IsHPA():
		message += ", and if the first sync fails, sync again once KServe has deleted its HPA"
	}
	return message
}

// besideScaledObject says what is wrong with an autoscaler beside the ScaledObject that KServe makes. With class
// external, KServe leaves its ScaledObject alone instead of deleting it.
func (c componentClass) besideScaledObject(p *pass, a model.Autoscaler) string {
	own := p.KServe.StandardTarget(a).Deployment
	harm := "two autoscalers scale the " + c.component
	switch {
	case !a.IsHPA() && a.Name == own:
		harm = "KServe overwrites " + a.String()
	case !a.IsHPA():
		harm = "KEDA's webhook refuses " + a.String() + " or KServe's own"
	}
	return fmt.Sprintf("%s, because with autoscalerClass keda KServe makes the ScaledObject %[3]s: set external, sync, "+
		"delete that one (%[2]s delete scaledobject %[3]s), and sync again",
		harm, kubectl(c.Namespace), shell.Quote(own))
}

// checkUnscaled reports a class that the webhook refuses. The webhook reads the service's class, which decides for the
// predictor here; a component's own class gets past it, and then KServe's controller fails. So does that of a graph.
func (c componentClass) checkUnscaled(p *pass) {
	class := c.Class(c.component)
	if class == "" {
		return
	}
	at := c.ClassPath(c.component)
	if at[0] == "metadata" && c.component != c.Components()[0] {
		return
	}
	symptom := "KServe refuses the service"
	if at[0] != "metadata" || c.IsGraph() {
		symptom = "KServe makes and changes nothing for the " + c.component
	}
	window, known := kserve.AutoscalerClasses[class]
	switch {
	case isPlaceholder(class):
	case !known:
		p.Report(transform.Report{At: at, Category: c.component, Message: fmt.Sprintf(
			"%s, because it knows no autoscalerClass %+q: use hpa, external, keda or none", symptom, class)})
	case !p.Versions.Known() || p.Versions.All(window):
	case class == "none" && !p.Versions.Any(window) && p.Versions.All(kserve.AutoscalerClasses["external"]):
		p.Report(transform.Report{At: at, Category: c.component,
			Message: symptom + ", because before 0.15.1 it does not know autoscalerClass none: set external",
			Edits:   p.Object.Edits(yamldoc.Set(at, "external"))})
	default:
		p.Report(transform.Report{At: at, Category: c.component, Message: fmt.Sprintf(
			"%s, because before %s it does not know autoscalerClass %s: upgrade, or remove it", symptom, window.From, class)})
	}
}

// checkMultiNode reports a predictor with workers that has an autoscaler, or not the only class that the webhook admits
// for it. The webhook looks at the service's annotations, and only when there is a model, which the defaulter makes of
// a framework (inference_service_validation.go@v0.15.2).
func (c componentClass) checkMultiNode(p *pass, autoscalers []model.Autoscaler) {
	for _, a := range autoscalers {
		at := yamldoc.Path{"spec", c.component, "workerSpec"}
		p.Report(transform.Report{At: at, Category: a.String(), Message: fmt.Sprintf(
			"the pods that %s adds to the predictor have no workers, because KServe makes those of one pod only: "+
				"remove the autoscaler", a)})
	}
	if framework, _ := c.Framework(c.component); framework == "" && c.Get("spec", c.component).Has("containers") {
		return
	}
	at := yamldoc.Path{"metadata", "annotations", kserve.AutoscalerClassAnnotation}
	class := c.Annotation(kserve.AutoscalerClassAnnotation)
	for i, want := range kserve.MultiNodeClasses {
		newest := i == len(kserve.MultiNodeClasses)-1
		switch {
		case class == want.Class || !p.Versions.Any(want.Window):
		case p.Versions.All(want.Window):
			p.Report(transform.Report{At: at, Category: c.component, Edits: p.Object.Edits(yamldoc.Set(at, want.Class)),
				Message: fmt.Sprintf("KServe refuses the service, because a workerSpec needs the autoscalerClass %s: set it",
					want.Class)})
		case newest:
			p.Report(transform.Report{At: at, Category: c.component, Needs: kserveVersion,
				Message: "KServe refuses the service, because a workerSpec needs the autoscalerClass none (external on 0.15.0): " +
					"set it"})
		}
	}
}
