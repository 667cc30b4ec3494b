package objects

import (
	"bytes"
	"errors"
	"io"
	"os"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// Parse decodes a stream of YAML or JSON documents as kubectl and Argo CD do.
func Parse(stream []byte) ([]*unstructured.Unstructured, error) {
	var parsed []*unstructured.Unstructured
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(stream), 4096)
	for {
		object := new(unstructured.Unstructured)
		err := decoder.Decode(&object.Object)
		if errors.Is(err, io.EOF) {
			return parsed, nil
		}
		if err != nil {
			return nil, err
		}
		if len(object.Object) > 0 {
			parsed = append(parsed, object)
		}
	}
}

// ParseItems decodes a stream as Parse does, with the items of a List one by one.
func ParseItems(stream []byte) ([]*unstructured.Unstructured, error) {
	parsed, err := Parse(stream)
	if err != nil {
		return nil, err
	}
	var all []*unstructured.Unstructured
	for _, object := range parsed {
		if !object.IsList() {
			all = append(all, object)
			continue
		}
		if err := object.EachListItem(func(item runtime.Object) error {
			all = append(all, item.(*unstructured.Unstructured))
			return nil
		}); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Read reads the documents of a file.
func Read(tb testing.TB, path string) []*unstructured.Unstructured {
	tb.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	parsed, err := Parse(data)
	if err != nil {
		tb.Fatalf("%s: %v", path, err)
	}
	return parsed
}

// Kustomize builds the kustomization in a folder.
func Kustomize(dir string) ([]*unstructured.Unstructured, error) {
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), dir)
	if err != nil {
		return nil, err
	}
	stream, err := built.AsYaml()
	if err != nil {
		return nil, err
	}
	return Parse(stream)
}
