package controlplane

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// host is where clients find the server. Nothing listens there.
const host = "http://controlplane.invalid"

// start is when every object is created.
var start = time.Date(2020, time.November, 20, 20, 0, 0, 0, time.UTC)

// object is one as JSON decodes it: with int64 and float64 for numbers.
type object = map[string]any

// key names a stored object.
type key struct {
	schema.GroupKind
	namespace, name string
}

func (k key) compare(other key) int {
	return cmp.Or(cmp.Compare(k.Group, other.Group), cmp.Compare(k.String(), other.String()))
}

func (k key) String() string {
	if k.namespace == "" {
		return k.Kind + " " + k.name
	}
	return k.Kind + " " + k.namespace + "/" + k.name
}

// Server is an API server in memory. It is an [http.RoundTripper] for the clients, and for one goroutine: KServe's
// controllers start none, and the manager runs one of them at a time.
type Server struct {
	kinds      map[schema.GroupKind]*kind
	plurals    map[schema.GroupResource]*kind // the same
	webhooks   []webhook
	changed    func(before, after object) // is told of every write; either is nil
	refused    map[schema.GroupKind]error // why nobody may write these kinds
	namespaces map[string]labels.Set      // their labels

	*store
	revision int64 // of the newest write
	created  int   // objects

	pods      map[key]podOf            // of Deployments and Knative Services
	prepared  map[key]prepared         // Secrets with certificates
	revisions map[types.UID]revisionOf // of Knative Services
}

// podOf is the pod of a Deployment or Knative Service, and the template that it is made of.
type podOf struct {
	key
	template any
}

// prepared is for whom a Secret is, and its version. One that its owner has not written is no part of the state.
type prepared struct {
	owner   types.UID
	version string
}

func newServer() *Server {
	return &Server{
		kinds: map[schema.GroupKind]*kind{}, plurals: map[schema.GroupResource]*kind{},
		store: newStore(), changed: func(_, _ object) {}, pods: map[key]podOf{}, prepared: map[key]prepared{},
		revisions: map[types.UID]revisionOf{}, refused: map[schema.GroupKind]error{}, namespaces: map[string]labels.Set{},
	}
}

func (s *Server) addKind(k *kind) { s.kinds[k.GroupKind], s.plurals[k.resource()] = k, k }

// RoundTrip answers a request.
func (s *Server) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
		r.Body.Close()
	}
	code := http.StatusOK
	answer, err := s.answer(r, body)
	if err != nil {
		status := statusOf(err)
		code, answer = int(status.Code), status
	}
	data, err := json.Marshal(answer)
	if err != nil {
		return nil, err
	}
	return &http.Response{
		StatusCode: code, Status: http.StatusText(code), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"application/json"}},
		Body:   io.NopCloser(bytes.NewReader(data)), ContentLength: int64(len(data)), Request: r,
	}, nil
}

func statusOf(err error) metav1.Status {
	status := apierrors.NewInternalError(err).ErrStatus
	if known, ok := err.(apierrors.APIStatus); ok {
		status = known.Status()
	}
	status.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
	return status
}

// target is what a request is about.
type target struct {
	kind            *kind
	version         string // the apiVersion of the request
	namespace, name string
	subresource     string
}

func (t target) key() key { return key{t.kind.GroupKind, t.namespace, t.name} }

// targetOf returns what a request for an object is about. Nothing is found for a kind that the server does not have.
func (s *Server) targetOf(o object, namespace string) (t target, found bool) {
	k := keyOf(o)
	version, _ := o["apiVersion"].(string)
	kind := s.kinds[k.GroupKind]
	if kind == nil || !slices.Contains(kind.versions, version) {
		return target{}, false
	}
	t = target{kind: kind, version: version, name: k.name}
	if kind.namespaced {
		t.namespace = cmp.Or(k.namespace, namespace)
	}
	return t, true
}

func (s *Server) answer(r *http.Request, body []byte) (any, error) {
	segments := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	if answer := s.discovery(segments); answer != nil {
		return answer, nil
	}
	t, err := s.target(segments)
	if err != nil {
		return nil, err
	}
	query := r.URL.Query()
	dryRun := slices.Contains(query["dryRun"], metav1.DryRunAll)
	switch {
	case r.Method == http.MethodGet && t.name == "":
		return s.list(t, query)
	case r.Method == http.MethodGet:
		stored, err := s.get(t.key())
		if err != nil {
			return nil, err
		}
		return t.kind.convert(stored, t.version)
	case r.Method == http.MethodPost && t.name == "":
		given, err := decode(body)
		if err != nil {
			return nil, err
		}
		return s.create(t, given, dryRun)
	case r.Method == http.MethodPut:
		given, err := decode(body)
		if err != nil {
			return nil, err
		}
		return s.update(t, given, dryRun)
	case r.Method == http.MethodPatch:
		return s.patch(t, r.Header.Get("Content-Type"), body, dryRun)
	case r.Method == http.MethodDelete && t.name == "":
		return s.deleteAll(t, query)
	case r.Method == http.MethodDelete:
		return s.delete(t.key())
	}
	return nil, apierrors.NewMethodNotSupported(t.kind.resource(), r.Method)
}

func decode(body []byte) (object, error) {
	var given object
	if err := utiljson.Unmarshal(body, &given); err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	return given, nil
}

