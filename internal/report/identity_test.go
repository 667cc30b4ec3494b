package report_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/golden"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve/kservetest"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/report"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/rules"
)

// known is what is set about the cluster, in the order in which a repository may come to it.
var known = []rules.Options{
	{KServeVersion: "unknown"},
	{KServeVersion: "unknown", DefaultDeploymentMode: "Standard"},
	{KServeVersion: "0.19.0", DefaultDeploymentMode: "Standard"},
	{KServeVersion: "0.20.0", DefaultDeploymentMode: "Standard"},
}

func about(i int) string { return known[i].KServeVersion + " " + known[i].DefaultDeploymentMode }

// sample is what check reports of a case or an example, for each of known.
type sample struct {
	name     string
	problems [][]transform.Finding
}

// TestSamples checks what reports have of all cases and examples, and of the manifests of KServe in the module cache.
func TestSamples(t *testing.T) {
	all := slices.Concat(caseSamples(t), exampleSamples(t), publishedSamples(t))
	t.Run("identity", func(t *testing.T) { checkIdentity(t, all) })
	t.Run("out of sync", func(t *testing.T) { checkOutOfSync(t, all) })
	t.Run("one per object", func(t *testing.T) { checkOnePerObject(t, all) })
}

func caseSamples(t *testing.T) []sample {
	t.Helper()
	suite := golden.Suite(filepath.Join("..", "..", "testdata", "rules"))
	cases, err := suite.Find(false)
	if err != nil {
		t.Fatal(err)
	}
	var all []sample
	for _, c := range cases {
		files, config, err := suite.Open(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, newSample(t, c.Name, files, config))
	}
	return all
}

// exampleSamples leaves out the charts, which internal/chart renders in a program of its own.
func exampleSamples(t *testing.T) []sample {
	t.Helper()
	top, err := filepath.Abs(filepath.Join("..", "..", "examples"))
	if err != nil {
		t.Fatal(err)
	}
	var all []sample
	err = fs.WalkDir(os.DirFS(top), ".", func(path string, _ fs.DirEntry, err error) error {
		dir := filepath.Join(top, filepath.Dir(path))
		if _, chart := os.Stat(filepath.Join(dir, "Chart.yaml")); err != nil || filepath.Base(path) != "expected.diff" ||
			chart == nil {
			return err
		}
		source, err := render.Render(t.Context(), dir, render.Options{
			Source: "auto", Root: top, RootLocked: true, Dir: top, MaxInput: 1 << 20, Recurse: true,
			Include: "{*.yaml,*.yml,*.json}", Getenv: func(string) string { return "" },
		})
		if err != nil {
			return err
		}
		all = append(all, newSample(t, path, source.Files, transform.Config{}))
		return nil
	})
	if err != nil || len(all) < 8 {
		t.Fatal(len(all), err)
	}
	return all
}

// publishedSamples leaves out what is no manifest, such as the templates of charts.
func publishedSamples(t *testing.T) []sample {
	t.Helper()
	var all []sample
	for name, manifest := range kservetest.Manifests(t) {
		files := []transform.File{{Path: "sample.yaml", Data: manifest.Data}}
		if s, err := trySample(t, name, files, transform.Config{}); err == nil {
			all = append(all, s)
		}
	}
	t.Logf("%d manifests of KServe are in the module cache", len(all))
	return all
}

func newSample(t *testing.T, name string, files []transform.File, own transform.Config) sample {
	t.Helper()
	s, err := trySample(t, name, files, own)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return s
}

// trySample returns an error if the files cannot be read.
func trySample(t *testing.T, name string, files []transform.File, own transform.Config) (sample, error) {
	t.Helper()
	s := sample{name: name}
	for _, options := range known {
		options.Namespace = own.Namespace
		config, _, err := options.Config()
		if err != nil {
			t.Fatal(err)
		}
		config.Previous = own.Previous
		result, err := transform.Run(t.Context(), files, config)
		if err != nil {
			return s, err
		}
		s.problems = append(s.problems, result.Problems())
	}
	return s, nil
}

