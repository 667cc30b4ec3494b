package model

import (
	"slices"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// RenamedFromAnnotation on an HPA is its former name. Rule KS202 writes it; KServe does not read it.
const RenamedFromAnnotation = "argocd-kserve-plugin/renamed-from"

// hpaNames are the names of the HPAs of the render.
type hpaNames struct {
	present map[objectName]bool
	ever    map[objectName][]*transform.Object // that have the name or were renamed from it; also under everywhere
}

func findHPANames(render *transform.Render) *hpaNames {
	found := &hpaNames{present: map[objectName]bool{}, ever: map[objectName][]*transform.Object{}}
	for _, o := range render.Objects(kserve.HorizontalPodAutoscaler) {
		found.present[objectName{o.Namespace, o.Name}] = true
		for _, name := range []string{o.Name, o.Annotation(RenamedFromAnnotation)} {
			for _, namespace := range []string{o.Namespace, everywhere} {
				at := objectName{namespace, name}
				found.ever[at] = append(found.ever[at], o)
			}
		}
	}
	return found
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
