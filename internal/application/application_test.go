package application

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/Masterminds/sprig/v3"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// shown returns the Applications as lines of name namespace project destination and the paths of their sources.
func shown(apps []Application) string {
	var b strings.Builder
	for _, app := range apps {
		fmt.Fprintf(&b, "%s ns=%s project=%s to=%s", app.Name, app.Namespace, app.Project, app.DestinationNamespace)
		for _, s := range app.Sources {
			fmt.Fprintf(&b, " %s", s.Path)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func read(t *testing.T, manifest string) (apps string, problems []string) {
	t.Helper()
	found, unexpanded, err := Reader{}.Read([]transform.File{{Path: "a.yaml", Data: []byte(manifest)}})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range unexpanded {
		problems = append(problems, p.String())
	}
	return shown(found), problems
}

const setHead = "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: models, namespace: argocd}\n"

func TestRead(t *testing.T) {
	for _, tc := range []struct {
		name, manifest, want string
		problems             []string
	}{
		{name: "no Application", manifest: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: argoproj.io/a}\n"},
		{
			name: "source, in a List",
			manifest: `
apiVersion: v1
kind: List
items:
- apiVersion: argoproj.io/v1alpha1
  kind: Application
  metadata: {name: a, namespace: argocd}
  spec: {project: p, destination: {namespace: models}, source: {repoURL: u, path: x}}
- {apiVersion: argoproj.io/v1alpha1, kind: AppProject, metadata: {name: p}}
`,
			want: "a ns=argocd project=p to=models x\n",
		},
		{
			name: "sources win over source, and drySource over both",
			manifest: `
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: a}
spec: {source: {path: x}, sources: [{path: z1}, {path: z}]}
---
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: b}
spec: {source: {path: x}, sourceHydrator: {drySource: {path: dry}, syncSource: {path: wet}}}
`,
			want: "a ns= project= to= z1 z\nb ns= project= to= dry\n",
		},
		{
			name: "list",
			manifest: setHead + `
spec:
  generators:
  - list:
      elements:
      - {env: prod, values: {ns: models}}
      - {env: test, values: {ns: try}}
  template:
    metadata: {name: 'app-{{env}}'}
    spec: {project: p, destination: {namespace: '{{ values.ns }}'}, source: {path: 'apps/{{env}}'}}
`,
			want: "app-prod ns=argocd project=p to=models apps/prod\napp-test ns=argocd project=p to=try apps/test\n",
		},
		{
			name: "Go templates, a selector and the generator's own template",
			manifest: setHead + `
spec:
  goTemplate: true
  goTemplateOptions: ["missingkey=error"]
  generators:
  - list:
      elements:
      - {env: prod, at: {region: eu}, count: 3}
      - {env: test, at: {region: us}}
      template:
        metadata: {}
        spec: {project: own, sources: []}
    selector: {matchExpressions: [{key: at.region, operator: In, values: [eu]}], matchLabels: {env: prod}}
  template:
    metadata: {name: '{{.env | upper | normalize}}-{{.count}}'}
    spec: {project: p, destination: {namespace: '{{default "x" .at.region}}'}, sources: [{path: '{{dig "b" "none" .at}}'}]}
`,
			want: "prod-3 ns=argocd project=own to=eu none\n",
		},
		{
			name: "matrix, whose second generator knows the first",
			manifest: setHead + `
spec:
  generators:
  - matrix:
      generators:
      - list: {elements: [{env: prod, regions: '[{region: eu}, {region: us}]'}, {env: test, regions: '[{region: eu}]'}]}
      - list: {elementsYaml: '{{regions}}'}
  template:
    metadata: {name: '{{env}}-{{region}}'}
    spec: {source: {path: '{{region}}'}}
`,
			want: "prod-eu ns=argocd project= to= eu\nprod-us ns=argocd project= to= us\ntest-eu ns=argocd project= to= eu\n",
		},
		{
			name: "merge",
			manifest: setHead + `
spec:
  goTemplate: true
  generators:
  - merge:
      mergeKeys: [env]
      generators:
      - list: {elements: [{env: prod, path: x, at: {a: 1}}, {env: test, path: x}]}
      - list: {elements: [{env: prod, path: w, at: {b: 2}}, {env: other, path: z}]}
  template:
    metadata: {name: '{{.env}}'}
    spec: {project: '{{ .at | toJson }}', source: {path: '{{.path}}'}}
`,
			want: "prod ns=argocd project={\"a\":1,\"b\":2} to= w\ntest ns=argocd project=null to= x\n",
		},
		{
			name: "merge without Go templates, where only one of two elements has the key's value",
			manifest: setHead + `
spec:
  generators:
  - merge:
      mergeKeys: [env]
      generators:
      - list: {elements: [{env: prod, path: x, project: p}, {env: test, path: x, project: p}]}
      - list: {elements: [{env: prod, path: w}]}
  template:
    metadata: {name: '{{env}}'}
    spec: {project: '{{project}}', source: {path: '{{path}}'}}
`,
			want: "prod ns=argocd project=p to= w\ntest ns=argocd project=p to= x\n",
		},
		{
			name: "matrix of generators that set one parameter to the same value",
			manifest: setHead + `
spec:
  generators:
  - matrix: {generators: [{list: {elements: [{env: prod}]}}, {list: {elements: [{env: prod, dir: a}]}}]}
  template:
    metadata: {name: '{{env}}'}
    spec: {source: {path: '{{dir}}'}}
`,
			want: "prod ns=argocd project= to= a\n",
		},
		{
			name: "other generators",
			manifest: setHead + `
spec:
  generators:
  - git: {repoURL: u}
  - list: {elements: [{env: prod}]}
  - matrix: {generators: [{list: {elements: [{a: b}]}}, {clusters: {}}]}
  - scmProvider: {}
  template:
    metadata: {name: '{{env}}'}
    spec: {source: {path: x}}
`,
			want: "prod ns=argocd project= to= x\n",
			problems: []string{
				"not rendered: a.yaml:7:10: ApplicationSet models: the generator git lists another repository, u, so its Applications are " +
					"not rendered; if that stands for this checkout, pass it with --repo",
				"not rendered: a.yaml:9:68: ApplicationSet models: the generator clusters needs the clusters of Argo CD, which " +
					"--argocd-clusters names, so its Applications are not rendered",
				"not rendered: a.yaml:10:18: ApplicationSet models: the generator scmProvider asks a server, so its Applications are not rendered",
			},
		},
		{
			name: "variables that nothing sets",
			manifest: setHead + `
spec:
  generators:
  - list: {elements: [{env: prod}]}
  template:
    metadata: {name: '{{env}}'}
    spec: {source: {path: '{{path}}/x'}}
---
` + setHead + `
spec:
  goTemplate: true
  generators:
  - list: {elements: [{env: prod}]}
  template:
    metadata: {name: '{{.env}}'}
    spec: {source: {path: '{{.path}}/x'}}
`,
			problems: []string{
				"not rendered: a.yaml:7:5: ApplicationSet models: {{path}} is set by no generator here, so Application prod is not rendered",
				"not rendered: a.yaml:19:5: ApplicationSet models: <no value> is set by no generator here, so Application prod is not rendered",
			},
		},
		{
			name: "templatePatch",
			manifest: setHead + `
spec:
  generators: [{list: {elements: [{env: prod, dir: x}, {env: test, dir: ""}]}}]
  goTemplate: true
  template: {metadata: {name: '{{.env}}'}, spec: {project: p, source: {path: base}}}
  templatePatch: |
    {{- if .dir }}
    spec: {project: null, source: {path: '{{.dir}}'}, destination: {namespace: '{{.env}}'}}
    {{- end }}
`,
			want: "prod ns=argocd project=p to=prod x\ntest ns=argocd project=p to= base\n",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			apps, problems := read(t, tc.manifest)
			if apps != tc.want {
				t.Errorf("Applications:\n%swant:\n%s", apps, tc.want)
			}
			if !slices.Equal(problems, tc.problems) {
				t.Errorf("problems %q, want %q", problems, tc.problems)
			}
		})
	}
}

func TestReadErrors(t *testing.T) {
	list := func(spec, template string) string {
		return setHead + "spec:\n  " + spec + "\n  generators: [{list: {elements: [{a: b, count: 1}]}}]\n  template: " + template + "\n"
	}
	for _, tc := range []struct{ name, manifest, want string }{
		{"YAML", "apiVersion: argoproj.io/v1alpha1\nkind: {{ .Values.kind }}\n", "a.yaml:1: Argo CD can't read it; if it is a template, render it and pipe it in: "},
		{"type", "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a}\nspec: {source: {path: 3}}\n",
			"a.yaml:1:1: Application a: spec.source.path: a number, where Argo CD takes a string"},
		{"mapping", "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a}\nspec: {source: {path: {a: b}}}\n",
			"a.yaml:1:1: Application a: spec.source.path: a mapping, where Argo CD takes a string"},
		{"list", "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a}\nspec: {source: {helm: [a]}}\n",
			"a.yaml:1:1: Application a: spec.source.helm: a list, where Argo CD takes a mapping"},
		{"text", "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a}\nspec: {source: {directory: {recurse: 'yes'}}}\n",
			"a.yaml:1:1: Application a: spec.source.directory.recurse: a string, where Argo CD takes true or false"},
		{"no name", "apiVersion: argoproj.io/v1alpha1\nkind: Application\nspec: {}\n", "without metadata.name"},
		{"long name", "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: " + strings.Repeat("a", 254) + "}\n",
			"a.yaml:1:1: metadata.name has 254 characters, and Kubernetes takes at most 253"},
		{"long name of a set", "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: " + strings.Repeat("a", 254) + "}\n",
			"a.yaml:1:1: metadata.name has 254 characters, and Kubernetes takes at most 253"},
		{"two values of one parameter", setHead + "spec: {generators: [{matrix: {generators: [{list: {elements: [{a: b}]}}, " +
			"{list: {elements: [{a: c}]}}]}}], template: {metadata: {name: '{{a}}'}}}\n",
			"both generators set a, to different values"},
		{"number", list("goTemplate: false", "{metadata: {name: x}}"), "count is not a text; quote it or set goTemplate"},
		{"function", list("goTemplate: true", "{metadata: {name: '{{ now }}'}}"),
			"the function now is not known here; Argo CD may know it"},
		{"missing key", list("goTemplate: true\n  goTemplateOptions: [missingkey=error]", "{metadata: {name: '{{.x}}'}}"),
			`template "{{.x}}": 1:2: executing "" at <.x>: map has no entry for key "x"`},
		{"option", list("goTemplate: true\n  goTemplateOptions: [strict]", "{metadata: {name: '{{.a}}'}}"),
			`goTemplateOptions: "strict" is none of`},
		{"tag", setHead + "spec: {generators: [{list: {elements: [{a: b}]}}], template: {metadata: {name: '{{a}} {{'}}}\n",
			"a {{ without }}"},
		{"two generators in one", setHead + "spec: {generators: [{list: {}, git: {}}], template: {}}\n",
			"generator git, list: more or less than one generator in an entry"},
		{"no generator in one", "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nspec: {generators: [null]}\n",
			"ApplicationSet without a name: generator {}: more or less than one generator in an entry"},
		{"directive", list("goTemplate: true\n  templatePatch: 'spec: {$patch: replace}'", "{metadata: {name: x}}"), "templatePatch: the directive $patch is not known"},
		{"values", list("goTemplate: true\n  templatePatch: 'spec: {source: {helm: {valuesObject: {a: 2, b: {c: 2}}}}}'",
			"{metadata: {name: x}, spec: {source: {helm: {valuesObject: {a: 1, b: {c: 1}}}}}}"),
			"Argo CD can't patch valuesObject.b, because the template has it too"},
		{"patch", list("goTemplate: true\n  templatePatch: '- a'", "{metadata: {name: x}}"), "templatePatch: "},
		{"repeated", list("goTemplate: true", `{metadata: {name: '{{ repeat 2000000 "x" }}'}}`), "makes more than 1048576 bytes"},
		{"indented", list("goTemplate: true", `{metadata: {name: '{{ indent 2000000 "" | len }}'}}`), "makes more than 1048576 bytes"},
		{"bomb", list("goTemplate: true", `{metadata: {name: '{{ range list 1 2 3 }}{{ indent 900000 "" }}{{ end }}'}}`),
			"makes more than 1048576 bytes"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, _, err := Reader{}.Read([]transform.File{{Path: "a.yaml", Data: []byte(tc.manifest)}})
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want %q", err, tc.want)
			}
		})
	}
}

