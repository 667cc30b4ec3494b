package kustomize

import (
	"bytes"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render/kustomize/references"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render/rendertest"
)

// TestKustomizeRefuses builds app in a tree with the files of the case and those
// that all cases share. URL stands for a server on this host.
func TestKustomizeRefuses(t *testing.T) {
	requests := 0
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { requests++ }))
	defer server.Close()
	const shared = `
-- repo/.git/HEAD --
-- repo/app/object.yaml --
apiVersion: v1
kind: ConfigMap
metadata: {name: object}
-- secret.yaml --
apiVersion: v1
kind: Secret
metadata: {name: canary}
-- secret/kustomization.yaml --
resources: [../secret.yaml]
`
	const remote = " is remote; nothing is fetched, so copy it into the repository"
	const charts = "no such chart; nothing is fetched, so copy it into the repository: helm pull "
	const builtin = "only plugins that are built into kustomize are supported, not programs or containers"
	const leaves = "outside the root .; only the flag --root, or the operator's setting root, can widen it"
	const outside = ": " + leaves
	const link = ": a link out of the repository, " + leaves
	for _, tc := range []struct{ name, archive, want string }{
		{"resource", "resources:\n- object.yaml\n- URL/a.yaml",
			"app/kustomization.yaml:3:3: resources: URL/a.yaml" + remote},
		{"base", "bases: [ 'URL/a//b?ref=main' ]", "app/kustomization.yaml:1:10: bases: URL/a//b?ref=main" + remote},
		{"component", "components: [URL/a/b]", "app/kustomization.yaml:1:14: components: URL/a/b" + remote},
		{"any case", "Resources: [URL/a.yaml]", "app/kustomization.yaml:1:13: resources: URL/a.yaml" + remote},
		{"anchor", "commonAnnotations: {a: &a URL/a.yaml}\nresources: [*a]",
			"app/kustomization.yaml:2:1: resources: URL/a.yaml" + remote},
		{"git", "resources: [git@github.com:a/b.git]",
			"app/kustomization.yaml:1:13: resources: git@github.com:a/b.git" + remote},
		{"github", "resources: [github.com/a/b]", "app/kustomization.yaml:1:13: resources: github.com/a/b" + remote},
		{"ssh", "resources: [ssh://git@host/a/b]",
			"app/kustomization.yaml:1:13: resources: ssh://git@host/a/b" + remote},
		{"file", "resources: [file:///srv/a.git]",
			"app/kustomization.yaml:1:13: resources: file:///srv/a.git" + remote},
		{"oci", "resources: [oci://host/a]", "app/kustomization.yaml:1:13: resources: oci://host/a" + remote},
		{"ref", "resources: ['../base?ref=v1']", "app/kustomization.yaml:1:13: resources: ../base?ref=v1" + remote},
		{"crd", "crds: [URL/a.yaml]", "app/kustomization.yaml:1:8: crds: URL/a.yaml" + remote},
		{"configuration", "configurations: [URL/a.yaml]",
			"app/kustomization.yaml:1:18: configurations: URL/a.yaml" + remote},
		{"openapi", "openapi: {path: URL/a.json}", "app/kustomization.yaml:1:17: openapi: URL/a.json" + remote},
		{"generator", "generators: [URL/a.yaml]", "app/kustomization.yaml:1:14: generators: URL/a.yaml" + remote},
		{"transformer", "transformers: [URL/a.yaml]", "app/kustomization.yaml:1:16: transformers: URL/a.yaml" + remote},
		{"validator", "validators: [URL/a.yaml]", "app/kustomization.yaml:1:14: validators: URL/a.yaml" + remote},
		{"patch", "patches:\n- path: URL/a.yaml", "app/kustomization.yaml:2:9: patches: URL/a.yaml" + remote},
		{"merge patch", "patchesStrategicMerge: [URL/a.yaml]",
			"app/kustomization.yaml:1:25: patchesStrategicMerge: URL/a.yaml" + remote},
		{"JSON patch", "patchesJson6902:\n- path: URL/a.yaml\n  target: {version: v1, kind: ConfigMap, name: a}",
			"app/kustomization.yaml:2:9: patchesJson6902: URL/a.yaml" + remote},
		{"replacement", "replacements:\n- path: URL/a.yaml",
			"app/kustomization.yaml:2:9: replacements: URL/a.yaml" + remote},
		{"config map file", "configMapGenerator:\n- name: a\n  files: [URL/a]",
			"app/kustomization.yaml:3:11: configMapGenerator: URL/a" + remote},
		{"config map key", "configMapGenerator:\n- name: a\n  files: [key=URL/a]",
			"app/kustomization.yaml:3:11: configMapGenerator: URL/a" + remote},
		{"config map query", "configMapGenerator:\n- name: a\n  files: ['URL/a?b=c']",
			"app/kustomization.yaml:3:11: configMapGenerator: URL/a?b=c" + remote},
		{"secret variables", "secretGenerator:\n- name: a\n  envs: [URL/a]",
			"app/kustomization.yaml:3:10: secretGenerator: URL/a" + remote},
		{"secret variable file", "secretGenerator:\n- name: a\n  env: URL/a",
			"app/kustomization.yaml:3:8: secretGenerator: URL/a" + remote},
		{"nested",
			"resources: [../mid]\n-- repo/mid/kustomization.yml --\nresources: [../low]\n" +
				"-- repo/low/Kustomization --\n\nresources:\n  - URL/a.yaml",
			"low/Kustomization:3:5: resources: URL/a.yaml" + remote},
		{"nested component",
			"resources: [object.yaml]\ncomponents: [../part]\n-- repo/part/kustomization.yaml --\nkind: Component\n" +
				"resources: [URL/a.yaml]",
			"part/kustomization.yaml:2:13: resources: URL/a.yaml" + remote},
		{"transformer file",
			"transformers: [t.yaml]\n-- repo/app/t.yaml --\napiVersion: builtin\nkind: PatchTransformer\n" +
				"metadata: {name: t}\npath: URL/a.yaml",
			"app/kustomization.yaml:1:16: transformers: URL/a.yaml" + remote},
		{"inline generator",
			"generators:\n- |-\n  apiVersion: builtin\n  kind: ConfigMapGenerator\n  metadata: {name: t}\n" +
				"  files: [URL/a.yaml]",
			"app/kustomization.yaml:2:3: generators: URL/a.yaml" + remote},
		// No kustomization names this address: the transport refuses it.
		{"built transformer",
			"resources: [object.yaml]\ntransformers: [../t]\n-- repo/t/kustomization.yaml --\nresources: [t.yaml]\n" +
				"-- repo/t/t.yaml --\napiVersion: builtin\nkind: PatchTransformer\nmetadata: {name: t}\n" +
				"path: URL/a.yaml",
			"app: URL/a.yaml:" + remote},
		{"decoy", "resources: [URL/a.yaml]\n-- repo/app/kustomization.yml --\nresources: [object.yaml]",
			"app/kustomization.yaml:1:13: resources: URL/a.yaml" + remote},

		{"Helm", "resources: [object.yaml]\nhelmCharts:\n- name: a",
			"app/kustomization.yaml:3:9: helmCharts: app/charts/a: " + charts + "a --repo ADDRESS --untar --untardir app/charts"},
		{"Helm, remote", "helmCharts:\n- name: a\n  repo: https://user:token@example.com/charts\n  version: 1.2.3",
			"app/kustomization.yaml:2:9: helmCharts: app/charts/a-1.2.3/a: " + charts +
				"a --repo https://***@example.com/charts --version 1.2.3 --untar --untardir app/charts/a-1.2.3"},
		{"Helm, OCI", "helmCharts:\n- name: a\n  repo: oci://example.com/charts/",
			"app/kustomization.yaml:2:9: helmCharts: app/charts/a: " + charts +
				"oci://example.com/charts/a --untar --untardir app/charts"},
		{"Helm, outside", "helmGlobals: {chartHome: ../../other}\nhelmCharts: [{name: a}]",
			"app/kustomization.yaml:2:21: helmCharts: ../other/a" + outside},
		{"old Helm", "helmChartInflationGenerator:\n- chartName: a",
			"app/kustomization.yaml:1:1: helmCharts: app/charts/a: " + charts + "a --repo ADDRESS --untar --untardir app/charts"},
		{"Helm generator",
			"generators:\n- |-\n  apiVersion: builtin\n  kind: HelmChartInflationGenerator\n  metadata: {name: a}\n  name: a",
			"app/kustomization.yaml:2:3: generators: app/charts/a: " + charts + "a --repo ADDRESS --untar --untardir app/charts"},
		{"container",
			"transformers:\n- |-\n  apiVersion: example.com/v1\n  kind: Fn\n  metadata:\n    name: a\n" +
				"    annotations:\n      config.kubernetes.io/function: |\n        container: {image: a}",
			"app/kustomization.yaml:2:3: transformers: Fn: " + builtin},
		{"program",
			"generators: [g.yaml]\n-- repo/app/g.yaml --\napiVersion: example.com/v1\nkind: Exec\nmetadata: {name: a}",
			"app/kustomization.yaml:1:14: generators: Exec: " + builtin},
		{"built program",
			"generators: [../g]\n-- repo/g/kustomization.yaml --\nresources: [g.yaml]\n-- repo/g/g.yaml --\n" +
				"apiVersion: example.com/v1\nkind: Exec\nmetadata: {name: a}",
			"app: kustomize: loading generator plugins: failed to load generator: external plugins disabled; unable " +
				"to load external plugin 'Exec'"},

		{"parent", "resources: [../../secret.yaml]",
			"app/kustomization.yaml:1:13: resources: ../secret.yaml" + outside},
		{"parent folder", "resources: [../../secret]", "app/kustomization.yaml:1:13: resources: ../secret" + outside},
		{"parent patch", "resources: [object.yaml]\npatches: [{path: ../../secret.yaml}]",
			"app/kustomization.yaml:2:18: patches: ../secret.yaml" + outside},
		{"absolute", "resources: [TOP/secret.yaml]",
			"app/kustomization.yaml:1:13: resources: TOP/secret.yaml is absolute; name it relative to the kustomization"},
		{"link", "resources: [s.yaml]\n-- repo/app/s.yaml -> ../../secret.yaml --",
			"app/kustomization.yaml:1:13: resources: app/s.yaml" + link},
		{"absolute link", "resources: [s.yaml]\n-- repo/app/s.yaml -> TOP/secret.yaml --",
			"app/kustomization.yaml:1:13: resources: app/s.yaml" + link},
		{"linked folder", "resources: [s]\n-- repo/app/s -> ../../secret --",
			"app/kustomization.yaml:1:13: resources: app/s" + link},
		{"through a link", "configMapGenerator:\n- name: a\n  files: [s/secret.yaml]\n-- repo/app/s -> ../.. --",
			"app/kustomization.yaml:3:11: configMapGenerator: app/s/secret.yaml" + link},
		{"nested link", "resources: [../mid]\n-- repo/mid -> ../secret --",
			"app/kustomization.yaml:1:13: resources: mid" + link},
		{"linked kustomization",
			"resources: [../mid]\n-- repo/mid/kustomization.yaml -> ../../secret/kustomization.yaml --",
			"mid/kustomization.yaml" + link},
		{"built transformer's file",
			"resources: [object.yaml]\ntransformers: [../t]\n-- repo/t/kustomization.yaml --\nresources: [t.yaml]\n" +
				"-- repo/t/t.yaml --\napiVersion: builtin\nkind: PatchTransformer\nmetadata: {name: t}\n" +
				"path: ../../secret.yaml",
			"../secret.yaml" + outside},

		{"bomb",
			"resources: [a.yaml]\n-- repo/app/a.yaml --\na: &a [1,1,1,1,1,1,1,1,1]\n" +
				"b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\n" +
				"d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\n" +
				"f: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e]", "app/a.yaml:6:8: the aliases of the build expand to more than 100000 nodes"},
		{"missing", "resources:\n- object.yaml\n- missing.yaml",
			"app/kustomization.yaml:3:3: resources: app/missing.yaml: no such file or directory"},
		{"loop", "resources: [s.yaml]\n-- repo/app/s.yaml -> s.yaml --",
			"app/kustomization.yaml:1:13: resources: app/s.yaml: too many symbolic links"},
		{"cycle", "resources: [../mid]\n-- repo/mid/kustomization.yaml --\nresources: [../app]",
			"app: kustomize: accumulating resources: accumulation err='accumulating resources from '../mid': './mid' " +
				"must resolve to a file': recursed accumulation of path './mid': accumulating resources: accumulation " +
				"err='accumulating resources from '../app': 'app' must resolve to a file': cycle detected: candidate " +
				"root 'app' contains visited root 'app'"},
		{"two kustomizations", "resources: [object.yaml]\n-- repo/app/Kustomization --\nresources: [object.yaml]",
			"app: kustomize: Found multiple kustomization files under: app"},
		{"unknown field", "resource: [object.yaml]",
			`app/kustomization.yaml: invalid Kustomization: json: unknown field "resource"`},
		{"no YAML", "resources: [",
			"app/kustomization.yaml: invalid Kustomization: yaml: line 1: did not find expected node content"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			archive := shared + "-- repo/app/kustomization.yaml --\n" + tc.archive + "\n"
			top := rendertest.Write(t, strings.ReplaceAll(archive, "URL", server.URL))
			path := filepath.Join(top, "repo/app/kustomization.yaml")
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, bytes.ReplaceAll(data, []byte("TOP"), []byte(top)), 0o666); err != nil {
				t.Fatal(err)
			}

			temporary := t.TempDir()
			t.Setenv("TMPDIR", temporary)
			files, err := manifests(t.Context(), "app", narrow(filepath.Join(top, "repo")))
			if err == nil {
				t.Fatalf("no error but %s", join(files))
			}
			want := strings.NewReplacer("URL", server.URL, "TOP", top).Replace(tc.want)
			if err.Error() != want {
				t.Errorf("error\n  %s\nwant\n  %s", err, want)
			}
			if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
				t.Errorf("temporary files left: %v, %v", left, err)
			}
			if requests > 0 {
				t.Errorf("the server saw %d requests", requests)
			}
		})
	}
}

