package healthconfig

import (
	"bytes"
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"sigs.k8s.io/yaml"
)

// brief is a configuration with texts short enough to read.
func brief(t *testing.T) Configuration {
	c := configure(t, "unknown", "unknown")
	var overrides []Override
	for _, o := range c.Overrides {
		if o.Kind != "InferenceService" {
			continue
		}
		switch o.Type {
		case "health":
			o.Value = "-- Health of a KServe InferenceService\n\nreturn {}\n"
		case "actions":
			o.Value = "discovery.lua: |\n  return {}\ndefinitions:\n- name: stop\n"
		case "knownTypeFields":
			o.Value = "- field: spec.predictor.containers\n  type: core/v1/Container\n"
		}
		overrides = append(overrides, o)
	}
	c.Overrides = overrides
	return c
}

func readInstalled(t *testing.T, data []byte) *Installed {
	t.Helper()
	live, err := ReadInstalled(data, "FILE")
	if err != nil {
		t.Fatal(err)
	}
	return live
}

// TestInstalled merges a configuration into what people have, and holds the result, what is said about it, and that
// nothing else changes.
func TestInstalled(t *testing.T) {
	inputs, err := os.ReadDir("testdata/live")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range inputs {
		name := entry.Name()
		if path.Ext(name) != ".yaml" && path.Ext(name) != ".json" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join("testdata/live", name))
			if err != nil {
				t.Fatal(err)
			}
			live, c := readInstalled(t, data), brief(t)
			changes, notes, err := live.Changes(c)
			if err != nil {
				t.Fatal(err)
			}
			form := live.documents[0].objects[0].form
			merged, _, _, err := live.Merge(c, form)
			if err != nil {
				t.Fatal(err)
			}
			var said bytes.Buffer
			if err := WriteChanges(&said, changes); err != nil {
				t.Fatal(err)
			}
			for _, note := range notes {
				said.WriteString(note + "\n")
			}
			golden(t, "live/"+name+".changes", said.String())
			golden(t, "live/"+name+".merged", string(merged))

			again := readInstalled(t, merged)
			if changes, _, err := again.Changes(c); err != nil || len(changes) > 0 {
				t.Errorf("the result is to change again: %v %v", changes, err)
			}
			if twice, _, _, err := again.Merge(c, form); err != nil || !bytes.Equal(twice, merged) {
				t.Errorf("merged twice: %v\n%s", err, twice)
			}
			if len(live.documents[0].objects) == 1 {
				comparePatch(t, live.documents[0].objects[0], data, merged, changes)
			}
		})
	}
}

// comparePatch compares a merged object with what a merge patch of the changed keys makes of it, in the library that
// kubectl and the API server use.
func comparePatch(t *testing.T, object installedObject, before, after []byte, changes []Change) {
	t.Helper()
	patch := map[string]any{}
	for _, change := range changes {
		patch[change.Key] = change.After
	}
	for i := len(object.keys) - 1; i >= 0; i-- {
		patch = map[string]any{object.keys[i].(string): patch}
	}
	text, err := json.Marshal(patch)
	if err != nil {
		t.Fatal(err)
	}
	original, err := yaml.YAMLToJSON(before)
	if err != nil {
		t.Fatal(err)
	}
	if string(original) == "null" {
		original = []byte("{}")
	}
	patched, err := jsonpatch.MergePatch(original, text)
	if err != nil {
		t.Fatal(err)
	}
	var want, got any
	if err := json.Unmarshal(patched, &want); err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(after, &got); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("a patch makes\n%s\nof it, not\n%s", patched, after)
	}
}

// TestPrintedPatchKeeps patches an object with what each form prints and looks for what was there before.
func TestPrintedPatchKeeps(t *testing.T) {
	for form, input := range map[string]string{
		formArgoCD: "argocd-cm.yaml", formOperator: "operator-extra.yaml", formHelm: "values.yaml",
	} {
		data, err := os.ReadFile(filepath.Join("testdata/live", input))
		if err != nil {
			t.Fatal(err)
		}
		original, err := yaml.YAMLToJSON(data)
		if err != nil {
			t.Fatal(err)
		}
		patch, err := yaml.YAMLToJSON([]byte(written(t, form, "", configure(t, "unknown", "unknown"))))
		if err != nil {
			t.Fatal(err)
		}
		patched, err := jsonpatch.MergePatch(original, patch)
		if err != nil {
			t.Fatal(err)
		}
		for _, kept := range []string{"accounts.alice", "resourceHealthChecks", "server.insecure"} {
			if strings.Contains(string(data), kept) && !strings.Contains(string(patched), kept) {
				t.Errorf("%s: the printed patch drops %s", form, kept)
			}
		}
		live := readInstalled(t, patched)
		changes, _, err := live.Changes(configure(t, "unknown", "unknown"))
		if err != nil || len(changes) > 0 {
			t.Errorf("%s: patched, and still to change: %v %v", form, changes, err)
		}
	}
}

