package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/health"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kubectl"
)

type groupKinds struct {
	group string
	kinds []string
}

// kinds are those of KServe, and of others that may belong to a service, by API group.
var kinds = []groupKinds{
	{kserve.Group, []string{"InferenceService", "LLMInferenceService", "InferenceGraph", "TrainedModel", "ServingRuntime",
		"ClusterServingRuntime", "LLMInferenceServiceConfig", "ClusterStorageContainer", "LocalModelCache",
		"LocalModelNamespaceCache", "LocalModelNodeGroup"}},
	{kserve.ScaledObject.Group, []string{kserve.ScaledObject.Kind}},
	{kserve.HTTPScaledObject.Group, []string{kserve.HTTPScaledObject.Kind}},
	{"leaderworkerset.x-k8s.io", []string{"LeaderWorkerSet"}},
	{"serving.knative.dev", []string{"Service", "Configuration", "Revision"}},
	{"argoproj.io", []string{"Application"}},
}

// Read reads the objects in a namespace, or in all if it is empty, that tell how the services are. What the account may
// not read is noted, and not what the cluster does not have. progress is called with what is read, and how many objects
// of it so far.
func (c *Cluster) Read(ctx context.Context, k *kubectl.Kubectl, namespace string, progress func(what string, n int)) error {
	r := reading{c, k, progress}
	if err := r.configuration(ctx); err != nil {
		return err
	}
	all := kinds
	if c.Reports.Kind != "" {
		all = append(slices.Clip(kinds), groupKinds{c.Reports.Group(), []string{c.Reports.Kind}})
	}
	for _, in := range all {
		found, err := k.Find(ctx, in.group, in.kinds)
		if err != nil && !r.forbidden(in.group, in.kinds, err) {
			return err
		}
		for _, kind := range in.kinds {
			resource, ok := found[kind]
			if !ok {
				continue
			}
			within := namespace
			if kind == "Application" {
				within = "" // they are elsewhere than what they apply
			}
			if err := r.list(ctx, resource, within, "", ""); err != nil {
				return err
			}
		}
		if err == nil && in.group == kserve.Group && len(found) == 0 {
			return errors.New("the cluster has no kind of " + kserve.Group +
				"; install KServe, or choose another cluster with --context")
		}
	}
	for _, made := range kserve.Selectors {
		if c.count(made.Kind) == 0 {
			continue
		}
		for _, resource := range []kubectl.Resource{kubectl.Deployments, kubectl.ReplicaSets, kubectl.Pods} {
			if err := r.list(ctx, resource, namespace, made.Labels, ""); err != nil {
				return err
			}
		}
	}
	if c.count("LeaderWorkerSet") > 0 {
		// They make their pods with these (pkg/controllers/leaderworkerset_controller.go of sigs.k8s.io/lws@v0.8.0).
		if err := r.list(ctx, kubectl.StatefulSets, namespace, "leaderworkerset.sigs.k8s.io/name", ""); err != nil {
			return err
		}
	}
	if err := r.list(ctx, kubectl.Autoscalers, namespace, "", ""); err != nil {
		return err
	}
	return r.list(ctx, kubectl.Events, namespace, "", "type=Warning")
}

// reading fills a cluster.
type reading struct {
	cluster  *Cluster
	kubectl  *kubectl.Kubectl
	progress func(what string, n int)
}

// list adds the objects of a kind, or notes that they may not be read.
func (r reading) list(ctx context.Context, resource kubectl.Resource, namespace, labels, fields string) error {
	n := 0
	r.progress(resource.Plural, n)
	err := r.kubectl.List(ctx, resource, namespace, labels, fields, func(event health.Event) {
		n++
		r.cluster.Apply(event)
		r.progress(resource.Plural, n)
	})
	if r.forbidden(resource.Plural, []string{resource.Kind}, err) {
		return nil
	}
	return err
}

// forbidden reports whether the account may not read kinds, and notes it.
func (r reading) forbidden(what string, kinds []string, err error) bool {
	var failed *kubectl.Error
	if !kubectl.IsForbidden(err) || !errors.As(err, &failed) {
		return false
	}
	line := fmt.Sprintf("%s: %s", what, strings.TrimPrefix(failed.Text, "Error from server (Forbidden): "))
	noted := slices.ContainsFunc(r.cluster.Unread, func(u Unread) bool { return u.Text == line })
	if !noted { // several kinds of services have pods
		r.cluster.Unread = append(r.cluster.Unread, Unread{Kinds: kinds, Text: line})
	}
	return true
}

// configuration adds KServe's ConfigMap and its controller, wherever they are. An account that may not look everywhere
// may look into the usual namespace.
func (r reading) configuration(ctx context.Context) error {
	for _, at := range []struct {
		resource kubectl.Resource
		name     string
	}{{kubectl.ConfigMaps, kserve.ConfigMap}, {kubectl.Deployments, kserve.ControllerDeployment}} {
		err := r.kubectl.List(ctx, at.resource, "", "", "metadata.name="+at.name, r.cluster.Apply)
		if kubectl.IsForbidden(err) {
			err = r.list(ctx, at.resource, "kserve", "", "metadata.name="+at.name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
