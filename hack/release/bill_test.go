package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// schemaModule has SPDX's own schema of version 2.3, which its repository does not publish as a Go module.
const schemaModule = "github.com/anchore/syft@v1.57.0"

func schema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	text, err := output(t.Context(), ".", "go", "mod", "download", "-json", schemaModule)
	if err != nil {
		t.Fatal(err)
	}
	var module struct{ Dir string }
	if err := json.Unmarshal([]byte(text), &module); err != nil {
		t.Fatal(err)
	}
	compiled, err := jsonschema.NewCompiler().Compile(filepath.Join(module.Dir, "schema/spdx-json/spdx-schema-2.3.json"))
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

func decode(t *testing.T, r io.Reader) spdx {
	t.Helper()
	decoder := json.NewDecoder(r)
	decoder.DisallowUnknownFields()
	var document spdx
	if err := decoder.Decode(&document); err != nil {
		t.Fatal(err)
	}
	return document
}

// TestBill lists what this test program consists of.
func TestBill(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	r := &release{version: "v0.2.0", date: time.Unix(1795372200, 0).UTC()}
	bill, err := r.bill(platform{"linux", "amd64"}, []file{{program, 0o755, data}})
	if err != nil {
		t.Fatal(err)
	}
	valid := schema(t)
	instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(bill))
	if err != nil {
		t.Fatal(err)
	}
	if err := valid.Validate(instance); err != nil {
		t.Errorf("%v\n%s", err, bill)
	}
	delete(instance.(map[string]any), "creationInfo")
	if valid.Validate(instance) == nil {
		t.Error("a document without creationInfo is valid")
	}

	document := decode(t, bytes.NewReader(bill))
	var locators, related []string
	for _, p := range document.Packages {
		locators = append(locators, p.References[0].Locator)
	}
	for _, want := range []string{"pkg:golang/" + modulePath + "@v0.2.0#", "pkg:golang/stdlib@1.",
		"pkg:golang/github.com/docker/cli@v29.6.2%2Bincompatible"} {
		if !slices.ContainsFunc(locators, func(l string) bool { return strings.HasPrefix(l, want) }) {
			t.Errorf("no package %s in %v", want, locators)
		}
	}
	for _, relationship := range document.Relationships {
		related = append(related, relationship.Type)
	}
	kinds := slices.Compact(slices.Sorted(slices.Values(related)))
	modules := len(document.Packages) - 2
	if !slices.Equal(kinds, []string{"DEPENDS_ON", "DESCRIBES"}) || len(related) != 2+2*modules {
		t.Errorf("%d modules, relationships %v", modules, related)
	}
}