func baseline(t *testing.T, findings []transform.Finding) *report.Baseline {
	t.Helper()
	var b bytes.Buffer
	if err := report.WriteBaseline(&b, report.Report{Findings: findings}); err != nil {
		t.Fatal(err)
	}
	read, err := report.ReadBaseline(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return read
}

// checkIdentity checks over all samples that no two findings about an object are taken for one, and that a baseline
// stays valid when kserve-version is set, when KServe is upgraded and when messages and lines change: a finding that
// was there is accepted, and none has moved to another path.
func checkIdentity(t *testing.T, all []sample) {
	t.Helper()
	accepted, upgraded := 0, 0
	for _, s := range all {
		for i, before := range s.problems {
			type place struct {
				object *transform.Object
				id     transform.Identity
			}
			seen := map[place]string{}
			for _, f := range before {
				at := place{f.Object, f.Identity()}
				if other, twice := seen[at]; twice {
					t.Errorf("%s, %s: %s is two findings: give one a Category\n %s\n %s",
						s.name, about(i), at.id, other, f.Message)
				}
				seen[at] = f.Message
			}
			reworded := slices.Clone(before)
			for i := range reworded {
				reworded[i].Message, reworded[i].Unrepaired, reworded[i].Line = "in other words", "", reworded[i].Line+7
			}
			open, same, unused := baseline(t, before).Accept(reworded, nil)
			if len(open)+len(unused) > 0 {
				t.Errorf("%s, %s: reworded: open %v, unused %v", s.name, about(i), open, unused)
			}
			accepted += len(same)
			for j, after := range s.problems[i+1:] {
				open, same, unused := baseline(t, before).Accept(after, nil)
				upgraded += len(same)
				for _, f := range open {
					is := f.Identity()
					for _, was := range before {
						id := was.Identity()
						gone := slices.Contains(unused, id.String())
						if id.Path = is.Path; gone && id == is {
							t.Errorf("%s: %s (%s) was %s with %s: %s",
								s.name, is, about(i+1+j), was.Identity(), about(i), f.Message)
						}
					}
				}
			}
		}
	}
	t.Logf("%d findings are the same with another message, and %d with other facts", accepted, upgraded)
	if accepted < 1000 || upgraded < 1000 {
		t.Errorf("%d and %d findings are too few to show anything", accepted, upgraded)
	}
}

// checkOutOfSync checks that what Argo CD only shows as OutOfSync is never an error.
func checkOutOfSync(t *testing.T, all []sample) {
	t.Helper()
	for _, s := range all {
		for _, f := range slices.Concat(s.problems...) {
			if f.AsStored && f.Severity == transform.Error {
				t.Errorf("%s: %s", s.name, f)
			}
		}
	}
}

// checkOnePerObject checks that rules which put places together report an object once, unless only some are repaired.
func checkOnePerObject(t *testing.T, all []sample) {
	t.Helper()
	joined := 0
	for _, s := range all {
		for _, problems := range s.problems {
			type of struct {
				rule     *transform.Rule
				object   *transform.Object
				repaired bool
			}
			seen := map[of]bool{}
			for _, f := range problems {
				if id := f.Rule.ID; f.Rule.Together != slices.Contains([]string{"KS602", "KS603", "KS610"}, id) {
					t.Fatal(id)
				}
				if f.Rule.Enriches {
					t.Errorf("%s: %s is no problem", s.name, f)
				}
				if !f.Rule.Together && f.Rule.ID != "KS611" {
					continue
				}
				at := of{f.Rule, f.Object, f.Repaired()}
				if seen[at] {
					t.Errorf("%s: again: %s", s.name, f)
				}
				seen[at] = true
				joined += len(f.Also)
			}
		}
	}
	if joined == 0 {
		t.Error("nothing is joined")
	}
}
