package secret

import (
	"bytes"
	"strings"
	"testing"
)

// Every case holds "hunter" only where it must not be seen.
func TestRedact(t *testing.T) {
	for _, tc := range []struct{ name, text, want string }{
		{"block style", "kind: Secret\nmetadata:\n  name: a # kept\ndata:\n  a: hunter2\n  # hunter1\n  b: hunter3 # hunter4\n# hunter5\ntype: Opaque # kept\n",
			"kind: Secret\nmetadata:\n  name: a # kept\ndata:\n  <redacted>\n  <redacted>\n  <redacted> <redacted>\n<redacted>\ntype: Opaque # kept\n"},
		{"both fields, the last one at the end", "data: {a: hunter2}\nkind: Secret\nstringData:\n  b: |\n    hunter3\n\n    hunter4\n",
			"data: <redacted>\nkind: Secret\nstringData:\n  <redacted>\n    <redacted>\n\n    <redacted>\n"},
		{"a comment before the first entry", "kind: Secret\ndata: # hunter1\n  # hunter2\n  a: hunter3\n",
			"kind: Secret\ndata: <redacted>\n  <redacted>\n  <redacted>\n"},
		{"JSON on one line", `{"kind":"Secret","data":{"a":"hunter2"},"type":"Opaque"}`,
			`{"kind":"Secret","data":<redacted>,"type":"Opaque"}`},
		{"JSON in lines", "{\n  \"kind\": \"Secret\",\n  \"data\": {\n    \"a\": \"hunter2\"\n  }\n}\n",
			"{\n  \"kind\": \"Secret\",\n  \"data\": <redacted>\n    <redacted>\n  <redacted>\n}\n"},
		{"CRLF", "kind: Secret\r\ndata:\r\n  a: hunter2\r\n  b: hunter3\r\n",
			"kind: Secret\r\ndata:\r\n  <redacted>\r\n  <redacted>\r\n"},
		{"in a List", "kind: List\nitems:\n- kind: ConfigMap\n  data: {a: kept}\n- kind: Secret\n  data: {a: hunter2}\n- kind: A\n",
			"kind: List\nitems:\n- kind: ConfigMap\n  data: {a: kept}\n- kind: Secret\n  data: <redacted>\n- kind: A\n"},
		{"in a SecretList, without kinds", "kind: SecretList\nitems:\n- data: {a: hunter2}\n",
			"kind: SecretList\nitems:\n- data: <redacted>\n"},
		{"in another object", "kind: Work\nspec:\n  manifests:\n  - kind: Secret\n    stringData: {a: hunter2}\n",
			"kind: Work\nspec:\n  manifests:\n  - kind: Secret\n    stringData: <redacted>\n"},
		{"what kubectl apply left", "kind: Secret\nmetadata:\n  annotations:\n    kubectl.kubernetes.io/last-applied-configuration: '{\"data\":\"hunter2\"}'\n    b: kept\n",
			"kind: Secret\nmetadata:\n  annotations:\n    kubectl.kubernetes.io/last-applied-configuration: <redacted>\n    b: kept\n"},
		{"aliases", "kind: List\nitems:\n- kind: A\n  a: &pw hunter2\n  b: &all {x: hunter3} # hunter4\n- kind: Secret\n  data: {a: *pw}\n- kind: Secret\n  data: *all\n",
			"kind: List\nitems:\n- kind: A\n  a: &pw <redacted>\n  b: &all <redacted> <redacted>\n- kind: Secret\n  data: <redacted>\n- kind: Secret\n  data: *all\n"},
		{"a merge key", "kind: List\nitems:\n- &base\n  kind: Secret\n  data: {a: hunter2}\n- <<: *base\n  name: b\n",
			"kind: List\nitems:\n- &base\n  kind: Secret\n  data: <redacted>\n- <<: *base\n  name: b\n"},
		{"a kind with escapes", "kind: \"S\\x65cret\"\ndata: {a: hunter2}\n", "kind: \"S\\x65cret\"\ndata: <redacted>\n"},
		{"a kind in base64", "kind: !!binary U2VjcmV0\ndata: {a: hunter2}\n", "kind: !!binary U2VjcmV0\ndata: <redacted>\n"},
		{"unreadable", "kind: Secret\ndata:\n  a: *hunter2\n  b: [hunter3\n", "<redacted>\n<redacted>\n  <redacted>\n  <redacted>\n"},
		{"data without a value", "kind: Secret\ndata:\nstringData: null\n", "kind: Secret\ndata:\nstringData: <redacted>\n"},
		{"nothing but a scalar", "Secret\n", "Secret\n"},
		{"empty", "", ""},
		{"no Secret", "kind: ConfigMap\ndata: {a: \"Secret\\n\"}\n", "kind: ConfigMap\ndata: {a: \"Secret\\n\"}\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := string(Redact([]byte(tc.text)))
			if got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
			if strings.Contains(got, "hunter") {
				t.Error("a value is shown")
			}
			if strings.Count(got, "\n") != strings.Count(tc.text, "\n") {
				t.Error("the number of lines differs")
			}
		})
	}
}

func FuzzRedact(f *testing.F) {
	f.Add([]byte("kind: Secret\ndata:\n  a: &x b # c\n  d: *x\n"))
	f.Add([]byte(`{"kind":"List","items":[{"kind":"Secret","data":{"a":"b"}}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		got := Redact(body)
		if bytes.Count(got, []byte("\n")) != bytes.Count(body, []byte("\n")) {
			t.Errorf("%q becomes %q", body, got)
		}
	})
}
