package judge

import (
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/conversion"
)

// store returns an object as it is stored, and what the API server returns for it in the version that it had. If its
// controller writes it whole, it is stored as the controller writes it.
func store(object map[string]any, storage string, all definitions, finalized bool, scheme *runtime.Scheme) (
	stored, live map[string]any, err error,
) {
	if stored, err = convert(object, storage, all, scheme); err != nil {
		return nil, nil, err
	}
	if finalized {
		typed, err := read(stored, scheme)
		if err != nil {
			return nil, nil, err
		}
		if stored, err = write(typed, all, scheme); err != nil {
			return nil, nil, err
		}
	}
	live, err = convert(stored, object["apiVersion"].(string), all, scheme)
	return stored, live, err
}

// convert returns an object in another version of its kind, as the conversion webhook of controller-runtime makes it
// (pkg/webhook/conversion). One version of the two is the hub of the conversion.
func convert(
	object map[string]any, version string, all definitions, scheme *runtime.Scheme,
) (map[string]any, error) {
	if object["apiVersion"] == version {
		return object, nil
	}
	from, err := read(object, scheme)
	if err != nil {
		return nil, err
	}
	to, err := scheme.New(schema.FromAPIVersionAndKind(version, object["kind"].(string)))
	if err != nil {
		return nil, err
	}
	if hub, isHub := to.(conversion.Hub); isHub {
		err = from.(conversion.Convertible).ConvertTo(hub)
	} else {
		err = to.(conversion.Convertible).ConvertFrom(from.(conversion.Hub))
	}
	if err != nil {
		return nil, fmt.Errorf("to %s: %w", version, err)
	}
	return write(to, all, scheme)
}

// read decodes an object into the Go type of its version.
func read(object map[string]any, scheme *runtime.Scheme) (runtime.Object, error) {
	typed, err := scheme.New(schema.FromAPIVersionAndKind(object["apiVersion"].(string), object["kind"].(string)))
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	return typed, json.Unmarshal(data, typed)
}

// write encodes a Go value, and does to the result what the API server does to what it is given.
func write(typed runtime.Object, all definitions, scheme *runtime.Scheme) (map[string]any, error) {
	kind, err := apiutil.GVKForObject(typed, scheme)
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(typed)
	if err != nil {
		return nil, err
	}
	var object map[string]any
	if err := utiljson.Unmarshal(data, &object); err != nil {
		return nil, err
	}
	object["apiVersion"], object["kind"] = kind.GroupVersion().String(), kind.Kind
	delete(object, "status")
	_, err = all[kind.GroupVersion().String()+" "+kind.Kind].decode(object)
	return object, err
}