// TestRemote compares isRemote with kustomize. With an empty PATH kustomize fails
// when it tries to clone, and the transport sees what it tries to fetch.
func TestRemote(t *testing.T) {
	t.Setenv("PATH", "")
	t.Setenv("TMPDIR", t.TempDir())
	log.SetOutput(io.Discard) // a warning for every git::
	defer log.SetOutput(os.Stderr)
	transport := http.DefaultTransport
	defer func() { http.DefaultTransport = transport }()
	fetched := false
	http.DefaultTransport = roundTripper(func(*http.Request) (*http.Response, error) {
		fetched = true
		return nil, io.EOF
	})

	tried, remotes := 0, 0
	for _, scheme := range []string{
		"", "git::", "GIT::", "http://", "https://", "HTTPS://", "http:", "https:/", "ssh://", "file://", "git://",
		"git::https://", "oci://", "./", "../",
	} {
		for _, user := range []string{"", "git@"} {
			for _, host := range []string{"github.com", "GitHub.com", "www.github.com", "host.example", ""} {
				for _, path := range []string{
					"/a/b", ":a/b", "/a/b.git", "/a//b", "/_git/a", "/a.yaml", "", "/a/b?ref=c", "//a/b?version=c",
				} {
					address := scheme + user + host + path
					if address == "" {
						continue
					}
					fetched = false
					fsys := filesys.MakeFsInMemory()
					text := "resources: ['" + address + "']"
					if err := fsys.WriteFile("/app/kustomization.yaml", []byte(text)); err != nil {
						t.Fatal(err)
					}
					_, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(fsys, "/app")
					remote := fetched || err != nil && strings.Contains(err.Error(), "no 'git' program")
					if remote && !references.IsRemote(address) {
						t.Errorf("kustomize fetches %s", address)
					}
					tried++
					if remote {
						remotes++
					}
				}
			}
		}
	}
	if remotes < tried/10 {
		t.Errorf("of %d addresses kustomize fetched only %d: the comparison is blind", tried, remotes)
	}

	for _, path := range []string{
		"a.yaml", "../base", "./a", "dir/github.com/a", "a@b.yaml", "a/b@c/d.yaml", "http.yaml", "https", "a=b",
		"v1.2/x.yaml", "git", "s3:x", "öl/ä.yaml",
	} {
		if references.IsRemote(path) {
			t.Errorf("%s is local", path)
		}
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
