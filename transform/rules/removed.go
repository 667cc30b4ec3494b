package rules

import "github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"

// staying returns what an object of the previous manifests is now, nil if it is deleted.
func (p *pass) staying(o *transform.Object) *transform.Object {
	return p.Render.Object(o.GroupKind(), o.Namespace, o.Name)
}
