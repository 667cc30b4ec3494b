package controlplane

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strings"

	registrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"knative.dev/pkg/apis"
	"knative.dev/serving/pkg/apis/config"
	servingv1 "knative.dev/serving/pkg/apis/serving/v1"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

// addKnativeWebhooks adds those of Knative that are asked about its Services, from the release of Knative that KServe is
// built with (cmd/webhook/main.go of Knative Serving).
func (s *Server) addKnativeWebhooks() {
	asked := []registrationv1.RuleWithOperations{{
		Operations: []registrationv1.OperationType{registrationv1.Create, registrationv1.Update},
		Rule: registrationv1.Rule{
			APIGroups: []string{knative.Group}, APIVersions: []string{"v1"}, Resources: []string{s.kinds[knative].plural},
		},
	}}
	add := func(name string, mutating bool, answer knativeAnswer) {
		handler := &admission.Webhook{Handler: admission.HandlerFunc(
			func(_ context.Context, request admission.Request) admission.Response {
				return s.askKnative(request, answer)
			},
		)}
		s.webhooks = append(s.webhooks, webhook{name, mutating, asked, labels.Everything(), labels.Everything(), handler})
	}
	add("webhook.serving.knative.dev", true, func(ctx context.Context, given []byte, service *servingv1.Service) admission.Response {
		service.SetDefaults(ctx)
		complete, err := json.Marshal(service)
		if err != nil {
			return admission.Errored(http.StatusInternalServerError, err)
		}
		return admission.PatchResponseFromRaw(given, complete)
	})
	add("validation.webhook.serving.knative.dev", false, func(ctx context.Context, _ []byte, service *servingv1.Service) admission.Response {
		if err := service.Validate(ctx).Filter(apis.ErrorLevel); err != nil {
			return admission.Denied("validation failed: " + err.Error())
		}
		return admission.Allowed("")
	})
}

// knativeAnswer is what a webhook makes of a Service, which it gets as JSON and decoded.
type knativeAnswer func(ctx context.Context, given []byte, service *servingv1.Service) admission.Response

func (s *Server) askKnative(request admission.Request, answer knativeAnswer) admission.Response {
	settings, err := s.knativeSettings()
	if err != nil {
		return admission.Errored(http.StatusInternalServerError, err)
	}
	ctx := config.ToContext(context.Background(), settings)
	var service, old servingv1.Service
	if err := json.Unmarshal(request.Object.Raw, &service); err != nil {
		return admission.Errored(http.StatusBadRequest, err)
	}
	if request.Operation == "CREATE" {
		return answer(apis.WithinCreate(ctx), request.Object.Raw, &service)
	}
	if err := json.Unmarshal(request.OldObject.Raw, &old); err != nil {
		return admission.Errored(http.StatusInternalServerError, err)
	}
	return answer(apis.WithinUpdate(ctx, &old), request.Object.Raw, &service)
}

// knativeSettings are those of the cluster. If it has no ConfigMap config-features, every field of a pod that Knative takes
// where it is asked to is taken: a cluster with KServe has those that its services need.
func (s *Server) knativeSettings() (*config.Config, error) {
	data := func(name string) (map[string]string, bool) {
		o, err := s.get(key{schema.GroupKind{Kind: "ConfigMap"}, "knative-serving", name})
		values, _, _ := unstructured.NestedStringMap(o, "data")
		return values, err == nil
	}
	defaults, _ := data("config-defaults")
	features, given := data("config-features")
	settings := config.FromContextOrDefaults(context.Background())
	var err error
	if settings.Defaults, err = config.NewDefaultsConfigFromMap(defaults); err != nil {
		return nil, fmt.Errorf("ConfigMap config-defaults: %w", err)
	}
	if settings.Features, err = config.NewFeaturesConfigFromMap(features); err != nil {
		return nil, fmt.Errorf("ConfigMap config-features: %w", err)
	}
	if flags := reflect.ValueOf(settings.Features).Elem(); !given {
		for i := range flags.NumField() {
			for _, prefix := range []string{"PodSpec", "ContainerSpec", "MultiContainer"} {
				if strings.HasPrefix(flags.Type().Field(i).Name, prefix) {
					flags.Field(i).Set(reflect.ValueOf(config.Enabled))
				}
			}
		}
	}
	return settings, nil
}

// fillPorts gives the serving container of a revision's pod the port that Knative takes where there is none, for its probes
// too (makeServingContainer in pkg/reconciler/revision/resources/deploy.go of Knative Serving).
func fillPorts(pod object) {
	containers, _, _ := unstructured.NestedFieldNoCopy(pod, "spec", "containers")
	all, _ := containers.([]any)
	for _, c := range all {
		container := c.(object)
		ports, _ := container["ports"].([]any)
		if len(ports) == 0 && len(all) > 1 {
			continue
		}
		var userPort any = int64(servingv1.DefaultUserPort)
		if len(ports) > 0 {
			first := ports[0].(object)
			if first["containerPort"] == int64(0) {
				first["containerPort"] = userPort
			}
			userPort = first["containerPort"]
		}
		for probe, handlers := range handlersWithPort {
			for _, handler := range handlers {
				asked, _, _ := unstructured.NestedFieldNoCopy(container, probe, handler)
				if asked, given := asked.(object); given && asked["port"] == int64(0) {
					asked["port"] = userPort
				}
			}
		}
	}
}

// handlersWithPort are those of the probes that a revision's pod has with the port of its container, or that Knative asks
// instead of the kubelet.
var handlersWithPort = map[string][]string{
	"livenessProbe": {"httpGet", "tcpSocket"}, "readinessProbe": {"httpGet", "tcpSocket", "grpc"},
}

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

// knativeService lets the newest revision of a Knative Service serve, unless its pod is refused.
func (s *Server) knativeService(k key) error {
	o, err := s.get(k)
	if err != nil || metaOf(o).GetDeletionTimestamp() != nil {
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
