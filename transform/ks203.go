package transform

import (
	"fmt"
	"slices"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

var autoscalerFinalizer = &Rule{
	ID:    "KS203",
	Name:  "autoscaler-finalizer",
	Title: "The finalizer kserve.io/protect hangs or is dropped",
	Doc: `Nothing ever removes the finalizer ` + "`kserve.io/protect`" + `. On KServe 0.13.0 to 0.15.0 the autoscaler gets a
deletionTimestamp and stays; Argo CD then shows the app as Progressing, "Pending deletion", for ever, and pruning, deleting
the app or its namespace hangs. From 0.15.1 on KServe overwrites the whole object, finalizer included, and deletes it.

The finalizer is taken off: another name (KS202) is what protects. On 0.13.0 to 0.15.0 the setting ` + "`autoscaler: finalizer`" + `
keeps the name and adds the finalizer instead.`,
	Issues:   []string{"https://github.com/kserve/kserve/issues/4312", "https://github.com/kserve/kserve/pull/4363"},
	Kinds:    autoscalerKinds,
	Severity: Error,
	Run:      checkFinalizer,
}

func checkFinalizer(p *Pass) {
	list := yamldoc.Path{"metadata", "finalizers"}
	finalizers := p.Object.Get(list...).Strings()
	at := slices.Index(finalizers, protectFinalizer)
	keep := p.Options.Autoscaler == "finalizer" && p.reservedBy(p.Object) != nil
	switch {
	case keep && at < 0:
		p.Report(Finding{At: list, Message: "KServe deletes this autoscaler for its name; the finalizer " + protectFinalizer + " keeps it",
			Edits: []Edit{{p.Object, yamldoc.Set(list, withFinalizer(finalizers))}}})
	case !keep && at >= 0 && p.Options.Autoscaler == "report":
		p.Report(Finding{At: list.With(at), Message: "finalizer " + protectFinalizer + " hangs deletion and does not protect"})
	case !keep && at >= 0:
		edit := yamldoc.Delete(list.With(at))
		if len(finalizers) == 1 {
			edit = yamldoc.Delete(list)
		}
		p.Report(Finding{At: list.With(at), Edits: []Edit{{p.Object, edit}},
			Message: fmt.Sprintf("finalizer %s hangs deletion and does not protect: removed; free the live object once with %s", protectFinalizer, freeCommand(p.Object))})
	}
}

func withFinalizer(finalizers []string) []any {
	var list []any
	for _, f := range finalizers {
		list = append(list, f)
	}
	return append(list, protectFinalizer)
}

// freeCommand is the command that lets the API server delete a live object which bears the finalizer.
func freeCommand(o *Object) string {
	kind := map[string]string{"HorizontalPodAutoscaler": "hpa", "ScaledObject": "scaledobject"}[o.Kind]
	namespace := ""
	if o.Namespace != "" {
		namespace = " -n " + o.Namespace
	}
	return fmt.Sprintf(`kubectl%s patch %s %s --type=merge -p '{"metadata":{"finalizers":null}}'`, namespace, kind, o.Name)
}
