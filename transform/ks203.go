package transform

import (
	"fmt"
	"slices"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

var autoscalerFinalizer = &Rule{
	ID:    "KS203",
	Name:  "autoscaler-finalizer",
	Title: "The finalizer kserve.io/protect hangs or is dropped",
	Doc: `Nothing ever removes the finalizer ` + "`kserve.io/protect`" + `. On KServe 0.13.0 to 0.15.0 the autoscaler gets a
deletionTimestamp and stays; Argo CD then shows the app as Progressing, "Pending deletion", for ever, and pruning, deleting
the app or its namespace hangs. From 0.15.1 on KServe overwrites the whole object, finalizer included, and deletes it.

The finalizer is taken off: another name (KS202) is what protects. Where the name changes, the old object has to be freed
once, by the command in the finding, before Argo CD can prune it. On 0.13.0 to 0.15.0 the setting ` + "`autoscaler: finalizer`" + `
keeps the name and adds the finalizer instead.`,
	Issues:   []string{"https://github.com/kserve/kserve/issues/4312", "https://github.com/kserve/kserve/pull/4363"},
	Kinds:    autoscalerKinds,
	Example:  "unknown/only",
	Severity: Error,
	Run:      checkFinalizer,
}

func checkFinalizer(p *Pass) {
	list := yamldoc.Path{"metadata", "finalizers"}
	finalizers := p.Object.Get(list...).Strings()
	at := slices.Index(finalizers, protectFinalizer)
	renamed := p.Versions.Any(kserve.ForeignAutoscalersLost) && p.reservedBy(p.Object, p.Object.Name) != nil
	keep := renamed && p.Options.Autoscaler == "finalizer" && p.Object.Kind == "HorizontalPodAutoscaler"
	switch {
	case keep && at < 0:
		p.repair(Finding{At: list, Message: "KServe deletes this autoscaler for its name: add the finalizer " + protectFinalizer + " to keep it"},
			Edit{p.Object, yamldoc.Set(list, withFinalizer(finalizers))})
	case !keep && at >= 0:
		f := Finding{At: list.With(at), Message: fmt.Sprintf("finalizer %s hangs deletion and does not protect: remove it", protectFinalizer)}
		if renamed {
			f.Message += "; with prune on the old object goes once it is freed: " + freeCommand(p.Object)
		}
		p.repair(f, withoutFinalizer(p.Object, list, finalizers)...)
	}
}

func withFinalizer(finalizers []string) []any {
	var list []any
	for _, f := range finalizers {
		list = append(list, f)
	}
	return append(list, protectFinalizer)
}

// withoutFinalizer takes the finalizer off the list, or the list away that holds nothing else.
func withoutFinalizer(o *Object, list yamldoc.Path, finalizers []string) []Edit {
	var edits []Edit
	for i, f := range finalizers {
		if f == protectFinalizer {
			edits = append(edits, Edit{o, yamldoc.Delete(list.With(i))})
		}
	}
	if len(edits) == len(finalizers) {
		return []Edit{{o, yamldoc.Delete(list)}}
	}
	return edits
}

// freeCommand is the command that lets the API server delete the live object.
func freeCommand(o *Object) string {
	kind, namespace := "hpa", ""
	if o.Kind == "ScaledObject" {
		kind = "scaledobject"
	}
	if o.Namespace != "" {
		namespace = "-n " + o.Namespace + " "
	}
	return fmt.Sprintf(`kubectl %spatch %s %s --type=merge -p '{"metadata":{"finalizers":null}}'`, namespace, kind, o.Name)
}
