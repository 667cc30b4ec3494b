package plugin_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/argocd-kserve-plugin/argocd-kserve-plugin"

// layers lists the packages of the module from the lowest layer to the highest, each with those that it may import.
// Test files may import more.
var layers = []struct {
	name    string
	imports string
}{
	// The public library.
	{"transform/spelling", ""},
	{"transform/yamldoc", ""},
	{"transform/internal/scan", "transform/yamldoc"},
	{"transform", "transform/internal/scan transform/spelling transform/yamldoc"},
	{"transform/unified", ""},
	{"transform/transformtest", "transform transform/unified transform/yamldoc"},

	// KServe, and the rules about it.
	{"internal/lazyregexp", ""},
	{"internal/kserve", "internal/lazyregexp transform"},
	{"internal/kserve/kservetest", ""},
	{"internal/plain", ""},
	{"internal/schema", "internal/plain transform transform/yamldoc"},
	{"internal/shell", "internal/lazyregexp"},
	{"internal/quantity", "internal/lazyregexp"},
	{"internal/execprobe", "internal/lazyregexp"},
	{"internal/model", "internal/kserve internal/lazyregexp transform transform/yamldoc"},
	{"transform/rules", "internal/execprobe internal/kserve internal/lazyregexp internal/model internal/quantity " +
		"internal/schema internal/shell transform/spelling transform transform/yamldoc"},

	// What the commands use.
	{"resource_customizations", ""},
	{"internal/panics", ""},
	{"internal/paths", ""},
	{"internal/version", ""},
	{"internal/grpchealth", ""},
	{"internal/terminal", "internal/lazyregexp"},
	{"internal/encoding", "internal/terminal"},
	{"internal/secret", "internal/lazyregexp transform/yamldoc"},
	{"internal/buildenv", "internal/lazyregexp"},
	{"internal/rewrite", "internal/lazyregexp internal/paths"},
	{"internal/application", "internal/buildenv internal/lazyregexp transform transform/yamldoc"},
	{"internal/settings", "internal/kserve internal/lazyregexp internal/paths transform/rules transform/spelling " +
		"transform/yamldoc"},
	{"internal/watchdog", "internal/panics internal/settings"},
	{"internal/mergekey", "internal/lazyregexp"},
	{"internal/chart", "internal/lazyregexp internal/plain internal/secret transform/yamldoc"},
	{"internal/tree", "internal/paths"},
	{"internal/render/rendertest", ""},
	{"internal/render/helm", "internal/buildenv internal/chart internal/lazyregexp internal/tree transform " +
		"transform/yamldoc"},
	{"internal/render/kustomize/references", "internal/lazyregexp"},
	{"internal/render/kustomize", "internal/buildenv internal/chart internal/lazyregexp internal/mergekey " +
		"internal/plain internal/render/kustomize/references internal/secret internal/tree transform transform/yamldoc"},
	{"internal/render", "internal/buildenv internal/panics internal/paths internal/render/helm " +
		"internal/render/kustomize internal/tree transform"},
	{"internal/render/discover", "internal/buildenv internal/lazyregexp internal/render internal/render/kustomize " +
		"internal/render/kustomize/references internal/tree"},
	{"internal/policyreport", "internal/lazyregexp internal/terminal"},
	{"internal/report", "internal/encoding internal/lazyregexp internal/policyreport internal/secret internal/terminal " +
		"transform transform/yamldoc"},
	{"internal/health", "internal/encoding internal/kserve internal/lazyregexp internal/panics internal/plain " +
		"internal/terminal resource_customizations transform/yamldoc"},
	{"internal/healthconfig", "internal/health internal/kserve internal/policyreport internal/terminal " +
		"resource_customizations transform transform/unified transform/yamldoc"},
	{"internal/install", "internal/encoding internal/health internal/healthconfig internal/kserve internal/lazyregexp " +
		"internal/quantity internal/settings internal/terminal transform/rules transform/yamldoc"},
	{"internal/kubectl", "internal/health internal/kserve internal/lazyregexp internal/panics"},
	{"internal/kubectl/kubectltest", "internal/panics"},
	{"internal/drift", "internal/encoding internal/kserve internal/lazyregexp internal/terminal transform " +
		"transform/yamldoc"},
	{"internal/flux", "internal/kserve internal/lazyregexp internal/model transform"},
	{"internal/doctor", "internal/encoding internal/health internal/install internal/kserve internal/kubectl " +
		"internal/lazyregexp internal/policyreport internal/report internal/shell internal/terminal transform"},
	{"internal/plan", "internal/encoding internal/lazyregexp internal/quantity internal/terminal transform/unified " +
		"transform/yamldoc"},
	{"internal/plan/plantest", "internal/plan"},
	{"internal/upgrade", "internal/encoding internal/healthconfig internal/kserve internal/model internal/plan " +
		"internal/terminal transform transform/yamldoc"},
	{"internal/golden", "internal/lazyregexp internal/render internal/secret internal/settings transform " +
		"transform/rules transform/transformtest"},

	// The sources of a run, what the rules make of them, and the commands.
	{"internal/cli/clitest", ""},
	{"internal/origin", "internal/paths internal/report internal/secret transform transform/yamldoc"},
	{"internal/diff", "internal/secret internal/terminal transform transform/unified transform/yamldoc"},
	{"internal/krm", "transform/yamldoc"},
	{"internal/checkout", "internal/application internal/buildenv internal/chart internal/paths internal/render " +
		"internal/render/helm internal/render/kustomize internal/settings internal/terminal"},
	{"internal/run", "internal/application internal/chart internal/checkout internal/krm internal/panics " +
		"internal/paths internal/render internal/render/discover internal/render/helm internal/render/kustomize " +
		"internal/settings internal/terminal internal/tree internal/watchdog transform transform/rules"},
	{"internal/cli/flags", "internal/encoding internal/report internal/run internal/settings internal/terminal"},
	{"internal/cli/help", "internal/cli/flags internal/settings internal/terminal"},
	{"internal/cli", "internal/cli/flags internal/cli/help internal/diff internal/doctor internal/drift " +
		"internal/encoding internal/flux internal/golden internal/grpchealth internal/health " +
		"internal/healthconfig internal/install internal/krm internal/kserve internal/kubectl " +
		"internal/lazyregexp internal/origin internal/panics internal/paths internal/plan " +
		"internal/policyreport internal/report internal/rewrite internal/run internal/secret " +
		"internal/settings internal/shell internal/terminal internal/upgrade internal/version " +
		"internal/watchdog transform transform/rules"},
	{"cmd/cmp", "internal/cli"},
	{"cmd/argocd-kserve-plugin", "internal/cli"},

	// Only tests.
	{"examples", ""},
	{"", ""},
}

