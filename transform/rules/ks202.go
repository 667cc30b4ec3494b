package rules

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks202.md
var ks202Doc string

var autoscalerName = &transform.Rule{
	ID:      "KS202",
	Name:    "autoscaler-name",
	Title:   "An autoscaler has a name that KServe uses for a service",
	Doc:     ks202Doc,
	Windows: []transform.Window{kserve.ForeignAutoscalersLost},
	Issues: []string{
		"https://github.com/kserve/kserve/issues/4312", "https://github.com/kserve/kserve/issues/4360",
		"https://github.com/kserve/kserve/pull/4363",
	},
	Since:    transform.Release{0, 2},
	Kinds:    model.AutoscalerKinds,
	About:    scaledKinds,
	Mentions: model.ReferenceWords,
	Example:  "unknown/references",
	Severity: transform.Error,
	Run:      run(checkName),
}

// hpaName is the field of a ScaledObject that names the HPA which KEDA makes for it. Without it, the name is kedaHPA
// and the ScaledObject's name (getDefaultHpaName in controllers/keda/hpa.go of
// github.com/kedacore/keda/v2@v2.17.3).
var hpaName = yamldoc.Path{"spec", "advanced", "horizontalPodAutoscalerConfig", "name"}

const kedaHPA = "keda-hpa-"

func checkName(p *pass) {
	if p.Options.Autoscaler == AutoscalerFinalizer {
		return
	}
	if (model.Autoscaler{Object: p.Object}).IsHPA() {
		p.checkHPAName(yamldoc.Path{"metadata", "name"}, p.Object.Name)
		p.completeRename()
	} else {
		p.checkHPAName(hpaName, p.Object.Get(hpaName...).Str())
		p.checkScaledObjectName()
	}
}

// checkScaledObjectName reports a ScaledObject whose name KServe uses for its own. KEDA admits no second ScaledObject
// for a Deployment, so a renamed one could not take the place of a live one: no edit is right.
func (p *pass) checkScaledObjectName() {
	o := p.Object
	owner := p.KServe.NameOwner(o, o.Name)
	if owner == nil || !p.Versions.Any(kserve.AutoscalerClasses["keda"]) ||
		p.KServe.StandardTarget(model.Autoscaler{Object: o}) != nil { // it scales the service, and KS201 sets its class
		return
	}
	if owner.Service.Class(owner.Component) == "keda" {
		p.Report(transform.Report{At: yamldoc.Path{"metadata", "name"},
			Message: fmt.Sprintf("the ScaledObject is lost, because KServe %s overwrite any with this name, which belongs to %s "+
				"with class keda: choose another name, and delete the old object first",
				kserve.AutoscalerClasses["keda"], owner.Service),
			Unrepaired: "KEDA refuses the new ScaledObject as long as the old one lives"})
	}
}

// completeRename finds what still refers to the pass's object by its former name, for example in files that fix did not
// get.
func (p *pass) completeRename() {
	o := p.Object
	old := model.Autoscaler{Object: o}.RenamedFrom()
	if old == o.Name || p.KServe.NameOwner(o, old) == nil || p.KServe.NameOwner(o, o.Name) != nil ||
		p.KServe.SharesName(o, old) {
		return
	}
	follow, _ := p.KServe.References(o, o.Kind, old)
	for _, ref := range follow {
		if slices.Contains(ref.Object.Get(ref.At[:len(ref.At)-1]...).Strings(), o.Name) {
			continue // the list has both names
		}
		p.repairName(transform.Report{Object: ref.Object, At: ref.At, Severity: transform.Warning,
			Message: fmt.Sprintf("this leads to nothing, because %s was renamed from %s: use its new name", o, old)},
			transform.Edit{Object: ref.Object, Edit: yamldoc.Set(ref.At, o.Name)})
	}
}

// checkHPAName looks at the name of an HPA, which is at a path of the pass's object.
func (p *pass) checkHPAName(at yamldoc.Path, name string) {
	o := p.Object
	loss := fmt.Sprintf("the HPA is lost, because KServe %s overwrite or delete any with this name, which belongs to ",
		kserve.ForeignAutoscalersLost)
	owner := p.KServe.NameOwner(o, name)
	if owner == nil {
		if owner := p.KServe.PossibleNameOwner(o, name); owner != nil {
			p.Report(transform.Report{At: at, Severity: transform.Warning, Needs: "namespace",
				Message: fmt.Sprintf("%s%s if both share a namespace", loss, owner.Service)})
		}
		return
	}
	afterwards := ""
	if owner.Service.IsGraph() && p.Versions.Any(kserve.GraphAutoscalersKept) {
		afterwards = "; after the sync, " + deleteKept(owner.Service)
	}
	p.rename(at, loss+owner.Service.String(), afterwards)
}

// rename reports the name at a path of the pass's object, an autoscaler: its own or that of the HPA which KEDA makes
// for it. The repair gives it a name that is free, and tells what refers to the object and to the HPA. Afterwards is
// the end of the message.
func (p *pass) rename(at yamldoc.Path, message, afterwards string) {
	o := p.Object
	old := o.Get(at...).Str()
	isHPA := (model.Autoscaler{Object: o}).IsHPA()
	namesHPA := isHPA || slices.Equal(at, hpaName)
	name := p.freeName(old, namesHPA)
	f := transform.Report{At: at, Message: fmt.Sprintf("%s: rename it to %s", message, name)}
	edits := o.Edits(yamldoc.Set(at, name))
	var byHand []string
	tell := func(kind, old, name string) {
		follow, others := p.KServe.References(o, kind, old)
		for _, ref := range follow {
			edits = append(edits, transform.Edit{Object: ref.Object, Edit: yamldoc.Set(ref.At, name)})
		}
		byHand = append(byHand, others...)
	}
	if namesHPA {
		tell(kserve.HorizontalPodAutoscaler.Kind, old, name)
	} else {
		tell(kserve.ScaledObject.Kind, old, name)
		if o.Get(hpaName...).Str() == "" {
			tell(kserve.HorizontalPodAutoscaler.Kind, kedaHPA+old, kedaHPA+name)
		}
	}
	if len(byHand) > 0 {
		f.Message += " and update by hand " + strings.Join(byHand, ", ")
	}
	if isHPA {
		f.Message += ", and delete the old object if Argo CD does not prune it"
		at := yamldoc.Path{"metadata", "annotations", model.RenamedFromAnnotation}
		edits = append(edits, o.Edits(yamldoc.Set(at, old))...)
	}
	f.Message += afterwards
	p.repairName(f, edits...)
}

// freeName returns the new name of an HPA, or of the pass's object: the old one with -external, and a number when that
// is taken.
func (p *pass) freeName(old string, ofHPA bool) string {
	o := p.Object
	taken := func(name string) bool {
		return ofHPA && p.KServe.HasHPA(o.Namespace, name) ||
			!ofHPA && p.Snapshot.Object(o.GroupKind(), o.Namespace, name) != nil
	}
	name := old + "-external"
	for n := 2; taken(name); n++ {
		name = old + "-external-" + strconv.Itoa(n)
	}
	return name
}
