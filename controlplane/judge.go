package controlplane

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// Verdict is what the API server and KServe's webhooks make of an object when it is created, before a controller looks
// at it.
type Verdict struct {
	Reference
	// Judged is false for a kind that is not KServe's, and for one that the release does not have. Nothing more is said
	// about it.
	Judged  bool     `json:"judged"`
	Pruned  []string `json:"pruned,omitempty"`  // paths that the definition does not know
	Changes []Change `json:"changes,omitempty"` // from the manifest to the object that the API server returns
	Refused []Fault  `json:"refused,omitempty"`
	// Stored is the object in the version of the storage, without its status. It is missing where a mutating webhook or
	// the conversion refuses.
	Stored map[string]any `json:"stored,omitempty"`
}

// Fault says who does not let an object pass, in their words.
type Fault struct {
	By      string `json:"by"` // "mutating webhook", "definition", "validating webhook" or "conversion webhook"
	Message string `json:"message"`
}

// Judge reads a stream of manifests and writes a [Verdict] for each object, in order, as a line of JSON. A list counts
// as its items. mode is the default deployment mode of the cluster: Standard or Knative.
func Judge(release Release, mode string, in io.Reader, out io.Writer) error {
	mode, err := release.mode(mode)
	if err != nil {
		return err
	}
	c, end, err := newCluster(release, nil)
	if err != nil {
		return err
	}
	defer end()
	if err := c.configure(release, func(config object) error { return setMode(config, mode) }); err != nil {
		return err
	}
	encoder := json.NewEncoder(out)
	return eachObject(in, func(o object) error {
		verdict, err := c.judge(o)
		if err != nil {
			return fmt.Errorf("%s %s: %w", verdict.Kind, verdict.Name, err)
		}
		return encoder.Encode(verdict)
	})
}

// configure puts the release's configuration into the cluster, after edit, and nothing else: no other object is in the way.
func (c *Cluster) configure(release Release, edit func(config object) error) error {
	all, err := installed(release.Manifests)
	if err != nil {
		return err
	}
	for _, o := range all {
		if keyOf(o).Kind != "ConfigMap" {
			continue
		}
		if err := cmp.Or(edit(o), c.put(o)); err != nil {
			return err
		}
	}
	return nil
}

// eachObject decodes a stream of YAML or JSON and hands on each object.
func eachObject(in io.Reader, each func(object) error) error {
	decoder := yaml.NewYAMLOrJSONDecoder(in, 4096)
	for {
		var document json.RawMessage
		if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		var o object
		if len(document) == 0 {
			continue // comments only
		} else if err := utiljson.Unmarshal(document, &o); err != nil {
			return err
		}
		if err := eachItem(o, each); err != nil {
			return err
		}
	}
}

func eachItem(o object, each func(object) error) error {
	items, isList := o["items"].([]any)
	if kind, _ := o["kind"].(string); !isList || !strings.HasSuffix(kind, "List") {
		if o == nil {
			return nil
		}
		return each(o)
	}
	for _, item := range items {
		if o, ok := item.(object); ok {
			if err := eachItem(o, each); err != nil {
				return err
			}
		}
	}
	return nil
}

// judge does what the API server does when an object is created, and then read in the version of the manifest. Unlike
// the API server, it goes on after a fault.
func (c *Cluster) judge(manifest object) (v Verdict, err error) {
	v.APIVersion, _ = manifest["apiVersion"].(string)
	v.Kind, _ = manifest["kind"].(string)
	v.Namespace, _, _ = unstructured.NestedString(manifest, "metadata", "namespace")
	v.Name, _, _ = unstructured.NestedString(manifest, "metadata", "name")
	t, found := c.server.targetOf(manifest, "default")
	if !found || t.kind.Group != KServe("").Group {
		return v, nil
	}
	v.Judged = true
	// The API server drops the status of what is created and writes the time. Argo CD compares neither: Normalize in
	// pkg/diff/diff.go of gitops-engine, as Argo CD 2.14.21 and 3.5.7 have it. Both drop the namespace of an object of the
	// cluster: DeduplicateTargetObjects in controller/state.go of Argo CD v2.14.21.
	delete(manifest, "status")
	unstructured.RemoveNestedField(manifest, "metadata", "creationTimestamp")
	if !t.kind.namespaced {
		unstructured.RemoveNestedField(manifest, "metadata", "namespace")
	}
	definition := t.kind.strategy.(*custom)
	o := runtime.DeepCopyJSON(manifest)
	if v.Pruned, err = definition.pruned(o); err != nil {
		return v, err
	}
	refuse := func(by string, err error) {
		status := statusOf(err)
		if status.Details == nil || len(status.Details.Causes) == 0 {
			v.Refused = append(v.Refused, Fault{by, status.Message})
			return
		}
		for _, cause := range status.Details.Causes {
			v.Refused = append(v.Refused, Fault{by, cause.Field + ": " + cause.Message})
		}
	}
	if o, err = definition.decode(o); err != nil {
		refuse("definition", err)
		return v, nil
	}
	if err := c.server.completeMetadata(t, o); err != nil {
		return v, err
	}
	if o, err = c.server.mutate(t, admissionv1.Create, o, nil); err != nil {
		refuse("mutating webhook", err)
		return v, nil
	}
	if o, err = definition.create(t.context(), o); err != nil {
		refuse("definition", err)
	}
	if err := c.server.validate(t, admissionv1.Create, o, nil); err != nil {
		refuse("validating webhook", err)
	}
	stored, err := definition.convert(o, t.kind.storage)
	if err == nil && slices.ContainsFunc(c.manager.controllers, func(controller Controller) bool {
		return controller.For == t.kind.GroupKind && controller.Whole
	}) {
		stored, err = definition.rewritten(stored)
	}
	if err == nil {
		o, err = definition.convert(stored, t.version)
	}
	if err != nil {
		if len(v.Refused) == 0 {
			refuse("conversion webhook", err)
		}
		return v, nil
	}
	v.Stored, o = own(stored, v.Namespace), own(o, v.Namespace)
	v.Changes = Changes(manifest, o)
	return v, nil
}

// own returns an object without what only the API server writes, and with its namespace only if the manifest has it.
func own(o object, namespace string) object {
	o = runtime.DeepCopyJSON(o)
	for _, field := range []string{
		"uid", "resourceVersion", "generation", "creationTimestamp", "selfLink", "managedFields", "deletionTimestamp",
		"deletionGracePeriodSeconds",
	} {
		unstructured.RemoveNestedField(o, "metadata", field)
	}
	if namespace == "" {
		unstructured.RemoveNestedField(o, "metadata", "namespace")
	}
	delete(o, "status")
	return o
}

// pruned returns the paths that the definition does not know.
func (c *custom) pruned(o object) ([]string, error) {
	d, err := c.definition(o)
	if err != nil {
		return nil, err
	}
	options := structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true}
	paths := pruning.PruneWithOptions(runtime.DeepCopyJSON(o), d.structural, true, options)
	slices.Sort(paths)
	return paths, nil
}