// soleImporters maps a package of another module to the only package that may import it.
var soleImporters = map[string]string{"gopkg.in/yaml.v3": "transform/yamldoc"}

// unlinked are modules that the binary does not link.
var unlinked = []string{"github.com/argoproj/", "github.com/kserve/", "knative.dev/", "sigs.k8s.io/controller-runtime"}

// goPackage is what go list says about a package.
type goPackage struct {
	ImportPath, Dir                    string
	Module                             *struct{ Path string } // nil for the standard library
	GoFiles                            []string
	Imports, TestImports, XTestImports []string
}

func list(t *testing.T, args ...string) []goPackage {
	t.Helper()
	output, err := exec.CommandContext(t.Context(), "go", append([]string{"list", "-json"}, args...)...).Output()
	if err != nil {
		t.Fatalf("go list %v: %v", args, err)
	}
	var all []goPackage
	for decoder := json.NewDecoder(strings.NewReader(string(output))); ; {
		var p goPackage
		switch err := decoder.Decode(&p); err {
		case nil:
			all = append(all, p)
		case io.EOF:
			return all
		default:
			t.Fatal(err)
		}
	}
}

// local returns the path of a package below the module, and whether it is one of the module's.
func local(path string) (string, bool) {
	rest, ok := strings.CutPrefix(path, module)
	return strings.TrimPrefix(rest, "/"), ok
}

