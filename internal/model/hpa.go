package model

import (
	"slices"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// RenamedFromAnnotation on an HPA is its former name. Rule KS202 writes it; KServe does not read it.
const RenamedFromAnnotation = "argocd-kserve-plugin/renamed-from"

// RenamedFrom returns the RenamedFromAnnotation.
func (a Autoscaler) RenamedFrom() string { return a.Annotation(RenamedFromAnnotation) }

// hpaNames are the names of the HPAs of the render.
type hpaNames struct {
	present map[objectName]bool
	ever    map[objectName][]*transform.Object // that have the name or were renamed from it; also under everywhere
}

func findHPANames(render *transform.Snapshot) *hpaNames {
	all := render.Objects(kserve.HorizontalPodAutoscaler)
	found := &hpaNames{
		present: make(map[objectName]bool, len(all)), ever: make(map[objectName][]*transform.Object, 2*len(all)),
	}
	for _, o := range all {
		found.present[objectName{o.Namespace, o.Name}] = true
		found.note(o, o.Name)
		found.note(o, Autoscaler{o}.RenamedFrom())
	}
	return found
}

// note adds a name that the HPA has or had, unless it is empty.
func (n *hpaNames) note(hpa *transform.Object, name string) {
	if name == "" {
		return
	}
	for _, namespace := range []string{hpa.Namespace, everywhere} {
		at := objectName{namespace, name}
		n.ever[at] = append(n.ever[at], hpa)
	}
}

// HasHPA reports whether the render has an HPA with the name in the namespace.
func (m *Model) HasHPA(namespace, name string) bool {
	return m.hpaNames().present[objectName{namespace, name}]
}

// SharesName reports whether another HPA, which may be in the same namespace, has the name or was renamed from it.
func (m *Model) SharesName(hpa *transform.Object, name string) bool {
	namespaces := []string{hpa.Namespace, ""}
	if hpa.Namespace == "" {
		namespaces = []string{everywhere}
	}
	return slices.ContainsFunc(namespaces, func(namespace string) bool {
		return slices.ContainsFunc(m.hpaNames().ever[objectName{namespace, name}],
			func(other *transform.Object) bool { return other != hpa })
	})
}