// discovery answers what clients ask about the server itself. It returns nil for other requests.
func (s *Server) discovery(segments []string) any {
	switch {
	case segments[0] == "version":
		return map[string]string{"major": "1", "minor": "34", "gitVersion": "v1.34.0"}
	case segments[0] == "api" && len(segments) == 1:
		return metav1.APIVersions{TypeMeta: metav1.TypeMeta{Kind: "APIVersions"}, Versions: []string{"v1"}}
	case segments[0] == "apis" && len(segments) == 1:
		return s.groups()
	case segments[0] == "api" && len(segments) == 2:
		return s.resources(segments[1])
	case segments[0] == "apis" && len(segments) == 3:
		return s.resources(segments[1] + "/" + segments[2])
	}
	return nil
}

func (s *Server) groups() metav1.APIGroupList {
	list := metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}}
	versions := map[string][]string{}
	for _, k := range s.kinds {
		if k.Group == "" {
			continue
		}
		for _, v := range k.versions {
			if !slices.Contains(versions[k.Group], v) {
				versions[k.Group] = append(versions[k.Group], v)
			}
		}
	}
	for name, all := range versions {
		group := metav1.APIGroup{Name: name}
		slices.Sort(all)
		for _, v := range all {
			group.Versions = append(group.Versions, metav1.GroupVersionForDiscovery{GroupVersion: v, Version: v[len(name)+1:]})
		}
		group.PreferredVersion = group.Versions[len(all)-1]
		list.Groups = append(list.Groups, group)
	}
	slices.SortFunc(list.Groups, func(a, b metav1.APIGroup) int { return strings.Compare(a.Name, b.Name) })
	return list
}

func (s *Server) resources(version string) any {
	list := metav1.APIResourceList{
		TypeMeta: metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"}, GroupVersion: version,
	}
	for _, k := range s.kinds {
		if slices.Contains(k.versions, version) {
			list.APIResources = append(list.APIResources, metav1.APIResource{
				Name: k.plural, SingularName: strings.ToLower(k.Kind), Kind: k.Kind, Namespaced: k.namespaced,
				Verbs: metav1.Verbs{"get", "list", "create", "update", "patch", "delete"},
			})
		}
	}
	if len(list.APIResources) == 0 {
		return nil
	}
	slices.SortFunc(list.APIResources, func(a, b metav1.APIResource) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// target reads a path: /api/v1/namespaces/NAMESPACE/RESOURCE/NAME/SUBRESOURCE, or /apis/GROUP/VERSION/...
func (s *Server) target(segments []string) (target, error) {
	missing := apierrors.NewGenericServerResponse(http.StatusNotFound, "", schema.GroupResource{}, "",
		"the server could not find the requested resource", 0, true)
	if len(segments) < 3 {
		return target{}, missing
	}
	group, version, rest := "", segments[1], segments[2:]
	if segments[0] == "apis" {
		if len(segments) < 4 {
			return target{}, missing
		}
		group, version, rest = segments[1], segments[1]+"/"+segments[2], segments[3:]
	}
	t := target{version: version}
	if rest[0] == "namespaces" && len(rest) > 2 {
		t.namespace, rest = rest[1], rest[2:]
	}
	t.kind = s.plurals[schema.GroupResource{Group: group, Resource: rest[0]}]
	if t.kind == nil || !slices.Contains(t.kind.versions, version) {
		return target{}, missing
	}
	if len(rest) > 1 {
		t.name = rest[1]
	}
	if len(rest) > 2 {
		t.subresource = rest[2]
	}
	return t, nil
}

func (s *Server) get(k key) (object, error) {
	stored, found := s.objects[k]
	if !found {
		return nil, apierrors.NewNotFound(s.kinds[k.GroupKind].resource(), k.name)
	}
	return stored, nil
}

// all returns the stored objects of a kind, in order; those of every namespace for "".
func (s *Server) all(of schema.GroupKind, namespace string) []object {
	var found []object
	for _, k := range s.store.selected(of, namespace, labels.Everything()) {
		found = append(found, s.objects[k])
	}
	return found
}

func (s *Server) list(t target, query url.Values) (any, error) {
	items, err := s.selected(t, query)
	if err != nil {
		return nil, err
	}
	converted := []object{}
	for _, item := range items {
		shown, err := t.kind.convert(item, t.version)
		if err != nil {
			return nil, err
		}
		converted = append(converted, shown)
	}
	return object{
		"apiVersion": t.version, "kind": t.kind.Kind + "List",
		"metadata": object{"resourceVersion": fmt.Sprint(s.revision)}, "items": converted,
	}, nil
}

func (s *Server) selected(t target, query url.Values) ([]object, error) {
	byLabel, err := labels.Parse(query.Get("labelSelector"))
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	byField, err := fields.ParseSelector(query.Get("fieldSelector"))
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	for _, required := range byField.Requirements() {
		if required.Field != "metadata.name" && required.Field != "metadata.namespace" {
			return nil, apierrors.NewBadRequest("field label not supported: " + required.Field)
		}
	}
	var selected []object
	for _, k := range s.store.selected(t.kind.GroupKind, t.namespace, byLabel) {
		if byField.Matches(fields.Set{"metadata.name": k.name, "metadata.namespace": k.namespace}) {
			selected = append(selected, s.objects[k])
		}
	}
	return selected, nil
}
