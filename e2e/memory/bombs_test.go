package memory

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// bomb is an application, or a health check, of a few KiB that takes more memory than there is, or would do so for a
// program that reads it in another way.
type bomb struct {
	name  string
	files map[string]string
	args  []string // of the command
	code  int      // that it exits with

	// script is one of sh that writes what would be too large for files: what the test holds when it starts the plugin
	// counts as memory of the plugin.
	script string
}

var (
	generate = []string{"generate"}
	lint     = []string{"health", "lint", "health.lua"}
)

const (
	unchanged = 0 // aliases stay aliases
	reported  = 1
	failed    = 2
	either    = -1 // reported or failed, by which limit comes first
)

const chart = "apiVersion: v2\nname: bomb\nversion: 1.0.0\n"

func template(name, text string) bomb {
	return bomb{name: "chart/" + name, files: map[string]string{"Chart.yaml": chart, "templates/a.yaml": text},
		args: generate, code: failed}
}

func script(name, text string) bomb {
	return bomb{name: "lua/" + name, files: map[string]string{"health.lua": text + "\nreturn {}"}, args: lint, code: failed}
}

// stopped returns a script that ends with an error of its own, which lint reports.
func stopped(name, text string) bomb {
	b := script(name, text)
	b.code = reported
	return b
}

func patched(name, patch string) bomb {
	return bomb{name: "kustomize/" + name, files: map[string]string{
		"cm.yaml":            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {a: [0123456789]}\n",
		"kustomization.yaml": "resources: [cm.yaml]\n" + patch,
	}, args: generate, code: failed}
}

func file(kind, name, text string, code int) bomb {
	return bomb{name: kind + "/" + name, files: map[string]string{"a." + kind: text}, args: generate, code: code}
}

// compared returns a ConfigMap argocd-cm with a check that Argo CD would run.
func compared(name, check string) bomb {
	return bomb{name: "compare/" + name, files: map[string]string{"cm.yaml": "apiVersion: v1\nkind: ConfigMap\n" +
		"metadata: {name: argocd-cm}\ndata:\n  resource.customizations.health.serving.kserve.io_InferenceService: |\n" +
		"    " + check + "\n    return {}\n"}, args: compare("cm.yaml"), code: failed}
}

func compare(file string) []string { return []string{"health", "config", "compare", file} }

func assess(file string) []string { return []string{"health", "assess", file} }

// wait waits as long as the other commands run. When that is over, it reports what is not healthy.
func wait(file string) []string {
	return []string{"health", "wait", "--timeout", timeout.String(), file, "models/iris"}
}

// services writes so many services, each of about 300 bytes.
const services = `seq -f '{"apiVersion":"serving.kserve.io/v1beta1","kind":"InferenceService",` +
	`"metadata":{"name":"iris-%%.0f","namespace":"models"},"spec":{"predictor":{"model":{"modelFormat":` +
	`{"name":"sklearn"}}}},"status":{"conditions":[{"type":"Ready","status":"True"}]}}%s' %d`

// written returns a bomb with the file that a script writes.
func written(name string, args func(string) []string, code int, script string) bomb {
	return bomb{name: name, args: args("input"), code: code, script: "(" + script + ") >input"}
}

const itself = `{{ $d := dict }}{{ $_ := set $d "a" $d }}{{ $_ := set $d "b" $d }}`

