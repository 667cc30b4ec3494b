package helm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apimachinery/pkg/util/yaml"
	sigsyaml "sigs.k8s.io/yaml"
)

// options are what a chart is rendered with. Paths of files are relative to the chart.
type options struct {
	release, namespace   string
	kubeVersion          string
	apiVersions          []string
	files                []string
	values               string
	set, setString       params
	setFile              params // to paths
	skipCRDs, skipTests  bool
	skipSchemaValidation bool
	ignoreMissingFiles   bool // helm knows no such flag: the files that are there are given to it
}

// defaults are what a render has that says nothing else. Argo CD always gives a version of Kubernetes.
func (o options) defaults() options {
	if o.release == "" {
		o.release = "demo"
	}
	if o.namespace == "" {
		o.namespace = "models"
	}
	if o.kubeVersion == "" {
		o.kubeVersion = "1.34.4"
	}
	return o
}

// helm returns the command line that Argo CD gives helm (util/helm/cmd.go@v3.5.7), run in the folder of the chart.
func (o options) helm(t *testing.T, chart string) []string {
	t.Helper()
	o = o.defaults()
	kubernetes, err := version.ParseGeneric(o.kubeVersion) // Argo CD takes the distribution's part away
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"template", ".", "--name-template", o.release, "--namespace", o.namespace,
		"--kube-version", kubernetes.String()}
	for _, file := range o.files {
		if _, err := os.Stat(filepath.Join(chart, file)); err != nil && o.ignoreMissingFiles {
			continue
		}
		args = append(args, "--values", file)
	}
	if o.values != "" {
		inline := filepath.Join(folder(t), "inline.yaml")
		if err := os.WriteFile(inline, []byte(o.values), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, "--values", inline)
	}
	for _, parameter := range slices.Concat(
		flagged("--set", o.set), flagged("--set-string", o.setString), flagged("--set-file", o.setFile),
	) {
		args = append(args, parameter.flag, parameter.name+"="+escaped(parameter.value))
	}
	for _, version := range o.apiVersions {
		args = append(args, "--api-versions", version)
	}
	for flag, on := range map[string]bool{
		"--include-crds": !o.skipCRDs, "--skip-tests": o.skipTests, "--skip-schema-validation": o.skipSchemaValidation,
	} {
		if on {
			args = append(args, flag)
		}
	}
	return args
}

type params = map[string]string

type parameter struct{ flag, name, value string }

func flagged(flag string, parameters map[string]string) (all []parameter) {
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		all = append(all, parameter{flag, name, parameters[name]})
	}
	return all
}

// escaped is a value as Argo CD gives it to helm: only in a list do commas separate (cleanSetParameters in
// util/helm/cmd.go@v3.5.7).
func escaped(value string) string {
	if strings.HasPrefix(value, "{") && strings.HasSuffix(value, "}") {
		return value
	}
	var b strings.Builder
	for i := range len(value) {
		if value[i] == ',' && (i == 0 || value[i-1] != '\\') {
			b.WriteByte('\\')
		}
		b.WriteByte(value[i])
	}
	return b.String()
}

// lines writes a map as the plugin's flags take it.
func lines(parameters map[string]string) string {
	var all []string
	for _, p := range flagged("", parameters) {
		all = append(all, p.name+"="+p.value)
	}
	return strings.Join(all, "\n")
}

// noRules are settings with which the plugin changes nothing: the only rule is about deletion.
const noRules = "--rules=KS911"

