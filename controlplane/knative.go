package controlplane

import (
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// revisionOf is the newest revision of a Knative Service, and the template that it is made of.
type revisionOf struct {
	template any
	number   int
}

// newRevision returns the name of the newest revision of a Knative Service, and makes one of a new template.
func (s *Server) newRevision(o object) string {
	meta := metaOf(o)
	template, _, _ := unstructured.NestedFieldNoCopy(o, "spec", "template")
	last := s.revisions[meta.GetUID()]
	if !reflect.DeepEqual(last.template, template) {
		last = revisionOf{template, last.number + 1}
		s.revisions[meta.GetUID()] = last
	}
	return fmt.Sprintf("%s-%05d", meta.GetName(), last.number)
}

// knativeService lets the newest revision of a Knative Service serve, unless its pod is refused. Without a template there is
// none.
func (s *Server) knativeService(k key) error {
	o, err := s.get(k)
	if err != nil || metaOf(o).GetDeletionTimestamp() != nil {
		return nil
	}
	template, _, _ := unstructured.NestedFieldNoCopy(o, "spec", "template")
	if _, given := template.(object); !given {
		return nil
	}
	if err := s.pod(o, true, true); err != nil {
		return err
	}
	return s.writeStatus(k, o, s.acceptKnative(o))
}

// acceptKnative is a Knative Service whose newest revision serves, with as much traffic as it shall have.
func (s *Server) acceptKnative(o object) object {
	meta := metaOf(o)
	revision := s.newRevision(o)
	traffic, _, _ := unstructured.NestedSlice(o, "spec", "traffic")
	if len(traffic) == 0 {
		traffic = []any{object{"latestRevision": true, "percent": int64(100)}}
	}
	for _, share := range traffic {
		if share := share.(object); share["latestRevision"] == true {
			share["revisionName"] = revision
		}
	}
	conditions := []any{}
	for _, kind := range []string{"ConfigurationsReady", "Ready", "RoutesReady"} {
		conditions = append(conditions, object{
			"type": kind, "status": "True", "lastTransitionTime": start.Format("2006-01-02T15:04:05Z"),
		})
	}
	return object{
		"observedGeneration": meta.GetGeneration(), "conditions": conditions,
		"latestCreatedRevisionName": revision, "latestReadyRevisionName": revision,
		"url":     fmt.Sprintf("http://%s.%s.example.com", meta.GetName(), meta.GetNamespace()),
		"address": object{"url": fmt.Sprintf("http://%s.%s.svc.cluster.local", meta.GetName(), meta.GetNamespace())},
		"traffic": traffic,
	}
}
