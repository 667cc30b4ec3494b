package plugin_test

import (
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// vexFile is where VEX Hub and people look for an OpenVEX document.
const vexFile = ".vex/argocd-kserve-plugin.openvex.json"

// advisories are the published vulnerabilities of modules that go version -m lists, at the versions that it lists.
// docs/security.md tells how a release adds to them.
var advisories = []struct {
	module  string
	name    string
	aliases []string
}{
	{"github.com/argoproj/argo-cd/v2", "CVE-2026-42880", []string{"GHSA-3v3m-wc6v-x4x3", "GO-2026-5099"}},
	{"github.com/argoproj/argo-cd/v2", "CVE-2026-45737", []string{"GHSA-rg3g-4rw9-gqrp", "GO-2026-5618"}},
	{"github.com/argoproj/argo-cd/v2", "CVE-2026-45738", []string{"GHSA-h98r-wv3h-fr38", "GO-2026-5418"}},
}

// vex is a document in the form of OpenVEX v0.2.0 (github.com/openvex/spec), with the fields that we use.
type vex struct {
	Context    string         `json:"@context"`
	ID         string         `json:"@id"`
	Author     string         `json:"author"`
	Timestamp  time.Time      `json:"timestamp"`
	Version    int            `json:"version"`
	Statements []vexStatement `json:"statements"`
}

type vexStatement struct {
	Vulnerability vexVulnerability `json:"vulnerability"`
	Products      []vexProduct     `json:"products"`
	Status        string           `json:"status"`
	Notes         string           `json:"status_notes"`
	Justification string           `json:"justification"`
}

type vexVulnerability struct {
	Name    string   `json:"name"`
	Aliases []string `json:"aliases"`
}

type vexProduct struct {
	ID            string         `json:"@id"`
	Subcomponents []vexComponent `json:"subcomponents"`
}

type vexComponent struct {
	ID string `json:"@id"`
}

// TestOpenVEX checks that the binary contains only data of Argo CD, and that the document says so about each advisory,
// for the version in the binary. With UPDATE_GOLDEN it writes the document.
func TestOpenVEX(t *testing.T) {
	versions, data := builtModules(t), dataModules(t)
	for _, path := range []string{"github.com/argoproj/argo-cd/v2", "github.com/argoproj/argo-cd/v3"} {
		if versions[path] == "" || !data[path] {
			t.Errorf("%s: version %q in the binary, data only: %t", path, versions[path], data[path])
		}
	}
	if data["sigs.k8s.io/kustomize/api"] {
		t.Error("the code of kustomize counts as data")
	}
	old, err := os.ReadFile(vexFile)
	if err != nil {
		t.Fatal(err)
	}
	var document vex
	decoder := json.NewDecoder(bytes.NewReader(old))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&document); err != nil {
		t.Fatalf("%s: %v", vexFile, err)
	}
	document.Context = "https://openvex.dev/ns/v0.2.0"
	document.ID = "https://" + module + "/blob/main/" + vexFile
	document.Author = "argocd-kserve-plugin"
	document.Statements = nil
	for _, a := range advisories {
		version, linked := versions[a.module]
		switch {
		case !linked:
			t.Errorf("%s: the binary no longer contains %s: take the advisory off the list", a.name, a.module)
		case !data[a.module]:
			t.Errorf("%s: the binary contains code of %s: find out whether the vulnerable part is reachable", a.name, a.module)
		}
		part := []vexComponent{{"pkg:golang/" + a.module + "@" + version}}
		document.Statements = append(document.Statements, vexStatement{
			Vulnerability: vexVulnerability{a.name, a.aliases},
			Products: []vexProduct{
				{"pkg:golang/" + module, part},
				{"pkg:oci/argocd-kserve-plugin?repository_url=ghcr.io/argocd-kserve-plugin/argocd-kserve-plugin", part},
			},
			Status: "not_affected",
			Notes: fmt.Sprintf("Of %s the binary links only the package resource_customizations: "+
				"scripts in Lua, embedded as data. The package has no Go function.", a.module),
			Justification: "vulnerable_code_not_present",
		})
	}
	if t.Failed() || bytes.Equal(encode(t, document), old) {
		return
	}
	if os.Getenv("UPDATE_GOLDEN") == "" {
		t.Fatalf("%s is out of date; run make golden", vexFile)
	}
	document.Version++
	document.Timestamp = time.Now().UTC().Truncate(time.Second)
	if err := os.WriteFile(vexFile, encode(t, document), 0o644); err != nil {
		t.Fatal(err)
	}
}

func encode(t *testing.T, document vex) []byte {
	t.Helper()
	text, err := json.MarshalIndent(document, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return append(text, '\n')
}

// builtModules builds the binary and returns the modules in it with their versions, as go version -m prints them.
func builtModules(t *testing.T) map[string]string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "argocd-kserve-plugin")
	build := exec.CommandContext(t.Context(), "go", "build", "-buildvcs=false", "-o", binary, "./cmd/argocd-kserve-plugin")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		t.Fatal(err)
	}
	versions := map[string]string{}
	for _, m := range info.Deps {
		versions[m.Path] = m.Version
	}
	return versions
}

// dataModules returns the modules of which the binary links nothing but data: packages without a function that import
// only embed.
func dataModules(t *testing.T) map[string]bool {
	t.Helper()
	data := map[string]bool{}
	for _, p := range list(t, "-deps", "./cmd/argocd-kserve-plugin") {
		if p.Module == nil {
			continue
		}
		if before, known := data[p.Module.Path]; !known || before {
			data[p.Module.Path] = isData(t, p)
		}
	}
	return data
}

func isData(t *testing.T, p goPackage) bool {
	t.Helper()
	if !slices.Equal(p.Imports, []string{"embed"}) {
		return false
	}
	for _, name := range p.GoFiles {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, declaration := range file.Decls {
			if _, isFunc := declaration.(*ast.FuncDecl); isFunc {
				return false
			}
		}
	}
	return true
}
