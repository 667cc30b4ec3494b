// Package judge says what a release of KServe makes of manifests: what its definitions prune, what its mutating
// webhooks change and what its validating webhooks refuse. It imports no KServe: a program per release gives it the
// webhooks.
package judge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"github.com/go-logr/logr"
	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

// Release is a release of KServe.
type Release struct {
	Standard, Knative string // how it spells the default modes
	Schemes           []func(*runtime.Scheme) error
	Webhooks          func(Cluster) []Webhooks
}

// Webhooks are those of a kind. Only Object is needed.
type Webhooks struct {
	Object    runtime.Object // an empty one of the kind
	Defaulter admission.CustomDefaulter
	Validator admission.CustomValidator
	Handler   admission.Handler // a validating webhook that is no CustomValidator
	Finalized bool              // whether the controller writes the object whole when it adds its finalizer
}

// handlers answer the API server's requests. Either may be nil.
type handlers struct {
	mutating, validating admission.Handler
	finalized            bool
}

// byKind returns the webhooks' handlers by apiVersion and kind with a blank between.
func byKind(scheme *runtime.Scheme, all []Webhooks) (map[string]handlers, error) {
	found := map[string]handlers{}
	for _, w := range all {
		kind, err := apiutil.GVKForObject(w.Object, scheme)
		if err != nil {
			return nil, err
		}
		h := handlers{validating: w.Handler, finalized: w.Finalized}
		if w.Defaulter != nil {
			h.mutating = admission.WithCustomDefaulter(scheme, w.Object, w.Defaulter)
		}
		if w.Validator != nil {
			h.validating = admission.WithCustomValidator(scheme, w.Object, w.Validator)
		}
		found[kind.GroupVersion().String()+" "+kind.Kind] = h
	}
	return found, nil
}

// Verdict is what the release makes of an object. Its JSON is one line of the output.
type Verdict struct {
	APIVersion string `json:"apiVersion,omitempty"`
	Kind       string `json:"kind,omitempty"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name,omitempty"`
	// Judged is false for a kind that the release does not define. Nothing more is said about it.
	Judged  bool      `json:"judged"`
	Pruned  []string  `json:"pruned,omitempty"`  // paths that the definition does not know
	Changes []Change  `json:"changes,omitempty"` // from the manifest to the object that the API server returns
	Refused []Refusal `json:"refused,omitempty"`
	// Stored is the object as it would be stored, in the version of the storage and without its status. It is missing
	// where a mutating webhook or the conversion refuses.
	Stored map[string]any `json:"stored,omitempty"`
}

// Refusal says who does not let an object pass, in their words.
type Refusal struct {
	By      string `json:"by"` // "mutating webhook", "definition", "validating webhook" or "conversion webhook"
	Message string `json:"message"`
}

