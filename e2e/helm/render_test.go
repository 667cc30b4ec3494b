package helm

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/version"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/manifests"
)

// helm returns the command line that Argo CD gives helm (util/helm/cmd.go@v3.5.7), run in the folder of the chart.
func (o Options) helm(t *testing.T, chart string) []string {
	t.Helper()
	o = o.Defaults()
	kubernetes, err := version.ParseGeneric(o.KubeVersion) // Argo CD takes the distribution's part away
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"template", ".", "--name-template", o.Release, "--namespace", o.Namespace,
		"--kube-version", kubernetes.String()}
	for _, file := range o.Files {
		if _, err := os.Stat(filepath.Join(chart, file)); err != nil && o.IgnoreMissingFiles {
			continue
		}
		args = append(args, "--values", file)
	}
	if o.Values != "" {
		inline := filepath.Join(folder(t), "inline.yaml")
		if err := os.WriteFile(inline, []byte(o.Values), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, "--values", inline)
	}
	for _, parameter := range slices.Concat(
		flagged("--set", o.Set), flagged("--set-string", o.SetString), flagged("--set-file", o.SetFile),
	) {
		args = append(args, parameter.flag, parameter.name+"="+escaped(parameter.value))
	}
	for _, version := range o.APIVersions {
		args = append(args, "--api-versions", version)
	}
	for flag, on := range map[string]bool{
		"--include-crds": !o.SkipCRDs, "--skip-tests": o.SkipTests, "--skip-schema-validation": o.SkipSchemaValidation,
	} {
		if on {
			args = append(args, flag)
		}
	}
	return args
}

type parameter struct{ flag, name, value string }

func flagged(flag string, parameters Params) (all []parameter) {
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

// noRules are settings with which the plugin changes nothing: the only rule is about deletion.
const noRules = "--rules=KS911"

// plugin returns the plugin's command line for the same.
func (o Options) plugin() []string {
	o = o.Defaults()
	args := []string{"generate", noRules, "--allow-empty", "--source=helm", "--helm-release-name=" + o.Release,
		"--namespace=" + o.Namespace, "--helm-kube-version=" + o.KubeVersion}
	flag := func(name, value string) {
		if value != "" {
			args = append(args, "--helm-"+name+"="+value)
		}
	}
	flag("api-versions", strings.Join(o.APIVersions, ","))
	flag("values-files", strings.Join(o.Files, ","))
	flag("values", o.Values)
	flag("parameters", Lines(o.Set))
	flag("string-parameters", Lines(o.SetString))
	flag("file-parameters", Lines(o.SetFile))
	for name, on := range map[string]bool{
		"skip-crds": o.SkipCRDs, "skip-tests": o.SkipTests, "skip-schema-validation": o.SkipSchemaValidation,
		"ignore-missing-values-files": o.IgnoreMissingFiles,
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
	objects, err := manifests.Decode(stdout.Bytes())
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

func byHelm(t *testing.T, helm, chart string, o Options) rendered {
	t.Helper()
	return run(t, chart, helm, o.helm(t, chart))
}

func byPlugin(t *testing.T, chart string, o Options) rendered {
	t.Helper()
	return run(t, chart, plugin, o.plugin())
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
