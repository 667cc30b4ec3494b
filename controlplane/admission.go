package controlplane

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	admissionv1 "k8s.io/api/admission/v1"
	registrationv1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	admissionattributes "k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/predicates/rules"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

// Webhook is a part of a release that the API server asks.
type Webhook struct {
	// Path is where KServe serves it. It may be empty for a defaulter and a validator, which have those of
	// controller-runtime.
	Path    string
	Handler admission.Handler

	Object    runtime.Object // an empty one of the kind of the defaulter and the validator
	Defaulter admission.CustomDefaulter
	Validator admission.CustomValidator
}

// webhook is one of the configurations in the cluster, with what answers it.
type webhook struct {
	name     string
	mutating bool
	rules    []registrationv1.RuleWithOperations
	selector labels.Selector
	// namespaces are those whose objects it is asked about, by their labels. Objects without a namespace are among them.
	namespaces labels.Selector
	handler    admission.Handler
}

// serve returns the handlers by path.
func serve(scheme *runtime.Scheme, webhooks []Webhook) (map[string]admission.Handler, error) {
	handlers := map[string]admission.Handler{}
	for _, w := range webhooks {
		if w.Handler != nil {
			handlers[w.Path] = &admission.Webhook{Handler: w.Handler}
		}
		if w.Object == nil {
			continue
		}
		kind, err := apiutil.GVKForObject(w.Object, scheme)
		if err != nil {
			return nil, err
		}
		path := strings.ReplaceAll(kind.Group, ".", "-") + "-" + kind.Version + "-" + strings.ToLower(kind.Kind)
		if w.Defaulter != nil {
			handlers["/mutate-"+path] = admission.WithCustomDefaulter(scheme, w.Object, w.Defaulter)
		}
		if w.Validator != nil {
			handlers["/validate-"+path] = admission.WithCustomValidator(scheme, w.Object, w.Validator)
		}
	}
	return handlers, nil
}

