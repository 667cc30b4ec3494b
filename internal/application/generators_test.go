package application

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// repository returns a work tree with files, whose contents are by their paths.
func repository(t *testing.T, files map[string]string) *Repository {
	t.Helper()
	top := t.TempDir()
	for path, text := range files {
		path = filepath.Join(top, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	r, err := Open(top, noEnv, "https://example.com/here")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func TestGit(t *testing.T) {
	r := repository(t, map[string]string{
		".git/x/a.yaml": "", "a/one/x.yaml": "", "a/two/deep/x.yaml": "", "a/.hidden/x.yaml": "", "a/old/x.yaml": "",
		"env/prod.yaml": "name: prod\nat: {region: eu}\n", "env/deep/list.json": `[{"name": "l1"}, {"name": "l2"}]`,
		"env/broken.txt": "- 1\n", "env/lists.yaml": "at: [l1, l2]\n",
	})
	if err := os.Mkdir(filepath.Join(r.Dir, "a/empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ name, spec, want string }{
		{
			"folders", "generators: [{git: {repoURL: 'git@example.com:here', directories: [{path: 'a/*'}, {path: a/old, exclude: true}]}}]\n" +
				"  template: {metadata: {name: '{{path.basename}}'}, spec: {project: '{{path[0]}}', source: {path: '{{path}}'}}}",
			"one ns=argocd project=a to= a/one\ntwo ns=argocd project=a to= a/two\n",
		},
		{
			"folders, in Go templates", "goTemplate: true\n  generators: [{git: {repoURL: 'https://example.com/here', pathParamPrefix: my, " +
				"values: {ns: '{{.my.path.basename}}-x'}, directories: [{path: 'a/*/*'}]}}]\n" +
				"  template: {metadata: {name: '{{index .my.path.segments 1}}'}, spec: {project: '{{.values.ns}}', source: {path: '{{.my.path.path}}'}}}",
			"two ns=argocd project=deep-x to= a/two/deep\n",
		},
		{
			"second of a matrix", "goTemplate: true\n  goTemplateOptions: [missingkey=error]\n  generators: [{matrix: {generators: [" +
				"{list: {elements: [{dir: 'a/*'}]}}, {git: {repoURL: 'https://example.com/here', directories: [{path: '{{.dir}}'}], " +
				"values: {own: '{{.path.basename}}', first: '{{.dir}}'}}}]}}]\n" +
				"  template: {metadata: {name: '{{.values.own}}'}, spec: {project: '{{.values.first}}', source: {path: x}}}",
			"old ns=argocd project=a/* to= x\none ns=argocd project=a/* to= x\ntwo ns=argocd project=a/* to= x\n",
		},
		{
			"a list in a file, in Go templates", "goTemplate: true\n  generators: [{git: {repoURL: 'https://example.com/here', " +
				"files: [{path: env/deep/list.json}]}}]\n  template: {metadata: {name: '{{.name}}'}, spec: {source: {path: '{{.path.path}}'}}}",
			"l1 ns=argocd project= to= env/deep\nl2 ns=argocd project= to= env/deep\n",
		},
		{
			"a prefix, values, and what is in a list", "generators: [{git: {repoURL: 'https://example.com/here', pathParamPrefix: my, " +
				"values: {ns: '{{my.path.basename}}-x'}, files: [{path: env/lists.yaml}]}}]\n" +
				"  template: {metadata: {name: '{{at.1}}'}, spec: {project: '{{values.ns}}', source: {path: '{{my.path}}'}}}",
			"l2 ns=argocd project=env-x to= env\n",
		},
		{
			"both of a matrix, with values, in Go templates", "goTemplate: true\n  generators: [{matrix: {generators: [" +
				"{git: {repoURL: 'https://example.com/here', directories: [{path: a/one}], values: {dir: '{{.path.path}}', of: first}}}, " +
				"{git: {repoURL: 'https://example.com/here', files: [{path: env/prod.yaml}], values: {of: second}}}]}}]\n" +
				"  template: {metadata: {name: '{{.name}}'}, spec: {project: '{{.values.of}}', source: {path: '{{.values.dir}}'}}}",
			"prod ns=argocd project=first to= a/one\n",
		},
		{
			"files: a star also matches slashes", "generators: [{git: {repoURL: 'https://example.com/here', files: [{path: 'env/*.[yj]*'}]}}]\n" +
				"  template: {metadata: {name: '{{name}}'}, spec: {project: '{{at.region}}', source: {path: '{{path.filenameNormalized}}'}}}",
			"prod ns=argocd project=eu to= prod.yaml\n",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			manifest := setHead + "spec:\n  " + tc.spec + "\n"
			apps, _, err := Reader{Repository: r}.Read([]transform.File{{Path: "a.yaml", Data: []byte(manifest)}})
			if err != nil {
				t.Fatal(err)
			}
			if got := shown(apps); got != tc.want {
				t.Errorf("Applications:\n%swant:\n%s", got, tc.want)
			}
		})
	}
	for want, spec := range map[string]string{
		"env/broken.txt: neither a mapping nor a list of mappings": "files: [{path: env/broken.txt}]",
		"neither directories nor files":                            "revision: HEAD",
		"directories: a mapping, where Argo CD takes a list":       "directories: {path: x}",
	} {
		manifest := setHead + "spec: {generators: [{git: {repoURL: 'https://example.com/here', " + spec + "}}], template: {}}\n"
		_, _, err := Reader{Repository: r}.Read([]transform.File{{Path: "a.yaml", Data: []byte(manifest)}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// A generator's own template is filled up key by key, but its lists and its valuesObject are taken whole.
func TestFilled(t *testing.T) {
	own := map[string]any{"helm": map[string]any{"valuesObject": map[string]any{"a": 1}, "list": []any{"a"}}}
	base := map[string]any{"helm": map[string]any{"valuesObject": map[string]any{"b": 1}, "list": []any{"b"}, "other": "c"}}
	want := map[string]any{"helm": map[string]any{"valuesObject": map[string]any{"a": 1}, "list": []any{"a"}, "other": "c"}}
	if got := filled(own, base); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v", got)
	}
}

func TestGitRevision(t *testing.T) {
	r := repository(t, map[string]string{".git/HEAD": "ref: refs/heads/main\n", "a/x.yaml": ""})
	for revision, want := range map[string]string{
		"": "", "HEAD": "", "main": "",
		"v1": "a.yaml:4:27: ApplicationSet models: the generator git lists the files of this checkout, and not those of revision v1",
	} {
		manifest := setHead + "spec: {generators: [{git: {repoURL: 'https://example.com/here', directories: [{path: a}], revision: '" +
			revision + "'}}], template: {metadata: {name: x}}}\n"
		apps, problems, err := Reader{Repository: r}.Read([]transform.File{{Path: "a.yaml", Data: []byte(manifest)}})
		got := ""
		for _, p := range problems {
			got += p.String()
		}
		if err != nil || got != want || len(apps) != 1 {
			t.Errorf("revision %q: %d Applications, %s (%v), want %s", revision, len(apps), got, err, want)
		}
	}
}

func TestMatchesFile(t *testing.T) {
	for pattern, want := range map[string]string{
		"env": "env/a.yaml env/b/c.json", "env/*": "env/a.yaml env/b/c.json", "env/**/c.json": "env/b/c.json",
		"**/a.yaml": "env/a.yaml", "en?/[!b].yaml": "env/a.yaml", `env/\a.yaml`: "env/a.yaml", "./env/a.yaml": "env/a.yaml",
		".": "env/a.yaml env/b/c.json", "en": "", "env/[": "", "": "env/a.yaml env/b/c.json",
	} {
		var got []string
		for _, file := range []string{"env/a.yaml", "env/b/c.json"} {
			if matchesFile(pattern, file) {
				got = append(got, file)
			}
		}
		if !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%s matches %v, want %s", pattern, got, want)
		}
	}
}

func TestClusters(t *testing.T) {
	const secrets = `apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Secret
  metadata:
    labels: {argocd.argoproj.io/secret-type: cluster, env: prod}
    annotations: {team: ml, argocd.argoproj.io/refresh: x}
  data: {name: UHJvZF9FVQ==, server: aHR0cHM6Ly9wcm9k, config: c2VjcmV0}
- {apiVersion: v1, kind: Secret, metadata: {labels: {argocd.argoproj.io/secret-type: repository}}, stringData: {name: other}}
---
- {name: in-cluster, server: https://kubernetes.default.svc}
- {name: test, server: https://test, labels: {env: test}, project: p}
- {name: in-cluster, server: https://other}
`
	clusters, err := ReadClusters(transform.File{Path: "clusters.yaml", Data: []byte(secrets)})
	if err != nil {
		t.Fatal(err)
	}
	for spec, want := range map[string]string{
		"generators: [{clusters: {}}]\n  template: {metadata: {name: '{{nameNormalized}}'}, spec: {project: '{{server}}', source: {path: x}}}": "" +
			"prod-eu ns=argocd project=https://prod to= x\nin-cluster ns=argocd project=https://other to= x\ntest ns=argocd project=https://test to= x\n" +
			"in-cluster ns=argocd project=https://kubernetes.default.svc to= x\n",
		"goTemplate: true\n  generators: [{clusters: {selector: {matchLabels: {env: prod}}, values: {who: '{{.name}}!'}}}]\n" +
			"  template: {metadata: {name: '{{.metadata.labels.env}}'}, spec: {project: '{{.metadata.annotations}}', source: {path: '{{.values.who}}'}}}": "" +
			"prod ns=argocd project=map[team:ml] to= Prod_EU!\n",
		"generators: [{clusters: {selector: {matchLabels: {argocd.argoproj.io/secret-type: cluster}}}}]\n" +
			"  template: {metadata: {name: '{{nameNormalized}}'}, spec: {project: x, source: {path: x}}}": "" +
			"prod-eu ns=argocd project=x to= x\nin-cluster ns=argocd project=x to= x\ntest ns=argocd project=x to= x\n",
		"goTemplate: true\n  generators: [{clusters: {flatList: true}}]\n" +
			"  template: {metadata: {name: all}, spec: {project: '{{range .clusters}}{{.name}} {{end}}', source: {path: x}}}": "" +
			"all ns=argocd project=Prod_EU in-cluster test in-cluster  to= x\n",
	} {
		manifest := []byte(setHead + "spec:\n  " + spec + "\n")
		apps, problems, err := Reader{Clusters: clusters}.Read([]transform.File{{Path: "a.yaml", Data: manifest}})
		if err != nil {
			t.Fatal(err)
		}
		if got := shown(apps); got != want {
			t.Errorf("Applications:\n%swant:\n%s%v", got, want, problems)
		}
	}
	for manifest, want := range map[string]string{
		"- {name: a}\n": "c.yaml:1: a cluster without server",
		"apiVersion: v1\nkind: Secret\nmetadata: {}\ndata: {name: '%%secret'}\n": "c.yaml:1: ",
	} {
		_, err := ReadClusters(transform.File{Path: "c.yaml", Data: []byte(manifest)})
		if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "%%secret") {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