// TestFunctions wants each function of sprig to be known or to be named as impure, and no name that sprig does not have.
func TestFunctions(t *testing.T) {
	known := sprig.TxtFuncMap()
	for name := range strings.FieldsSeq(impure) {
		if known[name] == nil || functions()[name] != nil {
			t.Errorf("%s is no function of sprig, or known here", name)
		}
	}
	for name := range known {
		for _, part := range []string{"rand", "gen", "uuid", "now", "date", "shuffle", "crypt", "htpasswd", "env", "merge"} {
			if strings.Contains(strings.ToLower(name), part) && functions()[name] != nil {
				t.Errorf("%s may be impure", name)
			}
		}
	}
	const template = `{{ "some name" | camelcase | kebabcase }} {{ "x/y" | split "/" | len }} {{ title "a" }} ` +
		`{{ substr 1 2 "abc" }} {{ add (int "1") 2 }} {{ trimall "-" "-a-" }} {{ regexReplaceAllLiteral "b" "abc" "$1" }} ` +
		`{{ dict "b" 1 "a" 2 | keys | join "" }} {{ dict "b" 1 "a" 2 | values | join "" }} {{ range until 3 }}{{ . }}{{ end }}`
	for range 8 { // the order of a mapping is random
		got, err := renderer{goTemplate: true}.text(template, map[string]any{})
		if want := "some-name 2 A b 3 a a$1c ab 21 012"; err != nil || got != want {
			t.Fatalf("%q (%v), want %q", got, err, want)
		}
	}
}