// addWebhooks adds those of KServe's configurations that have a handler.
func (s *Server) addWebhooks(configurations []json.RawMessage, handlers map[string]admission.Handler) error {
	for _, data := range configurations {
		var kind metav1.TypeMeta
		var mutating registrationv1.MutatingWebhookConfiguration
		if err := json.Unmarshal(data, &kind); err != nil {
			return err
		}
		if kind.Kind == "MutatingWebhookConfiguration" {
			if err := json.Unmarshal(data, &mutating); err != nil {
				return err
			}
			for _, w := range mutating.Webhooks {
				if err := s.addWebhook(w.Name, true, w.Rules, w.ObjectSelector, w.NamespaceSelector, w.ClientConfig, handlers); err != nil {
					return err
				}
			}
			continue
		}
		var validating registrationv1.ValidatingWebhookConfiguration
		if err := json.Unmarshal(data, &validating); err != nil {
			return err
		}
		for _, w := range validating.Webhooks {
			if err := s.addWebhook(w.Name, false, w.Rules, w.ObjectSelector, w.NamespaceSelector, w.ClientConfig, handlers); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Server) addWebhook(
	name string, mutating bool, rules []registrationv1.RuleWithOperations, objects, namespaces *metav1.LabelSelector,
	where registrationv1.WebhookClientConfig, handlers map[string]admission.Handler,
) error {
	var parsed [2]labels.Selector
	for i, selector := range []*metav1.LabelSelector{objects, namespaces} {
		if selector == nil {
			selector = &metav1.LabelSelector{} // the API server's default
		}
		var err error
		if parsed[i], err = metav1.LabelSelectorAsSelector(selector); err != nil {
			return fmt.Errorf("webhook %s: %w", name, err)
		}
	}
	if where.Service == nil || where.Service.Path == nil || handlers[*where.Service.Path] == nil {
		return fmt.Errorf("webhook %s: the release has no handler for it", name)
	}
	s.webhooks = append(s.webhooks, webhook{name, mutating, rules, parsed[0], parsed[1], handlers[*where.Service.Path]})
	return nil
}

// asks reports whether the API server asks the webhook about a request.
func (s *Server) asks(w webhook, t target, operation admissionv1.Operation, o object) bool {
	if !w.selector.Matches(labels.Set(metaOf(o).GetLabels())) || t.namespace != "" && !w.namespaces.Matches(s.labelsOf(t.namespace)) {
		return false
	}
	version, err := schema.ParseGroupVersion(t.version)
	if err != nil {
		return false
	}
	request := admissionattributes.NewAttributesRecord(nil, nil, version.WithKind(t.kind.Kind), t.namespace, t.name,
		version.WithResource(t.kind.plural), t.subresource, admissionattributes.Operation(operation), nil, false, nil)
	return slices.ContainsFunc(w.rules, func(r registrationv1.RuleWithOperations) bool {
		matcher := rules.Matcher{Rule: r, Attr: request}
		return matcher.Matches()
	})
}

// labelsOf are those of a namespace: the API server's own, and KServe's of the namespace that it is in.
func (s *Server) labelsOf(namespace string) labels.Set {
	return labels.Merge(labels.Set{"kubernetes.io/metadata.name": namespace}, s.namespaces[namespace])
}

// mutate asks the mutating webhooks one after the other. They see the defaults.
func (s *Server) mutate(t target, operation admissionv1.Operation, o, old object) (object, error) {
	for _, w := range s.webhooks {
		if !w.mutating || !s.asks(w, t, operation, o) {
			continue
		}
		var err error
		if o, err = t.kind.complete(o); err != nil {
			return nil, err
		}
		response, err := w.ask(t, operation, o, old)
		if err != nil {
			return nil, err
		}
		if o, err = patched(o, response); err != nil {
			return nil, err
		}
	}
	return o, nil
}

// validate asks the validating webhooks. o is nil for a deletion.
func (s *Server) validate(t target, operation admissionv1.Operation, o, old object) error {
	about := o
	if o == nil {
		about = old
	} else if err := s.refused[t.kind.GroupKind]; err != nil && t.subresource == "" {
		return err
	}
	for _, w := range s.webhooks {
		if w.mutating || !s.asks(w, t, operation, about) {
			continue
		}
		if _, err := w.ask(t, operation, o, old); err != nil {
			return err
		}
	}
	return nil
}

// ask returns the webhook's answer, or the API server's error if it refuses.
func (w webhook) ask(t target, operation admissionv1.Operation, o, old object) (response admission.Response, err error) {
	version, err := schema.ParseGroupVersion(t.version)
	if err != nil {
		return response, err
	}
	request := admissionv1.AdmissionRequest{
		UID:       "plan",
		Kind:      metav1.GroupVersionKind(version.WithKind(t.kind.Kind)),
		Resource:  metav1.GroupVersionResource(version.WithResource(t.kind.plural)),
		Name:      t.name,
		Namespace: t.namespace,
		Operation: operation,
	}
	if o != nil {
		if request.Object.Raw, err = json.Marshal(o); err != nil {
			return response, err
		}
	}
	if old != nil {
		if request.OldObject.Raw, err = json.Marshal(old); err != nil {
			return response, err
		}
	}
	response, err = handle(w.handler, request)
	if err != nil {
		return response, apierrors.NewInternalError(fmt.Errorf("failed calling webhook %q: %w", w.name, err))
	}
	if response.Allowed {
		return response, nil
	}
	return response, denied(w.name, response.Result)
}

// handle calls a handler. A panic that controller-runtime does not turn into a refusal, as it does from 0.20 on, ends the
// connection.
func handle(handler admission.Handler, request admissionv1.AdmissionRequest) (response admission.Response, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	return handler.Handle(context.Background(), admission.Request{AdmissionRequest: request}), nil
}

// denied is the error of the API server for a webhook that refuses (ToStatusErr in
// k8s.io/apiserver/pkg/admission/plugin/webhook/errors).
func denied(name string, result *metav1.Status) error {
	prefix := fmt.Sprintf("admission webhook %q denied the request", name)
	if result == nil {
		result = &metav1.Status{}
	}
	status := *result
	status.Status = metav1.StatusFailure
	switch {
	case status.Message != "":
		status.Message = prefix + ": " + status.Message
	case status.Reason != "":
		status.Message = prefix + ": " + string(status.Reason)
	default:
		status.Message = prefix + " without explanation"
	}
	if status.Code < http.StatusBadRequest {
		status.Code = http.StatusBadRequest
	}
	return &apierrors.StatusError{ErrStatus: status}
}

func patched(o object, response admission.Response) (object, error) {
	if len(response.Patch) == 0 {
		return o, nil
	}
	operations, err := jsonpatch.DecodePatch(response.Patch)
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	if data, err = operations.Apply(data); err != nil {
		return nil, err
	}
	return decode(data)
}
