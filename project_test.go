package plugin_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"
	"sigs.k8s.io/yaml"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/install"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/plan"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/rules"
)

// TestDependabot checks that dependabot.yml has each Go module of the repository once.
func TestDependabot(t *testing.T) {
	var config struct {
		Version int `json:"version"`
		Updates []struct {
			Ecosystem   string         `json:"package-ecosystem"`
			Directory   string         `json:"directory,omitempty"`
			Directories []string       `json:"directories,omitempty"`
			Schedule    map[string]any `json:"schedule"`
			Limit       *int           `json:"open-pull-requests-limit,omitempty"`
			Groups      map[string]any `json:"groups,omitempty"`
		} `json:"updates"`
	}
	readYAML(t, ".github/dependabot.yml", &config)
	var listed []string
	for _, update := range config.Updates {
		if update.Ecosystem == "gomod" {
			listed = append(listed, update.Directories...)
		}
	}
	var modules []string
	for _, name := range files(t, ".", "go.mod") {
		modules = append(modules, path.Join("/", path.Dir(name)))
	}
	slices.Sort(listed)
	slices.Sort(modules)
	if !slices.Equal(listed, modules) {
		t.Errorf(".github/dependabot.yml has the modules\n%q, and there are\n%q", listed, modules)
	}
}

