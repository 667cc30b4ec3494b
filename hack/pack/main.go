// Pack puts what a control plane needs of KServe's sources into a folder, for the program to embed: the definitions of
// the kinds, the configurations of the webhooks, and the objects of an installation. The package controlplane reads it.
package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

func main() {
	sources := flag.String("kserve", "", "folder of KServe's sources")
	out := flag.String("o", "", "folder to write")
	flag.Parse()
	if err := pack(*sources, *out); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// entry is the line of a kind in index.json. controlplane.Definition tells what it means.
type entry struct {
	File       string   `json:"file"`
	Group      string   `json:"group"`
	Kind       string   `json:"kind"`
	Plural     string   `json:"plural"`
	Versions   []string `json:"versions"`
	Storage    string   `json:"storage"`
	Namespaced bool     `json:"namespaced"`
}

func pack(sources, out string) error {
	index, err := definitions(sources, out)
	if err != nil {
		return err
	}
	webhooks, err := objects(filepath.Join(sources, "config", "webhook"), "MutatingWebhookConfiguration",
		"ValidatingWebhookConfiguration")
	if err != nil {
		return err
	}
	installed, err := installation(sources)
	if err != nil {
		return err
	}
	all, err := json.Marshal(installed)
	if err != nil {
		return err
	}
	_, release, found := strings.Cut(filepath.Base(sources), "@")
	if !found {
		return fmt.Errorf("%s: the folder of a module ends with @ and its version", sources)
	}
	err = cmp.Or(
		write(filepath.Join(out, "index.json"), index),
		write(filepath.Join(out, "webhooks.json"), webhooks),
		write(filepath.Join(out, "objects.json"), json.RawMessage(own.ReplaceAll(all, []byte("${1}:"+release)))),
	)
	written := []string{"index.json", "webhooks.json", "objects.json"}
	for _, e := range index {
		written = append(written, e.File)
	}
	return cmp.Or(err, clean(out, written))
}

// clean removes the files of other releases.
func clean(out string, written []string) error {
	there, err := filepath.Glob(filepath.Join(out, "*.json"))
	if err != nil {
		return err
	}
	for _, path := range there {
		if !slices.Contains(written, filepath.Base(path)) {
			if err := os.Remove(path); err != nil {
				return err
			}
		}
	}
	return nil
}

// own is an image of KServe's. The sources have the tag latest, and what is installed has that of the release
// (install/v0.20.0/kserve-cluster-resources.yaml of KServe 0.20.0).
var own = regexp.MustCompile(`\b(kserve/[a-z-]+):latest\b`)

// write leaves a file alone that has the value already: another go build may read it.
func write(path string, value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return err
	}
	if there, err := os.ReadFile(path); err == nil && bytes.Equal(there, data) {
		return nil
	}
	return os.WriteFile(path, data, 0o666)
}

// definitions writes a file for each kind that KServe defines, and for those of others that its tests have.
func definitions(sources, out string) ([]entry, error) {
	kserve, err := objects(filepath.Join(sources, "config", "crd", "full"), "CustomResourceDefinition")
	if err != nil {
		return nil, err
	}
	others, err := objects(filepath.Join(sources, "test", "crds"), "CustomResourceDefinition")
	if err != nil {
		return nil, err
	}
	var index []entry
	for _, o := range slices.Concat(kserve, others) {
		spec := o["spec"].(map[string]any)
		names := spec["names"].(map[string]any)
		e := entry{
			Group: spec["group"].(string), Kind: names["kind"].(string), Plural: names["plural"].(string),
			Namespaced: spec["scope"] == "Namespaced",
		}
		e.File = e.Plural + "." + e.Group + ".json"
		if slices.ContainsFunc(index, func(other entry) bool { return other.File == e.File }) {
			continue
		}
		for _, item := range spec["versions"].([]any) {
			version := item.(map[string]any)
			if e.Group == "serving.knative.dev" {
				addTimes(version)
			}
			if version["served"] == true {
				e.Versions = append(e.Versions, version["name"].(string))
			}
			if version["storage"] == true {
				e.Storage = version["name"].(string)
			}
		}
		index = append(index, e)
		if err := write(filepath.Join(out, e.File), withoutDescriptions(o)); err != nil {
			return nil, err
		}
	}
	return index, nil
}