// Main is the main function of a release's program. It reads a stream of manifests from standard input and writes one
// line of JSON per object, in order; a list counts as its items.
func Main(release Release) {
	mode := flag.String("mode", "Knative", "default deployment mode: Standard or Knative")
	sources := flag.String("kserve", "", "folder of KServe's sources at this release")
	flag.Parse()
	if err := run(release, *sources, *mode, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(release Release, sources, mode string, in io.Reader, out io.Writer) error {
	ctrllog.SetLogger(logr.Discard())
	spelling, known := map[string]string{"Standard": release.Standard, "Knative": release.Knative}[mode]
	if !known {
		return fmt.Errorf("-mode: %q is neither Standard nor Knative", mode)
	}
	config, err := readConfig(sources, spelling)
	if err != nil {
		return fmt.Errorf("-kserve: %w", err)
	}
	all, err := loadDefinitions(sources)
	if err != nil {
		return fmt.Errorf("-kserve: %w", err)
	}
	cluster, end, err := newCluster(config, release.Schemes)
	if err != nil {
		return err
	}
	defer end()
	webhooks, err := byKind(cluster.Scheme, release.Webhooks(cluster))
	if err != nil {
		return err
	}
	encoder := json.NewEncoder(out)
	return eachObject(in, func(object map[string]any) error {
		verdict, err := judge(object, all, webhooks, cluster.Scheme)
		if err != nil {
			return fmt.Errorf("%s %s: %w", verdict.Kind, verdict.Name, err)
		}
		return encoder.Encode(verdict)
	})
}

// eachObject decodes a stream of YAML or JSON and hands on each object.
func eachObject(in io.Reader, each func(map[string]any) error) error {
	decoder := yaml.NewYAMLOrJSONDecoder(in, 4096)
	for {
		var document json.RawMessage
		if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if len(document) == 0 {
			continue // comments only
		}
		var object map[string]any
		if err := utiljson.Unmarshal(document, &object); err != nil {
			return err
		}
		if err := eachItem(object, each); err != nil {
			return err
		}
	}
}

func eachItem(object map[string]any, each func(map[string]any) error) error {
	items, isList := object["items"].([]any)
	if kind, _ := object["kind"].(string); !isList || !strings.HasSuffix(kind, "List") {
		if object == nil {
			return nil
		}
		return each(object)
	}
	for _, item := range items {
		if object, ok := item.(map[string]any); ok {
			if err := eachItem(object, each); err != nil {
				return err
			}
		}
	}
	return nil
}

// judge does what the API server does when an object is created, and then read in the version of the manifest.
func judge(
	manifest map[string]any, all definitions, webhooks map[string]handlers, scheme *runtime.Scheme,
) (Verdict, error) {
	var verdict Verdict
	verdict.APIVersion, _ = manifest["apiVersion"].(string)
	verdict.Kind, _ = manifest["kind"].(string)
	metadata, _ := manifest["metadata"].(map[string]any)
	verdict.Namespace, _ = metadata["namespace"].(string)
	verdict.Name, _ = metadata["name"].(string)
	key := verdict.APIVersion + " " + verdict.Kind
	definition, known := all[key]
	if !known {
		return verdict, nil
	}
	verdict.Judged = true
	// The API server drops the status of what is created and writes the time. Argo CD compares neither: Normalize in
	// pkg/diff/diff.go of gitops-engine, as Argo CD 2.14.21 and 3.5.7 have it.
	delete(manifest, "status")
	delete(metadata, "creationTimestamp")
	object := runtime.DeepCopyJSON(manifest)
	pruned, err := definition.decode(object)
	if err != nil {
		verdict.Refused = []Refusal{{"definition", err.Error()}}
		return verdict, nil
	}
	verdict.Pruned = pruned
	response, err := ask(webhooks[key].mutating, verdict, object)
	if err != nil {
		return verdict, err
	}
	if !response.Allowed {
		verdict.Refused = []Refusal{{"mutating webhook", response.Result.Message}}
		return verdict, nil
	}
	if object, err = patch(object, response.Patch); err != nil {
		return verdict, err
	}
	delete(object, "status")
	if _, err := definition.decode(object); err != nil {
		return verdict, err
	}
	for _, fault := range definition.faults(object) {
		verdict.Refused = append(verdict.Refused, Refusal{"definition", fault})
	}
	if response, err = ask(webhooks[key].validating, verdict, object); err != nil {
		return verdict, err
	}
	if !response.Allowed {
		verdict.Refused = append(verdict.Refused, Refusal{"validating webhook", response.Result.Message})
	}
	stored, live, err := store(object, definition.storage, all, webhooks[key].finalized, scheme)
	switch {
	case err == nil:
		verdict.Changes = Changes(manifest, live)
		verdict.Stored = stored
	case len(verdict.Refused) == 0:
		verdict.Refused = []Refusal{{"conversion webhook", err.Error()}}
	}
	return verdict, nil
}

// ask sends an object to a webhook. A webhook that panics refuses, as it does behind controller-runtime.
func ask(handler admission.Handler, v Verdict, object map[string]any) (response admission.Response, err error) {
	if handler == nil {
		return admission.Allowed(""), nil
	}
	data, err := json.Marshal(object)
	if err != nil {
		return admission.Response{}, err
	}
	kind := schema.FromAPIVersionAndKind(v.APIVersion, v.Kind)
	defer func() {
		if r := recover(); r != nil {
			response, err = admission.Denied(fmt.Sprintf("panic: %v", r)), nil
		}
	}()
	response = handler.Handle(context.Background(), admission.Request{AdmissionRequest: admissionv1.AdmissionRequest{
		UID:       "judge",
		Kind:      metav1.GroupVersionKind(kind),
		Name:      v.Name,
		Namespace: v.Namespace,
		Operation: admissionv1.Create,
		Object:    runtime.RawExtension{Raw: data},
	}})
	if len(response.Patches) > 0 {
		response.Patch, err = json.Marshal(response.Patches)
	}
	return response, err
}

// patch applies a JSON patch.
func patch(object map[string]any, operations []byte) (map[string]any, error) {
	if len(bytes.TrimSpace(operations)) == 0 {
		return object, nil
	}
	decoded, err := jsonpatch.DecodePatch(operations)
	if err != nil {
		return nil, err
	}
	before, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	after, err := decoded.Apply(before)
	if err != nil {
		return nil, err
	}
	var patched map[string]any
	return patched, utiljson.Unmarshal(after, &patched)
}
