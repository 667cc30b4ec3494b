package model

import (
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// Maker returns the object of KServe's that controls an object, as "Kind name", or "" if there is none. KServe made
// such an object, so it was exported from a cluster (SetControllerReference and NewControllerRef in pkg/controller,
// v0.11.0 to v0.20.0). KServe controls none of the objects that people write.
func Maker(o *transform.Object) string {
	owner := controller(o, kserve.Group)
	if owner == nil {
		return ""
	}
	return owner.Get("kind").Str() + " " + owner.Get("name").Str()
}

// IsMade reports whether a controller made an object: one of KServe's, or any other where the object is live, such as
// Knative's, or KEDA's for the HPA of a ScaledObject.
func IsMade(o *transform.Object) bool {
	return Maker(o) != "" || o.IsLive() && controller(o, transform.AnyKind) != nil
}

// controller returns the owner that controls an object, nil if there is none or it is of another API group. Any group is
// transform.AnyKind.
func controller(o *transform.Object, group string) *yamldoc.Node {
	for _, owner := range o.Get("metadata", "ownerReferences").List() {
		ofGroup := group == transform.AnyKind || strings.HasPrefix(owner.Get("apiVersion").Str(), group+"/")
		if ofGroup && owner.Get("controller").Str() == "true" {
			return owner
		}
	}
	return nil
}
