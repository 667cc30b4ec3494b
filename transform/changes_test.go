package transform

import (
	"slices"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// TestRemoved deletes services. The rule reports at each of them, and at the service that stays.
func TestRemoved(t *testing.T) {
	accepted := func(name string) string {
		return strings.Replace(named(name), "metadata:\n", "metadata: # argocd-kserve-plugin/ignore: KS901: known\n", 1)
	}
	removed := rule("KS901", nil, services)
	removed.Removed = func(p *Pass) {
		p.Report(Report{Message: "gone, of " + strings.Repeat("i", len(p.PreviousIndex.(testIndex[[]*Object]).value))})
		for _, o := range p.Snapshot.Objects(services) {
			if p.Previous.Object(services, o.Namespace, o.Name) != nil {
				p.Report(Report{Object: o, At: yamldoc.Path{"metadata"}, Message: "misses " + p.Object.Name})
			}
		}
	}
	catalogue := []*Rule{removed, only(wants("KS902", "seen", "yes", services), "stays")}
	for _, tc := range []struct {
		name            string
		previous, input string
		want            []string
	}{
		{"nothing", "", named("stays"), []string{"stays KS902: no seen"}},
		{"one of two", named("stays") + "---\n" + named("gone"), named("stays"),
			[]string{"stays KS902: no seen", "gone KS901: gone, of ii", "stays KS901: misses gone"}},
		{"another version of the API", strings.Replace(named("stays"), "v1beta1", "v1", 1), named("stays"),
			[]string{"stays KS902: no seen"}},
		{"no name", strings.Replace(named("x"), "name: x", "generateName: x-", 1), named("stays"),
			[]string{"stays KS902: no seen"}},
		{"accepted where it was", named("stays") + "---\n" + strings.Replace(named("gone"), "apiVersion",
			"# argocd-kserve-plugin/ignore: KS901: known\napiVersion", 1), named("stays"),
			[]string{"stays KS902: no seen", "stays KS901: misses gone"}},
		{"accepted where it stays", named("stays") + "---\n" + named("gone"), accepted("stays"),
			[]string{"stays KS902: no seen", "gone KS901: gone, of ii"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			config := Config{Rules: catalogue, Ignore: testIgnore, Index: func(s *Snapshot) Index {
				return testIndex[[]*Object]{s, s.Objects(services)}
			}}
			if tc.previous != "" {
				config.Previous = []File{{Path: "previous", Data: []byte(tc.previous)}}
			}
			result, err := Run(t.Context(), []File{{Path: "input", Data: []byte(tc.input)}}, config)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range result.Findings() {
				got = append(got, f.Object.Name+" "+f.Rule.ID+": "+f.Text())
			}
			if !slices.Equal(got, tc.want) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
			if n := result.Objects(); n != 1 {
				t.Errorf("%d objects, want those of the input alone", n)
			}
		})
	}
}

// TestChanged changes a service. The rule sees it as it was and as it is, and nothing that is new or deleted.
func TestChanged(t *testing.T) {
	changed := rule("KS701", nil, services)
	changed.Changed = func(p *Pass) {
		was := p.Previous.Object(services, p.Object.Namespace, p.Object.Name)
		p.Report(Report{Message: was.Annotation("mode") + " becomes " + p.Object.Annotation("mode")})
	}
	in := func(name, mode string) string {
		return strings.Replace(named(name), "metadata:\n", "metadata:\n  annotations: {mode: "+mode+"}\n", 1)
	}
	accepted := "# argocd-kserve-plugin/ignore: KS701: known\n"
	for _, tc := range []struct {
		name            string
		previous, input string
		want            []string
	}{
		{"no previous input", "", in("stays", "b"), nil},
		{"one of three", in("stays", "a") + "---\n" + in("gone", "a"), in("stays", "b") + "---\n" + in("new", "b"),
			[]string{"stays: a becomes b"}},
		{"accepted", in("stays", "a"), accepted + in("stays", "b"), nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			config := Config{Rules: []*Rule{changed}, Ignore: testIgnore}
			if tc.previous != "" {
				config.Previous = []File{{Path: "previous", Data: []byte(tc.previous)}}
			}
			result, err := Run(t.Context(), []File{{Path: "input", Data: []byte(tc.input)}}, config)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range result.Findings() {
				got = append(got, f.Object.Name+": "+f.Text())
			}
			if !slices.Equal(got, tc.want) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// TestRemovedError gives previous manifests that can't be read, a rule that panics, and one with
// edits.
func TestRemovedError(t *testing.T) {
	panics := rule("KS901", nil, services)
	panics.Removed = func(*Pass) { panic("no idea") }
	edits := rule("KS902", nil, services)
	edits.Removed = func(p *Pass) {
		o := p.Snapshot.All()[0]
		p.Report(Report{Object: o, Edits: o.Edits(yamldoc.Delete(yamldoc.Path{"metadata", "labels"}))})
	}
	_, err := Run(t.Context(), []File{{Path: "input", Data: []byte(named("stays"))}},
		Config{Rules: []*Rule{edits}, Previous: []File{{Path: "previous", Data: []byte(service)}}})
	if err == nil || !strings.Contains(err.Error(), "panic: edits because of a change") {
		t.Errorf("error %v, want one about the edits", err)
	}
	for previous, want := range map[string]string{
		service + "\t\n":                     "previous:",
		service + "kind: InferenceService\n": "previous:6:1: ",
		service:                              "internal error, please report it: panic: no idea",
	} {
		config := Config{Rules: []*Rule{panics}, Previous: []File{{Path: "previous", Data: []byte(previous)}}}
		_, err := Run(t.Context(), nil, config)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", previous, err, want)
		}
	}
}
