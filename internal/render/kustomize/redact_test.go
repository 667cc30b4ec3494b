package kustomize

import (
	"encoding/base64"
	"log"
	"os"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render/rendertest"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/tree"
)

// TestSecretsStayOut fails builds in every way in which kustomize quotes its input. SENTINEL stands for a value, which
// the error must not show in any form.
func TestSecretsStayOut(t *testing.T) {
	const sentinel = `hunter2/S3ntinel+w0rd`
	const secret = "\n-- app/secret.yaml --\napiVersion: v1\nkind: Secret\nmetadata: {name: db}\n"
	const object = "\n-- app/object.yaml --\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: object}\ndata: {a: b}\n"
	for _, tc := range []struct{ name, archive, want string }{
		{"literal without a key", "secretGenerator:\n- name: db\n  literals: [a=b, SENTINEL]", `literal sources [a=b <redacted>]: invalid literal source <redacted>`},
		{"literal without a value", "secretGenerator:\n- name: db\n  literals: ['=SENTINEL']", `literal sources [<redacted>]`},
		{"generator without a name", "secretGenerator:\n- literals: [a=SENTINEL]", `a configmap must have a name`},
		{"generator that merges nothing", "secretGenerator:\n- name: db\n  behavior: merge\n  literals: [a=SENTINEL]", `Name:"db", Namespace:""} does not exist; cannot merge or replace`},
		{"generator twice", "secretGenerator:\n- name: db\n  literals: [a=SENTINEL]\n- name: db\n  literals: [a=SENTINEL]", `Name:"db", Namespace:""} exists`},
		{"literals as a mapping", "secretGenerator:\n- name: db\n  literals: {SENTINEL: a}", `cannot unmarshal object into Go struct field SecretArgs.secretGenerator`},
		{"literals as a text", "secretGenerator:\n- name: db\n  literals: SENTINEL", `cannot unmarshal string into Go struct field SecretArgs.secretGenerator`},
		{"literal as a mapping", "secretGenerator:\n- name: db\n  literals:\n  - SENTINEL: a", `cannot unmarshal object into Go struct field SecretArgs.secretGenerator`},
		{"literal in the wrong column", "secretGenerator:\n- name: db\n  literals:\n  password: SENTINEL", `app/kustomization.yaml: invalid Kustomization: `},
		{"value as a field", "secretGenerator:\n- name: db\n  SENTINEL: a", `unknown field "<redacted>"`},
		{"literal as an alias", "secretGenerator:\n- name: db\n  literals: [*SENTINEL]", `app/kustomization.yaml: invalid Kustomization: yaml: line 3: `},
		{"literal with bad escape", "secretGenerator:\n- name: db\n  literals: [\"a=SENTINEL\\q\"]", `yaml: line 3: found unknown escape character`},
		{"literal as a file", "secretGenerator:\n- name: db\n  files: ['password=SENTINEL']", `app/kustomization.yaml:3:11: secretGenerator: a path that is missing or outside the root`},
		{"literal as a path", "secretGenerator:\n- name: db\n  files: [SENTINEL]", `app/kustomization.yaml:3:11: secretGenerator: a path that is missing`},
		{"literal as an address", "secretGenerator:\n- name: db\n  files: ['password=http://SENTINEL/a']", `app/kustomization.yaml:3:11: secretGenerator: a path that is missing`},
		{"literal as an absolute path", "secretGenerator:\n- name: db\n  files: ['password=/SENTINEL']", `app/kustomization.yaml:3:11: secretGenerator: a path that is missing`},
		{"literal as variables", "secretGenerator:\n- name: db\n  envs: ['password=SENTINEL']", `app/kustomization.yaml:3:10: secretGenerator: a path that is missing`},
		{"file without a path", "secretGenerator:\n- name: db\n  files: ['SENTINEL=']", `file sources: [<redacted>]: missing file path for key name`},
		{"files as a mapping", "secretGenerator:\n- name: db\n  files: {password: SENTINEL}", `app/kustomization.yaml: invalid Kustomization: `},
		{"variables that are no UTF-8", "secretGenerator:\n- name: db\n  envs: [a.env]\n-- app/a.env --\na=SENTINEL\xff\n", `env source files: [a.env]: line [<redacted>] has invalid utf8 bytes : <redacted>`},

		{"data as a list", "resources: [secret.yaml]\npatches:\n- patch: '{apiVersion: v1, kind: Secret, metadata: {name: db}, data: {a: b}}'" + secret + "data: [SENTINEL]", `wrong node kind: expected SequenceNode but got MappingNode: node contents: `},
		{"alias", "resources: [secret.yaml]" + secret + "stringData: {a: *SENTINEL}", `accumulating resources from 'secret.yaml': MalformedYAMLError: yaml: line 4: `},
		{"syntax", "resources: [secret.yaml]" + secret + "stringData: {a: \"SENTINEL}", `yaml: line 4: found unexpected end of stream in File: secret.yaml`},
		{"key without a value", "resources: [secret.yaml]" + secret + "stringData:\n  a: b\n SENTINEL", `yaml: line 5: did not find expected key in File: secret.yaml`},
		{"number", "resources: [secret.yaml]" + secret + "stringData: {SENTINEL: 1, SENTINEL: 2}", `Secret.v1.[noGrp]/db.[noNs]: yaml: unmarshal errors: line 4: mapping key "<redacted>" already defined`},
		{"no name", "resources: [secret.yaml]\n-- app/secret.yaml --\nkind: Secret\nstringData: {a: SENTINEL}", `missing metadata.name in object`},
		{"no kind", "resources: [secret.yaml]\n-- app/secret.yaml --\nmetadata: {name: a}\nstringData: {a: SENTINEL}", `missing kind in object`},
		{"labels as a text", "labels:\n- pairs: {a: b}\nresources: [secret.yaml]\n-- app/secret.yaml --\napiVersion: v1\nkind: Secret\nmetadata: {name: a, labels: SENTINEL}\n", `expected MappingNode but got ScalarNode: node contents: <redacted>`},
		{"list", "resources: [secret.yaml]\n-- app/secret.yaml --\napiVersion: v1\nkind: List\nitems:\n- {kind: Secret, apiVersion: v1, stringData: {a: SENTINEL}}\n", `missing metadata.name in object`},
		{"base", "resources: [../base]\n-- base/kustomization.yaml --\nsecretGenerator:\n- name: db\n  literals: [SENTINEL]", `literal sources [<redacted>]`},

		{"patch with bad syntax", "resources: [object.yaml]\npatches:\n- patch: |\n    kind: Secret\n    stringData: {a: \"SENTINEL}\n" + object, `unable to parse SM or JSON patch from [patch: `},
		{"patch for nothing", "resources: [object.yaml]\npatches:\n- patch: |\n    apiVersion: v1\n    kind: Secret\n    metadata: {name: db}\n    stringData: {a: SENTINEL}\n" + object, `no resource matches strategic merge patch "Secret.v1.[noGrp]/db.[noNs]"`},
		{"patch and path", "resources: [object.yaml]\npatches:\n- path: object.yaml\n  patch: 'stringData: {a: SENTINEL}'" + object, `patch and path can't be set at the same time`},
		{"JSON patch without a target", "resources: [secret.yaml]\npatches:\n- patch: '- {op: add, path: /stringData/a, value: SENTINEL}'" + secret, `must specify a target for JSON patch [patch: "- {op: add, path: /stringData/a, value: <redacted>}"]`},
		{"JSON patch of a missing path", "resources: [secret.yaml]\npatches:\n- target: {kind: Secret}\n  patch: '- {op: add, path: /stringData/a/b, value: SENTINEL}'" + secret, `add operation does not apply: doc is missing path: "/stringData/a/b": missing value`},
		{"JSON patch that tests", "resources: [secret.yaml]\npatches:\n- target: {kind: Secret}\n  patch: '- {op: test, path: /stringData/a, value: SENTINEL}'" + secret + "stringData: {a: SENTINEL2}", `testing value /stringData/a failed`},
		{"JSON patch of an unknown kind", "resources: [secret.yaml]\npatches:\n- target: {kind: Secret}\n  patch: '- {op: SENTINEL, path: /a}'" + secret, `<redacted>`},
		{"two patches with a target", "resources: [secret.yaml]\npatches:\n- target: {kind: Secret}\n  patch: |\n    {apiVersion: v1, kind: Secret, metadata: {name: db}, stringData: {a: SENTINEL}}\n    ---\n    {apiVersion: v1, kind: Secret, metadata: {name: db}, stringData: {b: SENTINEL}}" + secret, `Multiple Strategic-Merge Patches`},
		{"patch file", "resources: [secret.yaml]\npatches:\n- path: p.yaml" + secret + "-- app/p.yaml --\nkind: Secret\nstringData: {a: *SENTINEL}\n", `[path: "p.yaml"]`},
		{"merge patch with bad syntax", "resources: [secret.yaml]\npatchesStrategicMerge:\n- |\n  kind: Secret\n  stringData: {a: \"SENTINEL}" + secret, `app/kustomization.yaml:3:3: patchesStrategicMerge: a text that is neither the path of a file nor valid YAML`},
		{"merge patch with bad syntax in a line", "resources: [secret.yaml]\npatchesStrategicMerge: ['{kind: Secret, stringData: {a: SENTINEL}']" + secret, `app/kustomization.yaml:2:25: patchesStrategicMerge: a text that is neither`},
		{"old JSON patch", "resources: [secret.yaml]\npatchesJson6902:\n- target: {version: v1, kind: Secret, name: db}\n  patch: 'a: SENTINEL: b'" + secret, `yaml: mapping values are not allowed in this context`},

		{"replacement", "resources: [secret.yaml, object.yaml]\nreplacements:\n- source: {kind: Secret, name: db, fieldPath: stringData.a, options: {delimiter: '/', index: 7}}\n  targets:\n  - select: {kind: ConfigMap}\n    fieldPaths: [data.a]" + secret + "stringData: {a: SENTINEL}" + object, `options.index 7 is out of bounds for value <redacted>`},
		{"replacement of a mapping", "resources: [secret.yaml, object.yaml]\nreplacements:\n- source: {kind: Secret, name: db, fieldPath: stringData, options: {delimiter: '/'}}\n  targets:\n  - select: {kind: ConfigMap}\n    fieldPaths: [data.a]" + secret + "stringData: {a: SENTINEL}" + object, `delimiter option can only be used with scalar nodes`},

		{"plugin", "generators:\n- |-\n  apiVersion: builtin\n  kind: SecretGenerator\n  metadata: {name: db}\n  literals: [SENTINEL]", `literal sources [<redacted>]`},
		{"plugin with bad syntax", "generators:\n- |-\n  apiVersion: builtin\n  kind: SecretGenerator\n  metadata: {name: db}\n  literals: [\"SENTINEL]", `app/kustomization.yaml:2:3: generators: a text that is neither`},
		{"plugin with a bad field", "generators: [g.yaml]\n-- app/g.yaml --\napiVersion: builtin\nkind: SecretGenerator\nmetadata: {name: db}\nliterals: SENTINEL", `plugin SecretGenerator.builtin.[noGrp]/db.[noNs] fails configuration`},
		{"plugin with a patch", "resources: [secret.yaml]\ntransformers: [t.yaml]" + secret + "-- app/t.yaml --\napiVersion: builtin\nkind: PatchTransformer\nmetadata: {name: db}\npatch: 'a: SENTINEL: b'", `unable to parse SM or JSON patch from [patch: "<redacted>"]`},
		{"address", "resources: ['https://SENTINEL@example.com/a']", `resources: https://***@example.com/a is remote`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			archive := "-- .git/HEAD --\n-- app/kustomization.yaml --\n" + strings.ReplaceAll(tc.archive, "SENTINEL", sentinel) + "\n"
			_, err := manifests(t.Context(), "app", narrow(rendertest.Write(t, archive)))
			if err == nil {
				t.Fatal("no error")
			}
			if !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %s\nwant %s", err, tc.want)
			}
			for _, part := range []string{
				"hunter", "S3ntinel", base64.StdEncoding.EncodeToString([]byte(sentinel))[:12],
			} {
				if strings.Contains(err.Error(), part) {
					t.Errorf("the error shows %s", part)
				}
			}
		})
	}
}