func TestInstalledRefuses(t *testing.T) {
	cm := func(kserve string) string {
		return "kind: ConfigMap\nmetadata: {name: inferenceservice-config}\ndata:\n  inferenceService: " + kserve
	}
	for input, want := range map[string]string{
		"":                                  "FILE: no ConfigMap argocd-cm or inferenceservice-config",
		"[]":                                "FILE: no ConfigMap",
		"kind: Pod":                         "FILE: no ConfigMap",
		"a: {":                              "FILE: document at line 1: ",
		"a: b\n...\nc: d":                   "FILE: ",
		cm(`'{"resource": {}'`):             "ConfigMap inferenceservice-config: the key inferenceService is not JSON",
		cm(`'["x"]'`):                       "ConfigMap inferenceservice-config: inferenceService: ",
		"argo-cd: {configs: [x]}":           "FILE: ",
		"a: &a {cm: {}}\nconfigs: {<<: *a}": "FILE: ",
	} {
		live, err := ReadInstalled([]byte(input), "FILE")
		if err == nil {
			_, _, err = live.Changes(brief(t))
		}
		if err == nil {
			_, _, _, err = live.Merge(brief(t), live.documents[0].objects[0].form)
		}
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", input, err, want)
		}
	}
}

// TestScripts finds health checks in every place that Argo CD reads, except those that have no effect.
func TestScripts(t *testing.T) {
	for input, want := range map[string]string{
		`data:
  resource.customizations.health.serving.kserve.io_InferenceGraph: one
  resource.customizations.useOpenLibs.serving.kserve.io_InferenceGraph: "true"
  resource.customizations.health.argoproj.io_Application: other
  resource.customizations: |
    serving.kserve.io/InferenceGraph: {health.lua: two}
    serving.kserve.io/InferenceService: {health.lua: three, health.lua.useOpenLibs: true}
    "*.kserve.io/LLM*": {health.lua: four}
kind: ConfigMap
metadata: {name: argocd-cm}
`: "InferenceGraph one true, InferenceService three true, LLMInferenceService four false",
		`apiVersion: argoproj.io/v1beta1
kind: ArgoCD
metadata: {name: argocd}
spec:
  extraConfig:
    resource.customizations.health.serving.kserve.io_InferenceGraph: one
  resourceHealthChecks:
  - {group: serving.kserve.io, kind: InferenceGraph, check: two}
  - {group: serving.kserve.io, kind: InferenceService, check: three}
  - {group: argoproj.io, kind: Application, check: other}
`: "InferenceGraph one false, InferenceService three false",
		"configs: {cm: {resource.customizations.health.serving.kserve.io_InferenceGraph: one}}": "InferenceGraph one false",
		`- op: add
  path: /spec/resourceHealthChecks/-
  value: {group: serving.kserve.io, kind: InferenceGraph, check: one}
- op: add
  path: /spec/resourceHealthChecks/-
  value: {group: argoproj.io, kind: Application, check: other}
`: "InferenceGraph one false",
		"kind: ConfigMap\nmetadata: {name: inferenceservice-config}":     "",
		"kind: ConfigMap\nmetadata: {name: argocd-cm}\ndata: [a list]\n": "",
	} {
		var got []string
		scripts, err := readInstalled(t, []byte(input)).Scripts()
		if err != nil {
			t.Error(err)
		}
		for _, s := range scripts {
			libraries := " false"
			if s.OpenLibs {
				libraries = " true"
			}
			got = append(got, s.Kind+" "+s.Source+libraries)
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s\n got %q\nwant %q", input, got, want)
		}
	}
}
