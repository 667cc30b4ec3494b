package kustomize

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"

	"sigs.k8s.io/yaml"
)

// variables are the build environment of the cases.
var variables = []string{
	"ARGOCD_APP_NAME=shop", "ARGOCD_APP_NAMESPACE=shop", "ARGOCD_APP_REVISION=0123456789abcdef",
	"ARGOCD_APP_REVISION_SHORT=0123456",
}

// settings are values of spec.source.kustomize.
type settings struct{ path, options string }

// accepted change what is rendered.
var accepted = []settings{
	{"base", "{}"},
	{"base", "namePrefix: a-\nnameSuffix: -z"},
	{"overlay", "namePrefix: new-\nnameSuffix: -v2"},
	{"overlay", "namePrefix: -dash"},
	{"base", "namespace: other"},
	{"overlay", "namespace: other"},

	{"base", "images: [nginx:2, redis=example.com/cache@sha256:1]"},
	{"overlay", "images: ['nginx:2', 'redis=*:9']"},
	{"overlay", "images: ['nginx=other:*@*', 'redis=*', 'none=*:*', 'redis=*:10']"},
	{"overlay", "images: ['redis=localhost:5000/redis:1@sha256:2']"},
	{"base", "images: ['nginx:$ARGOCD_APP_REVISION_SHORT', 'redis=r:v-${ARGOCD_APP_REVISION}']"},
	{"base", "images: ['nginx:$HOME', 'redis:$$x']"},
	{"base", "images: ['a=nginx']"},
	{"base", "images: ['nginx=']"},
	{"old", "images: [nginx:3]"},

	{"base", "replicas: [{name: web, count: 3}]"},
	{"overlay", "replicas: [{name: web, count: '3'}, {name: web, count: 4}]"},
	{"base", "replicas: [{name: web, count: 3}, {name: web, count: 0}]"},

	{"base", "commonLabels: {team: ml, revision: $ARGOCD_APP_REVISION}"},
	{"base", "commonLabels: {quoted: '\"yes\"'}"},
	{"overlay", "commonLabels: {team: ml}\nlabelWithoutSelector: true"},
	{"overlay", "commonLabels: {team: ml}\nlabelWithoutSelector: true\nlabelIncludeTemplates: true"},
	{"overlay", "commonLabels: {tier: other}\nlabelWithoutSelector: true\nforceCommonLabels: true"},
	{"overlay", "commonLabels: {tier: other}\nlabelWithoutSelector: true\nlabelIncludeTemplates: true"},
	{"old", "commonLabels: {app.kubernetes.io/part-of: other}\nforceCommonLabels: true"},

	{"base", "commonAnnotations: {note: 'a: b, c', revision: $ARGOCD_APP_REVISION}"},
	{"base", "commonAnnotations: {note: 'a $$ b', revision: $ARGOCD_APP_REVISION}\ncommonAnnotationsEnvsubst: true"},
	{"overlay", "commonAnnotations: {team: other}\nforceCommonAnnotations: true"},

	{"overlay", `patches:
- target: {kind: Deployment, name: web}
  patch: |
    - {op: replace, path: /spec/replicas, value: 7}
- path: patch.yaml
`},
	{"base", `patches:
- patch: |
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: web}
    spec: {template: {spec: {containers: [{name: web, image: "nginx:5"}]}}}
- target: {kind: Service}
  patch: '[{"op": "replace", "path": "/metadata/name", "value": "renamed"}]'
  options: {allowNameChange: true}
- target: {labelSelector: app=web}
  patch: '[{"op": "add", "path": "/metadata/annotations", "value": {"a": "b"}}]'
`},
	{"old", "patches: [{target: {kind: Service}, patch: '[{\"op\": \"add\", \"path\": \"/spec/type\", \"value\": \"ClusterIP\"}]'}]"},

	{"base", "components: [../components/blue]"},
	{"overlay", "components: [../components/green, ../components/blue]"},
	{"overlay", "components: ['../components/*']"},
	{"base", "components: ['../components/g*', ../components/blue/]"},
	{"base", "components: [../components/none, ../components/blue]\nignoreMissingComponents: true"},
	{"base", "components: [../components/none]\nignoreMissingComponents: true"},
	{"base", "components: ['../components/*']\nignoreMissingComponents: true"},

	{"overlay", "namePrefix: a-\nimages: [nginx:9]\nreplicas: [{name: web, count: 5}]\ncommonLabels: {x: z}\n" +
		"commonAnnotations: {x: z}\nnamespace: other\ncomponents: [../components/blue]\n" +
		"patches: [{target: {kind: Service}, patch: '[{\"op\": \"add\", \"path\": \"/spec/sessionAffinity\", \"value\": \"None\"}]'}]"},
}