// kustomize may quote a whole object, with values encoded, folded or quoted in other ways.
func TestRedactForms(t *testing.T) {
	top := rendertest.Write(t, `
-- .git/HEAD --
-- app/kustomization.yaml --
resources: [secret.yaml, object.yaml]
-- app/object.yaml --
apiVersion: v1
kind: ConfigMap
metadata: {name: public-name}
data: {shown: public-value}
-- app/secret.yaml --
apiVersion: v1
kind: Secret
metadata: {name: db}
data: {encoded: aHVudGVyMi1lbmNvZGVk}
stringData:
  quoted: "pass\"w\u00f6rd\ttab"
  lines: |
    first line of it
    second line
  number: 20261122
  commented: abc #hunter2-comment
  marked: &hunter2-mark
  hidden: !hunter2-sign x
`)
	tree, err := tree.Open("app", narrow(top).Options)
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	fsys := newConfined(tree, narrow(top).in)
	if _, err := build(fsys); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ text, want string }{
		{"in ConfigMap public-name: public-value", "in ConfigMap public-name: public-value"},
		{"found aHVudGVyMi1lbmNvZGVk here", "found <redacted> here"},
		{"found hunter2-encoded here", "found <redacted> here"},
		{`found "pass\"w\u00f6rd\ttab" here`, `found "<redacted>" here`},
		{`found 'pass"wörd	tab' here`, "found '<redacted>' here"},
		{"found first line of it second line here", "found <redacted> here"},
		{"found 'first\nline' here", "found '<redacted>' here"},
		{"cannot unmarshal !!int `2026112...` into string", "cannot unmarshal !!int `<redacted>...` into string"},
		{"found prefix20261122suffix here", "found <redacted> here"},
		{"node contents: commented: abc #hunter2-comment", "node contents: <redacted>"},
		{"unknown anchor 'hunter2-mark' referenced", "unknown anchor '<redacted>' referenced"},
		{"tag !hunter2-sign", "tag <redacted>"},
		{"base64 of it: MjAyNjExMjI=", "base64 of it: <redacted>"},
	} {
		if got := fsys.redact(tc.text); got != tc.want {
			t.Errorf("%s:\n got %s\nwant %s", tc.text, got, tc.want)
		}
	}
}

// log.Fatal in kustomize must neither end the process nor print.
func TestBuildLog(t *testing.T) {
	log.SetOutput(quiet{})
	defer log.SetOutput(os.Stderr)
	log.Printf("hunter2") // is dropped
	defer func() {
		if cause, _ := recover().(string); !strings.HasSuffix(cause, "hunter2\n") {
			t.Errorf("recovered %q", cause)
		}
	}()
	log.Fatal("hunter2")
}