func bombs() []bomb {
	return []bomb{
		template("repeat", `{{ $x := repeat 120000000 "x" }}`+strings.Repeat("{{ $x }}", 20)),
		template("repeat once", `{{ repeat 3000000000 "x" }}`),
		template("width", `{{ range until 1000000 }}{{ printf "%1000000d" 1 }}{{ end }}`),
		template("indexed precision", `{{ range until 1000000 }}{{ printf "%.[1]*[2]d" 1000000 1 }}{{ end }}`),
		template("indent", `{{ $x := "a" }}{{ range until 40 }}{{ $x = indent 1000000 (cat $x "\n" $x) }}{{ end }}`),
		template("until", `{{ range until 100 }}{{ range until 1000000000 }}{{ . }}{{ end }}{{ end }}`),
		template("nested includes", `{{ define "a" }}{{ if lt (int .) 40 }}{{ include "a" (add1 .) }}{{ include "a" (add1 .) }}`+
			`{{ else }}`+strings.Repeat("x", 1000)+`{{ end }}{{ end }}{{ include "a" 0 }}`),
		template("endless include", `{{ define "a" }}{{ include "a" (list . .) }}{{ end }}{{ include "a" . }}`),
		template("toYaml of itself", itself+`{{ toYaml $d }}{{ toYamlPretty $d }}`),
		template("print of itself", itself+`{{ print $d }}`),
		template("deepCopy of itself", itself+`{{ deepCopy $d }}`),
		template("toJson", `{{ $d := dict }}{{ range until 40 }}{{ $d = dict "a" $d "b" $d }}{{ end }}{{ toJson $d }}`),
		template("regex", `{{ $x := repeat 100000 "a" }}{{ regexReplaceAll "a" $x $x }}`),
		{name: "chart/tar", files: map[string]string{"Chart.yaml": chart, "charts/sub.tgz": archive(1 << 30)},
			args: generate, code: failed},
		file("yaml", "aliases", laughs(), unchanged),
		file("yaml", "deep", "a: "+strings.Repeat("[", 200_000), failed),
		file("yaml", "anchors", "kind: ConfigMap\napiVersion: v1\nmetadata: {name: a}\ndata:\n"+
			strings.Repeat("  ? &a [&b {}]\n  : *a\n", 2000), unchanged),
		file("json", "deep", strings.Repeat(`{"a":[`, 200_000), failed),
		{name: "kustomize/aliases", files: map[string]string{"kustomization.yaml": "resources: [a.yaml]", "a.yaml": laughs()},
			args: generate, code: failed},
		patched("copies", "patches:\n- target: {kind: ConfigMap}\n  patch: |\n"+
			strings.Repeat("    - {op: copy, from: /data/a, path: /data/a/-}\n", 40)),
		patched("replacements", "replacements:\n"+replacements(40)),
		script("concat", `local s = "x" while true do s = s .. s end`),
		script("table.concat", `local s = "x" while true do s = table.concat({s, s, s, s}) end`),
		script("gsub", `local s = string.rep("x", 1000) while true do s = string.gsub(s, ".", s) end`),
		script("format", `local s = "x" while true do s = string.format("%s%s%s", s, s, s) end`),
		stopped("rep", `local s = "x" while true do s = string.rep(s, 1000) end`),
		stopped("recursion", `local function f(a) return {f({a}), f({a})} end f({})`),
		compared("concat", `local s = "x" while true do s = s .. s end`),
		compared("gsub", `local s = string.rep("x", 1000) while true do s = string.gsub(s, ".", s) end`),
		{name: "compare/aliases", files: map[string]string{"cm.yaml": laughs()}, args: compare("cm.yaml"), code: failed},
		{name: "compare/endless", args: compare("/dev/zero"), code: failed},
		{name: "assess/endless", args: assess("/dev/zero"), code: failed},
		{name: "assess/aliases", files: map[string]string{"a.yaml": laughs()}, args: assess("a.yaml"), code: failed},
		written("assess/services", assess, failed, fmt.Sprintf(services, "", 400_000)),
		written("assess/list", assess, failed,
			`echo '{"kind":"List","apiVersion":"v1","items":['; `+fmt.Sprintf(services, ",", 400_000)+"; echo '{}]}'"),
		written("assess/YAML", assess, failed, "echo ---; "+fmt.Sprintf(services, "\n---", 400_000)),
		{name: "wait/endless", args: wait("/dev/zero"), code: failed},
		{name: "wait/aliases", files: map[string]string{"a.yaml": laughs()}, args: wait("a.yaml"), code: failed},
		written("wait/services", wait, either, fmt.Sprintf(services, "", 400_000)),
		written("wait/list", wait, either,
			`echo '{"kind":"List","apiVersion":"v1","items":['; `+fmt.Sprintf(services, ",", 400_000)+"; echo '{}]}'"),
		written("wait/YAML", wait, either, "echo ---; "+fmt.Sprintf(services, "\n---", 400_000)),
	}
}

// laughs returns a ConfigMap with ten to the power of twelve values, as aliases of lists of ten.
func laughs() string {
	var b strings.Builder
	b.WriteString("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n")
	items := strings.Repeat("x,", 10)
	for i := range 12 {
		fmt.Fprintf(&b, "  l%d: &l%d [%s]\n", i, i, items)
		items = strings.Repeat(fmt.Sprintf("*l%d,", i), 10)
	}
	return b.String()
}

// replacements returns n replacements, each of which copies all data into a new entry of the data.
func replacements(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "- source: {kind: ConfigMap, fieldPath: data}\n  targets:\n  - select: {kind: ConfigMap}\n"+
			"    fieldPaths: [data.c%d]\n    options: {create: true}\n", i)
	}
	return b.String()
}

// archive returns a chart in an archive with a file of zeros.
func archive(size int64) string {
	var b bytes.Buffer
	zipped := gzip.NewWriter(&b)
	packed := tar.NewWriter(zipped)
	must(packed.WriteHeader(&tar.Header{Name: "sub/Chart.yaml", Size: int64(len(chart)), Mode: 0o644}))
	_, err := io.WriteString(packed, chart)
	must(err)
	must(packed.WriteHeader(&tar.Header{Name: "sub/zeros", Size: size, Mode: 0o644}))
	_, err = io.CopyN(packed, zeros{}, size)
	must(err)
	must(packed.Close())
	must(zipped.Close())
	return b.String()
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// write writes the files of a bomb into a folder.
func (b bomb) write(ctx context.Context, dir string) error {
	if b.script != "" {
		cmd := exec.CommandContext(ctx, "sh", "-c", b.script)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
	}
	for name, text := range b.files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}