// refused fail.
var refused = []settings{
	{"base", "images: [nginx]"},
	{"overlay", "commonLabels: {tier: other}\nlabelWithoutSelector: true"},
	{"base", "commonLabels: {team: ml}\nlabelIncludeTemplates: true"},
	{"old", "commonLabels: {app.kubernetes.io/part-of: other}"},
	{"overlay", "commonAnnotations: {team: other}"},
	{"base", "patches: [{path: none.yaml}]"},
	{"base", "patches: [{path: ../overlay/patch.yaml}]"},
	{"base", "patches: [{target: {kind: Deployment}, patch: '[{\"op\": \"remove\", \"path\": \"/spec/none\"}]'}]"},
	{"base", "components: [../components/none]"},
	{"base", "components: ['../components/n*']"},
	{"base", "components: [../plain]"},
	{"base", "components: [../base]"},
	{"base", "replicas: [{name: none, count: 1}]"},
}

// TestSettings renders with the plugin's settings and with Argo CD 3.5.7's code.
func TestSettings(t *testing.T) {
	for i, c := range slices.Concat(accepted, refused) {
		t.Run(c.path+"/"+c.options, func(t *testing.T) {
			t.Parallel()
			options, err := yaml.YAMLToJSON([]byte(c.options))
			if err != nil {
				t.Fatal(err)
			}
			root := checkout(t, "apps")
			got := byPlugin(t, root, c.path, append(variables, "ARGOCD_APP_PARAMETERS="+parameters(t, options))...)
			want := run(t, root, variables, options, argocd, kustomize, root, c.path)
			if fails := i >= len(accepted); fails != (want.failure != "") {
				t.Fatalf("failure %q of Argo CD's code", want.failure)
			}
			compare(t, got, want)
		})
	}
}

// parameters returns the parameters of the plugin for a spec.source.kustomize, as JSON.
func parameters(t *testing.T, options []byte) string {
	t.Helper()
	var fields map[string]any
	if err := json.Unmarshal(options, &fields); err != nil {
		t.Fatal(err)
	}
	list := []map[string]any{}
	for name, value := range fields {
		parameter := map[string]any{"name": "kustomize-" + kebab(name)}
		switch value := value.(type) {
		case string:
			parameter["string"] = value
		case bool:
			parameter["string"] = fmt.Sprint(value)
		case map[string]any:
			parameter["map"] = value
		case []any:
			switch name {
			case "patches":
				parameter["string"] = text(value)
			case "replicas":
				parameter["array"] = counts(value)
			default:
				parameter["array"] = value
			}
		}
		list = append(list, parameter)
	}
	return text(list)
}

// counts returns replicas as name=count.
func counts(replicas []any) []string {
	var all []string
	for _, r := range replicas {
		r := r.(map[string]any)
		all = append(all, fmt.Sprintf("%s=%v", r["name"], r["count"]))
	}
	return all
}

// kebab turns camelCase into camel-case.
func kebab(name string) string {
	var b strings.Builder
	for _, r := range name {
		if unicode.IsUpper(r) {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