func TestEnv(t *testing.T) {
	app := Application{Name: "iris", Project: "ml", DestinationNamespace: "models"}
	env := app.Env(&Source{RepoURL: "u", Path: "p", TargetRevision: "main"}, "0123456789abcdef")
	got := env.Substitute("$ARGOCD_APP_NAME ${ARGOCD_APP_REVISION_SHORT} $ARGOCD_APP_REVISION_SHORT_8 $HOME. $$PATH ${ARGOCD_APP_SOURCE_PATH}")
	if want := "iris 0123456 01234567 . $PATH p"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestOverridden(t *testing.T) {
	files := map[string]string{
		"app/.argocd-source.yaml":      "kustomize: {images: [a:2]}\npath: elsewhere\n",
		"app/.argocd-source-iris.yaml": "kustomize: {namePrefix: null}\n",
	}
	s := Source{Path: "app", Kustomize: &Kustomize{NamePrefix: "x", Images: []string{"a:1", "b:1"}}}
	got, err := s.Overridden("iris", func(path string) ([]byte, error) {
		if text, found := files[path]; found {
			return []byte(text), nil
		}
		return nil, fs.ErrNotExist
	})
	if err != nil {
		t.Fatal(err)
	}
	if got.Path != "app" || got.Kustomize.NamePrefix != "" || !slices.Equal(got.Kustomize.Images, []string{"a:2"}) {
		t.Errorf("%+v %+v", got, got.Kustomize)
	}
	broken := errors.New("broken")
	if _, err := s.Overridden("iris", func(string) ([]byte, error) { return nil, broken }); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
}

func TestAddress(t *testing.T) {
	const want = "github.com/org/name"
	for _, url := range []string{
		"https://github.com/org/name", "https://github.com/Org/Name.git", "https://token@github.com/org/name.git/",
		"https://x:secret@github.com:443/org/name", "git@github.com:org/name.git", "ssh://git@github.com/org/name",
		"ssh://git@github.com:22/org/name.git", "github.com:org/name", "git://github.com/org/name",
	} {
		if got := Address(url); got != want {
			t.Errorf("%s: %q", url, got)
		}
	}
	for url, want := range map[string]string{
		"ssh://git@host:7999/p/name.git": "host:7999/p/name",
		"file:///srv/git/name":           "/srv/git/name",
		"/srv/git/name.git":              "/srv/git/name",
		"https://token@exa mple/x":       "exa mple/x",
		"https://a:b@c@exa mple/x":       "exa mple/x",
		"a:b@c@host:org/name":            "host/org/name",
	} {
		if got := Address(url); got != want {
			t.Errorf("%s: %q, want %q", url, got, want)
		}
	}
}

func TestRepository(t *testing.T) {
	const commit, other = "1111111111111111111111111111111111111111", "2222222222222222222222222222222222222222"
	top := t.TempDir()
	write := func(path, text string) {
		t.Helper()
		path = filepath.Join(top, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("main/.git/config", "[core]\n\turl = wrong\n[remote \"origin\"]\n\turl = https://x:y@example.com/a/b.git ; note\n"+
		"\tfetch = +refs\n[remote \"fork\"] url = \"git@example.com:me/b\"\n[branch \"main\"]\n\tremote = origin\n")
	write("main/.git/HEAD", "ref: refs/heads/main\n")
	write("main/.git/refs/heads/main", commit+"\n")
	write("main/.git/packed-refs", "# pack-refs\n"+commit+" refs/tags/v1\n"+other+" refs/tags/v2\n^"+commit+"\n"+other+" refs/remotes/origin/next\n")
	write("main/.git/worktrees/w/HEAD", other+"\n")
	write("main/.git/worktrees/w/commondir", "../..\n")
	write("linked/.git", "gitdir: "+filepath.Join(top, "main/.git/worktrees/w")+"\n")
	write("plain/x", "")

	r, err := Open(filepath.Join(top, "main"), noEnv, "git@example.com:c.git")
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"example.com/a/b", "example.com/me/b"}; !slices.Equal(r.Remotes, want) || r.Branch != "main" || r.Commit != commit {
		t.Errorf("%+v", r)
	}
	defer r.Close()
	if !r.Has("ssh://git@example.com/a/b") || !r.Has("https://example.com/c") || r.Has("https://example.com/d") {
		t.Error("Has")
	}
	for revision, want := range map[string]bool{
		"": true, "HEAD": true, "main": true, "v1": true, "v2": true, "1111111": true, "refs/heads/main": true,
		"next": false, "origin/next": false, "22222222": false, "111": false, "v1.*": false, "../../x": false,
	} {
		if r.At(revision) != want {
			t.Errorf("At(%q) is %v", revision, !want)
		}
	}
	linked, err := Open(filepath.Join(top, "linked"), noEnv)
	if err != nil {
		t.Fatal(err)
	}
	if linked.Commit != other || !slices.Equal(linked.Remotes, r.Remotes) || !linked.At("next") || linked.At("main") {
		t.Errorf("%+v", linked)
	}
	plain, err := Open(filepath.Join(top, "plain"), noEnv)
	if err != nil || plain.Commit != "" || plain.Remotes != nil {
		t.Errorf("%+v, %v", plain, err)
	}
}