// addTimes adds the time of a condition, which KServe's copy of Knative's definition leaves out.
func addTimes(schema map[string]any) {
	for _, name := range []string{
		"schema", "openAPIV3Schema", "properties", "status", "properties", "conditions", "items", "properties",
	} {
		schema = schema[name].(map[string]any)
	}
	schema["lastTransitionTime"] = map[string]any{"type": "string"}
}

// withoutDescriptions takes the descriptions out of the schemas of a definition: they are half of it.
func withoutDescriptions(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for name, below := range value {
			if _, isText := below.(string); isText && name == "description" {
				delete(value, name)
				continue
			}
			value[name] = withoutDescriptions(below)
		}
	case []any:
		for i, item := range value {
			value[i] = withoutDescriptions(item)
		}
	}
	return value
}

// objects returns those of the kinds in the files below a folder. That there is none is an error.
func objects(dir string, kinds ...string) ([]map[string]any, error) {
	found, err := find(dir, kinds...)
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("%s has no %s", dir, strings.Join(kinds, " and no "))
	}
	return found, err
}

// find returns those that there are.
func find(dir string, kinds ...string) ([]map[string]any, error) {
	var found []map[string]any
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".yaml" || strings.HasSuffix(path, "_patch.yaml") {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		all, err := parse(data)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		for _, o := range all {
			if kind, _ := o["kind"].(string); slices.Contains(kinds, kind) {
				found = append(found, o)
			}
		}
		return nil
	})
	return found, err
}

func parse(data []byte) ([]map[string]any, error) {
	var all []map[string]any
	for document := range strings.SplitSeq("\n"+string(data), "\n---") {
		var o map[string]any
		if err := yaml.Unmarshal([]byte(document), &o); err != nil {
			return nil, err
		}
		if o != nil {
			all = append(all, o)
		}
	}
	return all, nil
}

// around are objects of others that KServe's configuration names.
const around = `
apiVersion: v1
kind: ConfigMap
metadata: {name: config-autoscaler, namespace: knative-serving}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: config-deployment, namespace: knative-serving}
---
apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: {name: stand-in}
spec: {controllerName: controlplane.invalid/stand-in}
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: kserve-ingress-gateway, namespace: kserve}
spec:
  gatewayClassName: stand-in
  listeners: [{name: http, port: 80, protocol: HTTP, allowedRoutes: {namespaces: {from: All}}}]
`

// installation returns the configuration of KServe, its runtimes and its presets, as an installation has them.
func installation(sources string) ([]map[string]any, error) {
	all, err := parse([]byte(around))
	if err != nil {
		return nil, err
	}
	config, err := objects(filepath.Join(sources, "config", "configmap"), "ConfigMap")
	if err != nil {
		return nil, err
	}
	for _, c := range config {
		if data, ok := c["data"].(map[string]any); ok {
			delete(data, "_example") // KServe reads its configuration again and again, and the example is most of it
		}
	}
	namespaces, err := find(filepath.Join(sources, "config", "manager"), "Namespace") // up to 0.16.0, with labels
	if err != nil {
		return nil, err
	}
	all = slices.Concat(all, namespaces, config)
	for _, name := range []string{"storagecontainers", "runtimes", "llmisvcconfig"} {
		dir := filepath.Join(sources, "config", name)
		if _, err := os.Stat(filepath.Join(dir, "kustomization.yaml")); errors.Is(err, fs.ErrNotExist) {
			continue // the release has none
		}
		built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), dir)
		if err != nil {
			return nil, err
		}
		stream, err := built.AsYaml()
		if err != nil {
			return nil, err
		}
		objects, err := parse(stream)
		if err != nil {
			return nil, err
		}
		all = append(all, objects...)
	}
	for _, o := range all {
		metadata := o["metadata"].(map[string]any)
		if metadata["namespace"] == nil && (o["kind"] == "ConfigMap" || o["kind"] == "LLMInferenceServiceConfig") {
			metadata["namespace"] = "kserve"
		}
	}
	return all, nil
}
