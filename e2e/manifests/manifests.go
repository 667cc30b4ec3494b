// Package manifests reads what was rendered as Argo CD reads it.
package manifests

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"k8s.io/apimachinery/pkg/util/yaml"
	sigsyaml "sigs.k8s.io/yaml"
)

// Decode returns the documents of a stream as Kubernetes' decoder reads them, without empty ones, each as [Canonical]
// has it.
func Decode(stream []byte) (objects []string, err error) {
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(stream), 4096)
	for {
		var document json.RawMessage
		err := decoder.Decode(&document)
		if errors.Is(err, io.EOF) {
			return objects, nil
		}
		if err != nil {
			return nil, err
		}
		if len(document) == 0 || string(document) == "null" {
			continue
		}
		object, err := Canonical(document)
		if err != nil {
			return nil, err
		}
		objects = append(objects, object)
	}
}

// Canonical returns a JSON or YAML document as JSON with sorted keys, numbers as they were written.
func Canonical(document []byte) (string, error) {
	data, err := sigsyaml.YAMLToJSON(document)
	if err != nil {
		return "", err
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return "", err
	}
	object, err := json.Marshal(value)
	return string(object), err
}