// plugin returns the plugin's command line for the same.
func (o options) plugin() []string {
	o = o.defaults()
	args := []string{"generate", noRules, "--allow-empty", "--source=helm", "--helm-release-name=" + o.release,
		"--namespace=" + o.namespace, "--helm-kube-version=" + o.kubeVersion}
	flag := func(name, value string) {
		if value != "" {
			args = append(args, "--helm-"+name+"="+value)
		}
	}
	flag("api-versions", strings.Join(o.apiVersions, ","))
	flag("values-files", strings.Join(o.files, ","))
	flag("values", o.values)
	flag("parameters", lines(o.set))
	flag("string-parameters", lines(o.setString))
	flag("file-parameters", lines(o.setFile))
	for name, on := range map[string]bool{
		"skip-crds": o.skipCRDs, "skip-tests": o.skipTests, "skip-schema-validation": o.skipSchemaValidation,
		"ignore-missing-values-files": o.ignoreMissingFiles,
	} {
		if on {
			args = append(args, "--helm-"+name)
		}
	}
	return append(args, ".")
}

// rendered is what a program says about a chart: its objects, or an error.
type rendered struct {
	objects []string // as JSON with sorted keys, in the order of the output
	warned  string
	err     string
}

// run runs a program in a folder. The environment has nothing that a program could read of this machine.
func run(t *testing.T, dir, program string, args []string) rendered {
	t.Helper()
	home := folder(t)
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Dir = dir
	cmd.Env = []string{"HOME=" + home, "TMPDIR=" + home, "KUBECONFIG=" + filepath.Join(home, "none")}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && stderr.Len() > 0 {
		if program == plugin && stdout.Len() > 0 {
			t.Errorf("an error with %d bytes on standard output", stdout.Len())
		}
		return rendered{err: stderr.String()}
	}
	if err != nil {
		t.Fatalf("%s %s: %v: %s", program, strings.Join(args, " "), err, &stderr)
	}
	objects, err := decode(stdout.Bytes())
	if err != nil {
		return rendered{err: fmt.Sprintf("no Kubernetes objects: %v", err)}
	}
	return rendered{objects: objects, warned: stderr.String()}
}

// folder returns a new folder. Its path has no comma, as that of t.TempDir may have, which helm takes for a separator.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "helm")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func byHelm(t *testing.T, helm, chart string, o options) rendered {
	t.Helper()
	return run(t, chart, helm, o.helm(t, chart))
}

func byPlugin(t *testing.T, chart string, o options) rendered {
	t.Helper()
	return run(t, chart, plugin, o.plugin())
}

// decode returns the objects of a stream as Argo CD reads them: Kubernetes' decoder, without empty documents.
func decode(stream []byte) (objects []string, err error) {
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(stream), 4096)
	for {
		var document json.RawMessage
		err := decoder.Decode(&document)
		if errors.Is(err, io.EOF) {
			return objects, nil
		}
		if err != nil {
			return nil, err
		}
		if len(document) == 0 || string(document) == "null" {
			continue
		}
		object, err := sorted(document)
		if err != nil {
			return nil, err
		}
		objects = append(objects, object)
	}
}

func sorted(document []byte) (string, error) {
	data, err := sigsyaml.YAMLToJSON(document)
	if err != nil {
		return "", err
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return "", err
	}
	object, err := json.Marshal(value)
	return string(object), err
}

// differences returns what of b is not as in a, "" if all is equal. An object's first bytes name it.
func differences(a, b rendered) string {
	switch {
	case (a.err == "") != (b.err == ""):
		return fmt.Sprintf("errors %q and %q", a.err, b.err)
	case slices.Equal(a.objects, b.objects):
		return ""
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%d objects and %d", len(a.objects), len(b.objects))
	for i := range max(len(a.objects), len(b.objects)) {
		left, right := at(a.objects, i), at(b.objects, i)
		if left != right {
			start := 0
			for start < min(len(left), len(right)) && left[start] == right[start] {
				start++
			}
			fmt.Fprintf(&text, "\nobject %d, byte %d\n%s\n%s", i, start, around(left, start), around(right, start))
		}
	}
	return text.String()
}

// around returns the text at an offset, with what is before and behind it.
func around(text string, offset int) string {
	return text[max(0, offset-60):min(len(text), offset+120)]
}

func at(objects []string, i int) string {
	if i < len(objects) {
		return objects[i]
	}
	return "none"
}
