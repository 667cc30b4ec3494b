package schema

import (
	"math"
	"strconv"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/plain"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// The types of JSON, as a definition names them (type in JSONSchemaProps of
// k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1@v0.34.5). No definition of KServe's has a number that is not
// whole.
const (
	String          = "string"
	Integer         = "integer"
	Number          = "number"
	Boolean         = "boolean"
	Array           = "array"
	Object          = "object"
	IntegerOrString = "integer,string" // x-kubernetes-int-or-string
)

// JSON returns the type that the definition names, "" if it takes anything.
func (t Type) JSON() string {
	switch t[0] {
	case 'a':
		return ""
	case 's':
		return String
	case 'n':
		return Integer
	case 'b':
		return Boolean
	case 'q', 'm', 'i':
		return IntegerOrString
	case '[':
		return Array
	}
	return Object
}

// JSONOf returns the type of a value as Kubernetes reads it: 3.0 is an integer, and yes without quotes a boolean. It is
// "" for none, for null, and for what JSON has no type for.
func JSONOf(value *yamldoc.Node) string {
	if value = value.Get(); value == nil {
		return ""
	}
	switch value.Kind {
	case yamldoc.Mapping:
		return Object
	case yamldoc.Sequence:
		return Array
	}
	switch value.Tag() {
	case "!!str", "!!timestamp", "!!binary":
		if value.Style == yamldoc.Plain && plain.OlderBoolean(value.Value) {
			return Boolean
		}
		return String
	case "!!bool":
		return Boolean
	case "!!int":
		return Integer
	case "!!float":
		number, err := strconv.ParseFloat(value.Value, 64)
		switch {
		case err != nil:
		case number == math.Trunc(number):
			return Integer
		default:
			return Number
		}
	}
	return ""
}

// Refuses returns the type that every release in question wants of a value of a kept field, if none takes the value for
// what it is, and else "".
func (f Field) Refuses(value *yamldoc.Node) (got, want string) {
	got = JSONOf(value)
	if got == "" || !f.Kept {
		return got, ""
	}
	for i, one := range f.All() {
		if i > 0 && one.JSON() != want {
			return got, ""
		}
		want = one.JSON()
	}
	for kind := range strings.SplitSeq(want, ",") {
		if kind == got {
			return got, ""
		}
	}
	return got, want
}