// TestDependencies checks that docs/developers/development.md has a line for each module that go.mod requires directly.
func TestDependencies(t *testing.T) {
	file, err := modfile.Parse("go.mod", []byte(read(t, "go.mod")), nil)
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, require := range file.Require {
		if !require.Indirect {
			want = append(want, require.Mod.Path)
		}
	}
	_, section, _ := strings.Cut(read(t, "docs/developers/development.md"), "\n## Dependencies\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var got []string
	for _, m := range regexp.MustCompile(`(?m)^\| (\S+\.\S+/\S+) \| `).FindAllStringSubmatch(section, -1) {
		got = append(got, m[1])
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("docs/developers/development.md has lines for\n%q, and go.mod requires\n%q", got, want)
	}
}

// TestChangelog checks the headings of CHANGELOG.md: Unreleased, then releases with their dates, the newest first, none
// newer than the rules.
func TestChangelog(t *testing.T) {
	sections := []string{"Breaking", "Manifests", "Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
	heading := regexp.MustCompile(`^\[(\d+\.\d+\.\d+)\] - \d{4}-\d{2}-\d{2}$`)
	previous := ""
	for i, line := range headings(t, "CHANGELOG.md") {
		level, text, _ := strings.Cut(line, " ")
		m := heading.FindStringSubmatch(text)
		switch {
		case i == 0 && line == "# Changelog", i == 1 && line == "## [Unreleased]":
		case level == "###" && slices.Contains(sections, text):
		case level == "##" && m != nil && (previous == "" || semver.Compare("v"+m[1], "v"+previous) < 0):
			if semver.Compare(semver.MajorMinor("v"+m[1]), "v"+rules.Newest.Minor()) > 0 {
				t.Errorf("there is a release %s, and rules.Newest is %s", m[1], rules.Newest.Minor())
			}
			previous = m[1]
		default:
			t.Errorf("unexpected heading %q", line)
		}
	}
}

// TestRelease checks that the release that install pins has the newest rules, that install locks rules-as-of at them,
// and that CHANGELOG.md and the pages with a release name that one.
func TestRelease(t *testing.T) {
	minor := rules.Newest.Minor()
	if got := strings.TrimPrefix(semver.MajorMinor(install.Version), "v"); got != minor {
		t.Errorf("install.Version is %s, and rules.Newest is %s", install.Version, minor)
	}
	version := strings.TrimPrefix(install.Version, "v")
	for name, want := range map[string]string{
		"internal/install/container.yaml": "name: ARGOCD_KSERVE_PLUGIN_RULES_AS_OF\n      value: \"" + minor + "\"\n",
		"docs/developers/releasing.md":    "make release VERSION=" + install.Version + "`",
		"docs/hosts.md":                   "          version: " + version + "\n",
		"install/gitlab/kserve.yml":       "such as " + version + ";",
		"action.yml":                      "such as " + version + ".",
	} {
		if !strings.Contains(read(t, name), want) {
			t.Errorf("%s lacks %q", name, want)
		}
	}
	changelog := read(t, "CHANGELOG.md")
	if !strings.Contains(changelog, "## ["+version+"]") && !strings.Contains(changelog, "release will be "+version+".") {
		t.Errorf("CHANGELOG.md has no release %s", version)
	}
}

// TestVersionsPage checks what docs/versions.md says is supported.
func TestVersionsPage(t *testing.T) {
	page := read(t, "docs/versions.md")
	_, _, err := kserve.ParseVersions("0.0.1")
	_, releases, found := strings.Cut(fmt.Sprint(err), "supported are ")
	if !found {
		t.Fatalf("no supported releases in %q", err)
	}
	tested, err := filepath.Glob("resource_customizations/argocd/*/serving.kserve.io")
	if err != nil || len(tested) != 2 {
		t.Fatalf("%v, %v", tested, err)
	}
	for _, want := range []string{
		"| " + rules.Newest.Minor() + " | " + rules.Newest.Minor() + " | " + releases + " | ",
		"v" + path.Base(path.Dir(tested[0])) + " and v" + path.Base(path.Dir(tested[1])) + ".",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("docs/versions.md lacks %q", want)
		}
	}
}

// TestProjectLinks checks the relative links of all pages: to files, and to headings of other pages.
func TestProjectLinks(t *testing.T) {
	for _, page := range files(t, ".", "*.md") {
		if strings.Contains(page, "testdata/") {
			continue
		}
		text := regexp.MustCompile("(?ms)^ *```.*?^ *```$").ReplaceAllString(read(t, page), "")
		for _, m := range regexp.MustCompile(`\]\(([^):#]*)(?:#([^)]*))?\)`).FindAllStringSubmatch(text, -1) {
			target := path.Join(path.Dir(page), m[1])
			if path.Dir(page) == "transform/rules" {
				target = path.Join("docs/rules", m[1]) // where rulePage shows it
			}
			if m[1] == "" {
				target = page
			}
			if !exists(target) {
				t.Errorf("%s: there is no %s", page, target)
				continue
			}
			if m[2] != "" && !slices.ContainsFunc(headings(t, target), func(h string) bool { return anchor(h) == m[2] }) {
				t.Errorf("%s: %s has no heading #%s", page, target, m[2])
			}
		}
	}
}

// headings returns the lines of a page that are headings.
func headings(t *testing.T, name string) []string {
	t.Helper()
	return regexp.MustCompile(`(?m)^#+ .*$`).FindAllString(read(t, name), -1)
}

// anchor returns what GitHub calls a heading in a link.
func anchor(heading string) string {
	text := strings.ToLower(strings.TrimLeft(heading, "# "))
	return strings.ReplaceAll(regexp.MustCompile(`[^\w\- ]`).ReplaceAllString(text, ""), " ", "-")
}

// files returns the paths of the files below a folder whose names match, without what make builds.
func files(t *testing.T, dir, pattern string) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && (entry.Name() == ".git" || name == "bin") {
			return filepath.SkipDir
		}
		if match, _ := filepath.Match(pattern, entry.Name()); match {
			names = append(names, filepath.ToSlash(name))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// readYAML decodes a file. Unknown fields are errors.
func readYAML(t *testing.T, name string, into any) {
	t.Helper()
	if err := yaml.UnmarshalStrict([]byte(read(t, name)), into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// TestPlanReleases checks that plan knows the releases of KServe whose programs make plan builds.
func TestPlanReleases(t *testing.T) {
	var built []string
	for _, name := range files(t, "controlplane", "go.mod") {
		if release, found := strings.CutPrefix(path.Base(path.Dir(name)), "kserve-v"); found {
			built = append(built, release)
		}
	}
	slices.SortFunc(built, func(a, b string) int { return semver.Compare("v"+a, "v"+b) })
	if !slices.Equal(plan.Releases, built) {
		t.Errorf("plan knows the releases %q, and there are %q", plan.Releases, built)
	}
}

// TestWire checks that plan and the programs of the releases mean the same by what they tell each other: they are of two
// modules, and share no types.
func TestWire(t *testing.T) {
	const ours, theirs = "internal/plan/wire.go", "controlplane/wire.go"
	plans, planes := wire(t, ours), wire(t, theirs, "controlplane/controllers.go", "controlplane/server.go")
	if len(plans) < 7 {
		t.Fatalf("%d types", len(plans))
	}
	for name, fields := range plans {
		if !slices.Equal(fields, planes[name]) {
			t.Errorf("%s has the fields %q in internal/plan, and %q in controlplane", name, fields, planes[name])
		}
	}
	version := regexp.MustCompile(`(?m)^const (?:wire)?[vV]ersion = (\d+)$`)
	a, b := version.FindStringSubmatch(read(t, ours)), version.FindStringSubmatch(read(t, theirs))
	if a == nil || b == nil || a[1] != b[1] {
		t.Errorf("versions %q and %q", a, b)
	}
}

// wire returns the fields, in the form of JSON, of the structs in files.
func wire(t *testing.T, files ...string) map[string][]string {
	types := map[string][]string{}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			if structure, ok := spec.Type.(*ast.StructType); ok {
				for _, field := range structure.Fields.List {
					if field.Tag != nil {
						types[spec.Name.Name] = append(types[spec.Name.Name], field.Tag.Value)
					}
				}
			}
			return true
		})
	}
	return types
}
