package schema

import (
	"slices"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

const (
	service = "serving.kserve.io/v1beta1"
	runtime = "serving.kserve.io/v1alpha1"
)

// TestData reads all of the data.
func TestData(t *testing.T) {
	kinds, _, _ := strings.Cut(data, "\n\n")
	for line := range strings.Lines(kinds) {
		words := strings.Fields(line)
		release, err := transform.ParseRelease(words[0])
		if err != nil {
			t.Fatal(err)
		}
		seen := map[Type]bool{}
		var read func(Type)
		read = func(one Type) {
			element := Type(strings.TrimLeft(string(one), "[{"))
			if seen[element] {
				return
			}
			seen[element] = true
			if element.Kind() != yamldoc.Mapping {
				return
			}
			object := typesOf([]Type{element})
			for _, name := range object.Names() {
				for _, below := range object.Field(name).All() {
					read(below)
				}
			}
		}
		for _, one := range Of(release).Types(words[1], words[2]).All() {
			read(one)
		}
		if len(seen) < 5 {
			t.Errorf("%s: only %d types", strings.TrimSpace(line), len(seen))
		}
	}
}

func TestField(t *testing.T) {
	old, middle, recent := transform.Release{0, 12, 1}, transform.Release{0, 15, 2}, transform.Release{0, 20, 0}
	all := []transform.Release{old, middle, recent}
	for _, tc := range []struct {
		releases []transform.Release
		path     yamldoc.Path
		want     string
	}{
		{all, yamldoc.Path{"spec", "predictor", "minReplicas"}, "kept n"},
		{all, yamldoc.Path{"spec", "predictor", "serviceAccountName"}, "kept ? s"},
		{all, yamldoc.Path{"spec", "predictor", "model", "resources", "limits", "cpu"}, "kept q"},
		{all, yamldoc.Path{"spec", "predictor", "model", "nodeSelector"}, "dropped"},
		{all, yamldoc.Path{"spec", "predictor", "containers", 3, "args"}, "kept ? [s"},
		{all, yamldoc.Path{"spec", "predictor", "workerSpec"}, ""},
		{[]transform.Release{{0, 12, 0}, {0, 13, 0}}, yamldoc.Path{"spec", "predictor", "workerSpec"}, "dropped"},
		{[]transform.Release{middle}, yamldoc.Path{"spec", "predictor", "workerSpec", "pipelineParallelSize"}, "kept n"},
		{[]transform.Release{{0, 15, 1}, {0, 17, 1}, {0, 18, 0}, {0, 25, 0}},
			yamldoc.Path{"spec", "predictor", "workerSpec", "x"}, "dropped"},
		{[]transform.Release{old}, yamldoc.Path{"spec", "explainer", "alibi", "type"}, "kept s"},
		{[]transform.Release{{0, 12, 2}}, yamldoc.Path{"spec", "explainer", "alibi", "type"}, ""},
		{[]transform.Release{recent}, yamldoc.Path{"status", "url"}, ""},
		{all, yamldoc.Path{"metadata", "anything"}, "dropped"},
	} {
		f := Of(tc.releases...).Types(service, "InferenceService").At(tc.path)
		var got []string
		for _, word := range []struct {
			is   bool
			text string
		}{{f.Kept, "kept"}, {f.Dropped, "dropped"}, {f.LeftOutIfEmpty, "?"}, {f.Kept && len(f.All()) == 1, ""}} {
			switch {
			case word.is && word.text == "":
				got = append(got, string(f.All()[0]))
			case word.is:
				got = append(got, word.text)
			}
		}
		if strings.Join(got, " ") != tc.want {
			t.Errorf("%s on %v: %q, want %q", tc.path, tc.releases, strings.Join(got, " "), tc.want)
		}
	}
}

func TestOf(t *testing.T) {
	for _, release := range []transform.Release{{0, 11, 0}, {0, 20, 7}} {
		if len(Of(release).Types(service, "InferenceService").All()) != 1 {
			t.Errorf("%s: it does not have the types of the release next to it", release)
		}
	}
	if types := Of(transform.Release{0, 15, 2}).Types(runtime, "LLMInferenceService"); types != nil {
		t.Errorf("0.15.2 has LLMInferenceServices: %v", types.All())
	}
	if types := Of(Releases()...).Types("v1", "Pod"); types != nil {
		t.Errorf("Pods are of KServe: %v", types.All())
	}
}

func TestWalk(t *testing.T) {
	tree, err := yamldoc.Parse([]byte(`
base: &base {limits: {cpu: 1}}
spec:
  predictor:
    model:
      typo: {below: 1}
      resources: *base
    containers:
      - <<: {image: a}
        args: [b]
`))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	Of(Releases()...).Types(service, "InferenceService").Walk(nil, tree.Root,
		func(at *yamldoc.Trail, _ *yamldoc.Node, f Field) {
			got = append(got, at.Path().String())
		})
	want := []string{
		"base", "spec", "spec.predictor", "spec.predictor.model", "spec.predictor.model.typo",
		"spec.predictor.model.resources", "spec.predictor.model.resources.limits",
		"spec.predictor.model.resources.limits.cpu", "spec.predictor.containers", "spec.predictor.containers[0]",
		"spec.predictor.containers[0].args", "spec.predictor.containers[0].args[0]",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// BenchmarkLoad measures what the first use costs, apart from the objects that are read when they are needed.
func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		load()
	}
}

// BenchmarkObjects measures what reading all objects costs.
func BenchmarkObjects(b *testing.B) {
	c := load()
	for b.Loop() {
		for i := range c.objects {
			c.objects[i].read()
		}
	}
}