// TestLayers checks that imports point downwards only.
func TestLayers(t *testing.T) {
	may := map[string][]string{}
	for _, layer := range layers {
		imports := strings.Fields(layer.imports)
		for _, name := range imports {
			if may[name] == nil {
				t.Errorf("layers: %s may import %s, which is not below it: move one of them, or take the import off "+
					"the list", layer.name, name)
			}
		}
		may[layer.name] = append([]string{}, imports...)
	}
	packages := list(t, "./...", "./cmd/cmp")
	for _, p := range packages {
		name, _ := local(p.ImportPath)
		allowed, ok := may[name]
		if !ok {
			t.Errorf("%s is new: add it to layers in layout_test.go, above all packages that it imports", name)
			continue
		}
		for _, path := range p.Imports {
			if imported, ok := local(path); ok && !slices.Contains(allowed, imported) {
				t.Errorf("%s imports %s, but may import only [%s]: move the code that needs it into a higher package, "+
					"or add the import to layers in layout_test.go if it points downwards", name, imported, strings.Join(allowed, " "))
			}
		}
		for _, imported := range allowed {
			if !slices.Contains(p.Imports, module+"/"+imported) {
				t.Errorf("layers: %s may import %s, and does not: take the import off the list", name, imported)
			}
		}
		for _, path := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
			if sole, ok := soleImporters[path]; ok && name != sole {
				t.Errorf("%s imports %s, which only %s may: call a function of that package instead", name, path, sole)
			}
		}
	}
	for name := range may {
		if !slices.ContainsFunc(packages, func(p goPackage) bool { path, _ := local(p.ImportPath); return path == name }) {
			t.Errorf("layers in layout_test.go lists %s, which does not exist: take it off", name)
		}
	}
}

// TestLayoutPage checks that docs/developers/development.md has a line for each package, or its name in that of the
// package above it, and that each folder with a line is there.
func TestLayoutPage(t *testing.T) {
	_, text, _ := strings.Cut(read(t, development), "\n## Layout of the code\n\n```\n")
	text, _, _ = strings.Cut(text, "```\n")
	lines := map[string]string{}
	folder := ""
	for line := range strings.Lines(text) {
		if name, _, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " "); name != "" {
			folder = name
			if !exists(folder) {
				t.Errorf("there is no %s", folder)
			}
		}
		lines[folder] += line
	}
	for _, layer := range layers {
		above := lines[path.Dir(layer.name)]
		if layer.name != "" && lines[layer.name] == "" && !strings.Contains(above, " "+path.Base(layer.name)+" ") {
			t.Errorf("there is no line for %s", layer.name)
		}
	}
}

// TestSuitesPage checks that e2e/README.md has a row or a section for each folder of e2e.
func TestSuitesPage(t *testing.T) {
	page := read(t, "e2e/README.md")
	folders, err := os.ReadDir("e2e")
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range folders {
		name := folder.Name()
		if folder.IsDir() && !strings.Contains(page, "| `"+name) && !strings.Contains(page, "\n`"+name+"/` ") {
			t.Errorf("there is no row for %s", name)
		}
	}
}

// TestLinked checks what the binary consists of: not the programs that it works for.
func TestLinked(t *testing.T) {
	for _, p := range list(t, "-deps", "./cmd/argocd-kserve-plugin") {
		if slices.ContainsFunc(unlinked, func(module string) bool { return strings.HasPrefix(p.ImportPath, module) }) {
			t.Errorf("the binary links %s: use it in a module below e2e, or write the few lines that are needed", p.ImportPath)
		}
	}
}

// TestGoroutines checks that a panic in a goroutine cannot end the process: all are started in one place. The tests of
// a package that uses it run under the race detector.
func TestGoroutines(t *testing.T) {
	output, err := exec.CommandContext(t.Context(), "make", "--no-print-directory", "-n", "race").Output()
	if err != nil {
		t.Fatal(err)
	}
	raced := strings.Fields(string(output))
	for _, p := range list(t, "./...") {
		name, _ := local(p.ImportPath)
		if name == "internal/panics" {
			continue
		}
		tested := len(p.TestImports)+len(p.XTestImports) > 0
		if tested && slices.Contains(p.Imports, module+"/internal/panics") && !slices.Contains(raced, "./"+name) {
			t.Errorf("%s starts goroutines, but make race does not test it: add it to RACE in the Makefile", name)
		}
		for _, name := range p.GoFiles {
			files := token.NewFileSet()
			file, err := parser.ParseFile(files, filepath.Join(p.Dir, name), nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if statement, ok := n.(*ast.GoStmt); ok {
					t.Errorf("%s: use package panics instead of a go statement", files.Position(statement.Pos()))
				}
				return true
			})
		}
	}
}
