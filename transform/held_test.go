package transform

import (
	"reflect"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// TestHeld checks that a run returns findings as rules report them, however much they have in common: each of these
// differs from the first one in one field, also in those that Finding will have one day.
func TestHeld(t *testing.T) {
	rule, object := &Rule{ID: "KS991"}, &Object{}
	first := Finding{Rule: rule, Object: object, At: yamldoc.Path{"spec", "a", 1}, Message: "m"}
	findings := []Finding{first}
	for i := range reflect.TypeFor[Finding]().NumField() {
		f := first
		field := reflect.ValueOf(&f).Elem().Field(i)
		switch field.Interface().(type) {
		case *Rule:
			f.Rule = &Rule{ID: "KS992"}
		case *Object:
			f.Object = &Object{}
		case yamldoc.Path:
			f.At = yamldoc.Path{"spec", "a", "1"}
		case []Edit:
			continue // see below
		case []*Object:
			f.Restarts = []*Object{object}
		case Release:
			f.Since = Release{0, 1, 2}
		case *Acceptance:
			f.Accepted = &Acceptance{}
		case []yamldoc.Path:
			f.Also = []yamldoc.Path{{"a"}, {"b"}}
		case []Place:
			f.Lost = []Place{{"file", 1}}
		default:
			switch field.Kind() {
			case reflect.String:
				field.SetString("other")
			case reflect.Bool:
				field.SetBool(true)
			case reflect.Int:
				field.SetInt(7)
			default:
				t.Fatalf("no other value for %s", reflect.TypeFor[Finding]().Field(i).Name)
			}
		}
		findings = append(findings, f)
	}
	path := yamldoc.Path{"a"}
	for _, edit := range []yamldoc.Edit{
		yamldoc.Delete(path), yamldoc.Rename(path, "b"), yamldoc.Rename(path, "c"), yamldoc.Delete(yamldoc.Path{"a", 0}),
		yamldoc.Set(path, "1"), yamldoc.Set(path, 1), yamldoc.Set(path, true), yamldoc.Set(path, false),
		yamldoc.Set(path, []any{}), yamldoc.Set(path, yamldoc.Map{}), yamldoc.Set(path, []any{"a", "b"}),
		yamldoc.Set(path, []any{[]any{"a"}, "b"}), yamldoc.Set(path, []any{[]any{"a", "b"}}),
		yamldoc.Set(path, yamldoc.Map{{Key: "a", Value: "b"}}), yamldoc.Set(path, yamldoc.Map{{Key: "as", Value: "b"}}),
	} {
		f := first
		f.Edits = []Edit{{Object: object, Edit: edit, first: len(findings), last: 9}}
		findings = append(findings, f)
	}
	together := newShared()
	for range 2 {
		for _, want := range findings {
			h := together.hold(want, 0)
			if got := h.whole(); !reflect.DeepEqual(got, want) {
				t.Errorf("got %#v, want %#v", got, want)
			}
		}
	}
}
