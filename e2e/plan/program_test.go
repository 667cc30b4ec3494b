package plan

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/evidence"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/objects"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/toolchain"
)

// settings of the cluster that decide what KServe makes, as docs/plan.md has them.
var settings = []string{"ConfigMap", "ClusterServingRuntime", "ClusterStorageContainer", "LLMInferenceServiceConfig"}

// recorder is what plan starts in the place of a release's program: it keeps the answer, and gives it the next time.
const recorder = `#!/bin/sh
[ -s %[2]q ] || %[1]q >%[2]q && exec /bin/cat %[2]q
`

// prediction is what plan says of all cases.
type prediction struct {
	evidence.Answer                              // of the release's program
	plan            evidence.Plan                // as JSON
	manifests       []*unstructured.Unstructured // as YAML, after the change
}

// predict runs plan over all cases.
func (p *proof) predict() prediction {
	p.t.Helper()
	program, err := toolchain.Program(p.plugin.KServeVersion)
	if err != nil {
		p.t.Fatal(err)
	}
	dir := p.t.TempDir()
	recorded := filepath.Join(dir, "answer.json")
	script := fmt.Sprintf(recorder, program, recorded)
	if err := os.WriteFile(filepath.Join(dir, filepath.Base(program)), []byte(script), 0o755); err != nil {
		p.t.Fatal(err)
	}
	pl := p.plugin
	pl.Programs = dir
	before := files(p.t, filepath.Join(dir, "before"), p.cases, asIs)
	after := files(p.t, filepath.Join(dir, "after"), p.cases, asRepaired)
	print := func(format string) []byte {
		stdout, stderr, code := pl.Run(p.t, "plan", "--source=directory", "--without-repairs", "--cluster="+p.settings(dir),
			"--previous="+before, "-o", format, "--timeout=10m", "--max-memory=4Gi", after)
		if code > 1 {
			p.t.Fatalf("plan: exit %d: %s", code, stderr)
		}
		return []byte(stdout)
	}
	var made prediction
	if err := json.Unmarshal(print("json"), &made.plan); err != nil {
		p.t.Fatal(err)
	}
	data, err := os.ReadFile(recorded)
	if err != nil {
		p.t.Fatal(err)
	}
	if err := json.Unmarshal(data, &made.Answer); err != nil {
		p.t.Fatal(err)
	}
	if made.manifests, err = objects.Parse(print("yaml")); err != nil {
		p.t.Fatal(err)
	}
	return made
}

func asIs(c *planned) []*unstructured.Unstructured       { return c.before }
func asRepaired(c *planned) []*unstructured.Unstructured { return c.after }

// settings writes what the cluster has in KServe's namespace and what plan takes into account, as kubectl prints it.
func (p *proof) settings(dir string) string {
	p.t.Helper()
	found := slices.DeleteFunc(append(p.seen.In(""), p.seen.In("kserve")...), func(o map[string]any) bool {
		return !slices.Contains(settings, evidence.KeyOf(o).Kind)
	})
	data, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": found})
	if err != nil {
		p.t.Fatal(err)
	}
	path := filepath.Join(dir, "cluster.json")
	if err := os.WriteFile(path, data, 0o644); err != nil {
		p.t.Fatal(err)
	}
	return path
}

// unknown are the objects of kinds that plan does not have.
func (p *proof) unknown(of func(*planned) []*unstructured.Unstructured, places []int) (keys []evidence.Key) {
	var all []*unstructured.Unstructured
	for _, c := range p.cases {
		all = append(all, of(c)...)
	}
	for _, i := range places {
		keys = append(keys, evidence.KeyOf(all[i].Object))
	}
	return keys
}
