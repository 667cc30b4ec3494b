package applications

import (
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/argocd"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/objects"
)

// Tracking is a way in which Argo CD marks the objects of an Application, as application.resourceTrackingMethod in
// argocd-cm names it.
type Tracking string

// The ways to track.
const (
	Label              Tracking = "label"      // the default up to 2.14
	Annotation         Tracking = "annotation" // the default since 3.0
	AnnotationAndLabel Tracking = "annotation+label"
)

// Trackings are the ways to track.
var Trackings = []Tracking{Label, Annotation, AnnotationAndLabel}

// The marks of Argo CD. The annotation holds the kind, namespace and name of the object that it was made for, the label
// only the name of the Application.
const (
	trackingLabel      = "app.kubernetes.io/instance"
	trackingAnnotation = "argocd.argoproj.io/tracking-id"
)

// Mark returns what marks the object as one of an Application: a Tracking, or "" for none.
func Mark(object *unstructured.Unstructured) Tracking {
	label, annotation := object.GetLabels()[trackingLabel] != "", object.GetAnnotations()[trackingAnnotation] != ""
	switch {
	case label && annotation:
		return AnnotationAndLabel
	case label:
		return Label
	case annotation:
		return Annotation
	}
	return ""
}

const tracked = `
apiVersion: v1
kind: ConfigMap
metadata: {name: tracked}
`

// Track sets the tracking method, and returns when Argo CD marks objects in that way.
func (a *ArgoCD) Track(tb testing.TB, tracking Tracking) {
	tb.Helper()
	patch := fmt.Sprintf(`{"data":{"application.resourceTrackingMethod":%q}}`, tracking)
	a.In(tb).Patch(objects.ConfigMaps, "argocd-cm", patch)
	name := a.namespace + "-tracked"
	repository := argocd.NewRepository(tb, a.Stack, name)
	repository.Write("tracked.yaml", tracked)
	repository.Commit()
	application := a.Deploy(tb, name, Source{Repository: repository})
	namespace := application.Namespace()
	namespace.Eventually("Argo CD tracks by "+string(tracking), func() error {
		application.Refresh()
		application.Sync()
		object := namespace.Find(objects.ConfigMaps, "tracked")
		if object == nil {
			return fmt.Errorf("there is no ConfigMap")
		}
		if mark := Mark(object); mark != tracking {
			return fmt.Errorf("it tracks by %q", mark)
		}
		return nil
	})
}
