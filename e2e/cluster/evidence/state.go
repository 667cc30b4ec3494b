// Package evidence compares what plan says KServe makes with what KServe makes on a real API server, and keeps what was
// compared as a page of the documentation.
package evidence

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Key names an object, whatever its version. A pod of a Deployment has the Deployment's name.
type Key struct{ Group, Kind, Namespace, Name string }

func (k Key) String() string { return k.Kind + " " + k.Namespace + "/" + k.Name }

func compareKeys(a, b Key) int {
	return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name),
		cmp.Compare(a.Group, b.Group))
}

// State are objects without the fields that are not compared.
type State map[Key]map[string]any

// NewState returns the state of a cluster with the objects, as far as they are compared.
func NewState(objects []map[string]any) State {
	s := State{}
	for _, object := range objects {
		k := KeyOf(object)
		if LeavesOut(k.Kind) || ofNamespace(k) {
			continue
		}
		comparable := comparableTo(object)
		for s[k] != nil && !reflect.DeepEqual(s[k], comparable) {
			k.Name += " (another one)"
		}
		s[k] = comparable
	}
	return s
}

// Manifests returns the state without what plan leaves out of manifests: statuses, owners, finalizers and deletions.
func (s State) Manifests() State {
	all := State{}
	for k, object := range s {
		object = comparableTo(object)
		drop(object, "status")
		drop(object, "metadata", "ownerReferences")
		drop(object, "metadata", "finalizers")
		drop(object, "metadata", "deletionTimestamp")
		all[k] = object
	}
	return all
}

// KeyOf returns the key of an object.
func KeyOf(o map[string]any) Key {
	metadata, _ := o["metadata"].(map[string]any)
	text := func(in map[string]any, name string) string { value, _ := in[name].(string); return value }
	group, _, grouped := strings.Cut(text(o, "apiVersion"), "/")
	if !grouped {
		group = ""
	}
	k := Key{group, text(o, "kind"), text(metadata, "namespace"), text(metadata, "name")}
	if prefix := text(metadata, "generateName"); k.Kind == "Pod" && prefix != "" {
		labels, _ := metadata["labels"].(map[string]any)
		if hash := text(labels, "pod-template-hash"); hash != "" {
			prefix = strings.TrimSuffix(prefix, hash+"-")
		}
		k.Name = strings.TrimSuffix(prefix, "-")
	}
	return k
}

// comparableTo returns a copy of the object without the fields that are not compared.
func comparableTo(object map[string]any) map[string]any {
	data, err := json.Marshal(object)
	if err != nil {
		panic(err) // it came from JSON
	}
	var o map[string]any
	if err := json.Unmarshal(data, &o); err != nil {
		panic(err)
	}
	kind, _ := o["kind"].(string)
	for _, f := range live {
		if f.kinds == nil || slices.Contains(f.kinds, kind) {
			f.drop(o)
		}
	}
	return o
}

// Difference is a value that an object has in one world only.
type Difference struct {
	Key        Key
	Path       string // "" for the object as a whole
	Real, Plan any    // nil where there is none
}

func (d Difference) String() string {
	return fmt.Sprintf("%s: %s: real %s, planned %s", d.Key, cmp.Or(d.Path, "the object"), short(d.Real), short(d.Plan))
}

func short(value any) string {
	if value == nil {
		return "none"
	}
	data, err := json.Marshal(value)
	if err != nil {
		panic(err) // it came from JSON
	}
	if len(data) > 600 {
		data = append(data[:600], "..."...)
	}
	return string(data)
}

// Compare returns the differences between two states.
func Compare(real, plan State) (all []Difference) {
	keys := maps.Clone(real)
	maps.Copy(keys, plan)
	for _, k := range slices.SortedFunc(maps.Keys(keys), compareKeys) {
		is, planned := real[k], plan[k]
		if is == nil || planned == nil {
			all = append(all, Difference{Key: k, Real: orNil(is), Plan: orNil(planned)})
			continue
		}
		differ("", is, planned, func(path string, a, b any) { all = append(all, Difference{k, path, a, b}) })
	}
	return all
}

func orNil(o map[string]any) any {
	if o == nil {
		return nil
	}
	return o
}

// differ reports the paths at which two values differ.
func differ(path string, a, b any, report func(path string, a, b any)) {
	if reflect.DeepEqual(a, b) {
		return
	}
	if x, ok := a.(map[string]any); ok {
		if y, ok := b.(map[string]any); ok {
			names := maps.Clone(x)
			maps.Copy(names, y)
			for _, name := range slices.Sorted(maps.Keys(names)) {
				differ(strings.TrimPrefix(path+"."+name, "."), x[name], y[name], report)
			}
			return
		}
	}
	if x, ok := a.([]any); ok {
		if y, ok := b.([]any); ok && len(x) == len(y) {
			for i := range x {
				differ(fmt.Sprintf("%s[%d]", path, i), x[i], y[i], report)
			}
			return
		}
	}
	report(path, a, b)
}

// Restarted returns the keys of the Deployments and LeaderWorkerSets whose pod templates differ between two states, if
// they have pods in both.
func Restarted(before, after State) map[Key]bool {
	restarted := map[Key]bool{}
	for k, was := range before {
		is := after[k]
		if is == nil || !slices.Contains(workloads, k.Kind) || isEmpty(was) || isEmpty(is) {
			continue
		}
		if !reflect.DeepEqual(template(was), template(is)) {
			restarted[k] = true
		}
	}
	return restarted
}

var workloads = []string{"Deployment", "LeaderWorkerSet"}

// isEmpty reports whether a workload shall have no pods.
func isEmpty(o map[string]any) bool {
	spec, _ := o["spec"].(map[string]any)
	return spec["replicas"] == 0.0
}

func template(o map[string]any) any {
	spec, _ := o["spec"].(map[string]any)
	if t := spec["leaderWorkerTemplate"]; t != nil {
		return t
	}
	return spec["template"]
}
