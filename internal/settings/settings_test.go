package settings

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

var update = flag.Bool("update", false, "rewrite the generated part of docs/settings.md")

// load reads settings as a command would; the file is the text of .argocd-kserve-plugin.yaml.
func load(t *testing.T, args []string, environ []string, file string) (*Settings, error) {
	t.Helper()
	dir := t.TempDir()
	if file != "" {
		if err := os.WriteFile(filepath.Join(dir, FileName), []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	set := pflag.NewFlagSet("test", pflag.ContinueOnError)
	flags := Bind(set)
	if err := set.Parse(args); err != nil {
		t.Fatal(err)
	}
	return Load(Sources{Flags: flags, Environ: environ, Dir: dir, Shown: "."})
}

func effective(s *Settings, name string) string {
	i := slices.IndexFunc(Table, func(row Setting) bool { return row.Name == name })
	v := s.Values()[i]
	return v.Text + " from " + v.From
}

const parameters = `ARGOCD_APP_PARAMETERS=`

func TestPrecedence(t *testing.T) {
	const (
		asFlag      = "--probes=tcp"
		asVariable  = "ARGOCD_KSERVE_PLUGIN_PROBES=tcp"
		asParameter = parameters + `[{"name":"probes","string":"always"}]`
		asPluginEnv = "ARGOCD_ENV_KSERVE_PLUGIN_PROBES=never"
		asFile      = "probes: always\n"
	)
	for _, tt := range []struct {
		name    string
		args    []string
		environ []string
		file    string
		want    string
	}{
		{"nothing", nil, nil, "", "auto from default"},
		{"file", nil, nil, asFile, "always from .argocd-kserve-plugin.yaml:1:9: probes"},
		{"plugin env over file", nil, []string{asPluginEnv}, asFile, "never from environment variable ARGOCD_ENV_KSERVE_PLUGIN_PROBES"},
		{"parameter over plugin env", nil, []string{asPluginEnv, asParameter}, asFile, "always from parameter probes in ARGOCD_APP_PARAMETERS"},
		{"variable alone", nil, []string{asVariable}, "", "tcp from environment variable ARGOCD_KSERVE_PLUGIN_PROBES"},
		{"flag over variable", []string{asFlag}, []string{"ARGOCD_KSERVE_PLUGIN_PROBES=never"}, "", "tcp from flag --probes"},
		{"the last flag", []string{"--probes=never", asFlag}, nil, "", "tcp from flag --probes"},
		{"a lower level may repeat a locked value", []string{asFlag}, []string{parameters + `[{"name":"probes","string":"tcp"}]`}, "probes: tcp\n", "tcp from flag --probes"},
		{"empty is unset", []string{"--probes="}, []string{"ARGOCD_KSERVE_PLUGIN_PROBES=", "ARGOCD_ENV_KSERVE_PLUGIN_PROBES= ", parameters + `[{"name":"probes","string":""}]`}, "probes:\n", "auto from default"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, err := load(t, tt.args, tt.environ, tt.file)
			if err != nil {
				t.Fatal(err)
			}
			if got := effective(s, "probes"); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestLock(t *testing.T) {
	for _, tt := range []struct {
		name    string
		args    []string
		environ []string
		file    string
		want    string // in the error
	}{
		{"variable against parameter", nil, []string{"ARGOCD_KSERVE_PLUGIN_PROBES=tcp", parameters + `[{"name":"probes","string":"never"}]`}, "",
			`parameter probes in ARGOCD_APP_PARAMETERS: "never" differs from "tcp", to which the sidecar's environment variable ARGOCD_KSERVE_PLUGIN_PROBES locks it`},
		{"flag against plugin env", []string{"--allow-empty"}, []string{"ARGOCD_ENV_KSERVE_PLUGIN_ALLOW_EMPTY=false"}, "",
			`environment variable ARGOCD_ENV_KSERVE_PLUGIN_ALLOW_EMPTY: "false" differs from "true", to which the sidecar's flag --allow-empty locks it`},
		{"flag against file", []string{"--rules=KS201"}, nil, "rules: [KS201, KS301]\n",
			`.argocd-kserve-plugin.yaml:1:8: rules: "KS201 KS301" differs from "KS201"`},
		{"two levels at once", nil, []string{"ARGOCD_KSERVE_PLUGIN_TIMEOUT=45s", "ARGOCD_ENV_KSERVE_PLUGIN_TIMEOUT=1m"}, "timeout: 2m\n",
			`.argocd-kserve-plugin.yaml:1:10: timeout: "2m0s" differs from "45s"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := load(t, tt.args, tt.environ, tt.file)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

// Different spellings of one value do not contradict each other.
func TestLockComparesMeaning(t *testing.T) {
	for _, tt := range [][2]string{
		{"--kserve-version=v0.15.2", "kserve-version: 0.15.2\n"},
		{"--default-deployment-mode=Standard", "default-deployment-mode: RawDeployment\n"},
		{"--timeout=60s", "timeout: 1m\n"},
		{"--max-input=1GiB", "max-input: 1024 MiB\n"},
		{"--rules=KS201,KS301", "rules: [KS201, KS301]\n"},
		{"--rules=all", "rules: []\n"},
	} {
		if _, err := load(t, tt[:1], nil, tt[1]); err != nil {
			t.Errorf("%s and %q: %v", tt[0], tt[1], err)
		}
	}
}

func TestParameters(t *testing.T) {
	for _, tt := range []struct {
		value   string
		setting string
		want    string // the effective value, or part of the error
	}{
		{``, "probes", "auto from default"},
		{`null`, "probes", "auto from default"},
		{`[]`, "probes", "auto from default"},
		{`[{"name":"probes","string":"tcp"}]`, "probes", "tcp from"},
		{`[{"name":"probes"}]`, "probes", "auto from default"},
		{`[{"name":"probes","array":[]}]`, "probes", "auto from default"},
		{`[{"name":"probes","array":["tcp"]}]`, "probes", "tcp from"},
		{`[{"name":"probes","array":["tcp","auto"]}]`, "", "takes one value, not a list of 2"},
		{`[{"name":"rules","string":"KS201 -KS301"}]`, "rules", "KS201 -KS301 from"},
		{`[{"name":"rules","array":["-KS301",""]}]`, "rules", "-KS301 from"},
		{`[{"name":"rules","map":{"KS201":"off"}}]`, "", "parameter rules in ARGOCD_APP_PARAMETERS: a map was given; it takes a list of rule IDs"},
		{`[{"name":"rules","map":{}}]`, "rules", "all from default"},
		{`[{"name":"rules","string":"KS201","array":["KS301"]}]`, "", "has several of string, array and map"},
		{`[{"name":"probes","string":"tcp"},{"name":"probes","string":"auto"}]`, "", "given twice"},
		{`[{"name":"probe","string":"tcp"}]`, "", `ARGOCD_APP_PARAMETERS: unknown setting "probe"; did you mean probes? the settings are kserve-version, argocd-version,`},
		{`{"probes":"tcp"}`, "", "ARGOCD_APP_PARAMETERS: not a JSON array of parameters"},
		{`[{"name":"directory-include","string":"{a,b}/*.yaml *.yml"}]`, "directory-include", "{a,b}/*.yaml *.yml from"},
	} {
		s, err := load(t, nil, []string{parameters + tt.value}, "")
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = effective(s, tt.setting)
		}
		if !strings.Contains(got, tt.want) {
			t.Errorf("%s: got %q, want %q", tt.value, got, tt.want)
		}
	}
}

func TestFaults(t *testing.T) {
	for _, tt := range []struct {
		name    string
		args    []string
		environ []string
		file    string
		want    []string // one line of the error each
	}{
		{"unknown names", nil, []string{"ARGOCD_KSERVE_PLUGIN_PROBE=tcp", "ARGOCD_ENV_KSERVE_PLUGIN_KSERVEVERSION=0.15.2"}, "root_folder: x\n", []string{
			`environment variable ARGOCD_KSERVE_PLUGIN_PROBE: unknown setting "probe"; did you mean probes?`,
			`environment variable ARGOCD_ENV_KSERVE_PLUGIN_KSERVEVERSION: unknown setting "kserveversion"; did you mean kserve-version?`,
			`.argocd-kserve-plugin.yaml:1:1: unknown setting "root_folder"; the settings are`,
		}},
		{"values", []string{"--probes=sometimes", "--timeout=soon", "--max-input=0", "--namespace=Not_One"},
			[]string{"ARGOCD_KSERVE_PLUGIN_KSERVE_VERSION=0.9.0"}, "rules: KS1\nprogress-deadline-seconds: -3\ndefault-deployment-mode: raw\n", []string{
				`flag --probes: "sometimes" is not one of auto, always, tcp, never`,
				`flag --timeout: "soon" is not a duration such as 45s or 2m`,
				`flag --max-input: "0" is not a number of bytes`,
				`flag --namespace: "Not_One" is not the name of a namespace`,
				`environment variable ARGOCD_KSERVE_PLUGIN_KSERVE_VERSION: 0.9.0 is too old`,
				`.argocd-kserve-plugin.yaml:1:8: rules: "KS1" is no rule; the rules are`,
				`.argocd-kserve-plugin.yaml:2:28: progress-deadline-seconds: "-3" is not a positive number or none`,
				`.argocd-kserve-plugin.yaml:3:26: default-deployment-mode: "raw" is not Standard, Knative, ModelMesh or unknown`,
			}},
		{"file with a map", nil, nil, "probes:\n  a: b\n", []string{`.argocd-kserve-plugin.yaml:2:3: probes: takes auto, always, tcp, never`}},
		{"file that is a list", nil, nil, "# mine\n- probes\n", []string{`.argocd-kserve-plugin.yaml:2:1: want a mapping of settings`}},
		{"file with two documents", nil, nil, "probes: tcp\n---\nrules: all\n", []string{`.argocd-kserve-plugin.yaml:3:1: a second document`}},
		{"file with a key twice", nil, nil, "probes: tcp\nprobes: auto\n", []string{`.argocd-kserve-plugin.yaml:2:1: `}},
		{"file with bad syntax", nil, nil, "probes: [tcp\n", []string{`.argocd-kserve-plugin.yaml:`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := load(t, tt.args, tt.environ, tt.file)
			if err == nil {
				t.Fatal("no error")
			}
			lines := strings.Split(err.Error(), "\n")
			if len(lines) != len(tt.want) {
				t.Errorf("%d lines, want %d: %v", len(lines), len(tt.want), err)
			}
			for _, want := range tt.want {
				if !slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, want) }) {
					t.Errorf("got %v, want %q", err, want)
				}
			}
		})
	}
}

// Everything that Argo CD, Kubernetes and a user's shell put in the environment is none of our business.
func TestOtherVariables(t *testing.T) {
	s, err := load(t, nil, []string{
		"KUBE_VERSION=1.29+", "ARGOCD_APP_NAME=app", "ARGOCD_ENV_OTHER=x", "PARAM_PROBES=tcp", "PROBES=tcp",
		"ARGOCD_KSERVE_PLUGIN_SERVICE_HOST=10.0.0.1", "ARGOCD_KSERVE_PLUGIN_SERVICE_PORT_HTTP=80",
		"ARGOCD_KSERVE_PLUGIN_PORT=tcp://10.0.0.1:80", "ARGOCD_KSERVE_PLUGIN_PORT_80_TCP_ADDR=10.0.0.1",
		"ARGOCD_APP_NAMESPACE=ml",
	}, "")
	if err != nil {
		t.Fatal(err)
	}
	if got := effective(s, "namespace"); got != "ml from ARGOCD_APP_NAMESPACE" {
		t.Error(got)
	}
	if got := effective(s, "probes"); got != "auto from default" {
		t.Error(got)
	}
}

func TestFileOutsideTheFolder(t *testing.T) {
	dir := t.TempDir()
	outside := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(outside, []byte("password: x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, FileName)); err != nil {
		t.Fatal(err)
	}
	_, err := Load(Sources{Flags: Bind(pflag.NewFlagSet("test", pflag.ContinueOnError)), Dir: dir, Shown: "app"})
	if err == nil || !strings.HasPrefix(err.Error(), "app/.argocd-kserve-plugin.yaml: ") || strings.Contains(err.Error(), "password") {
		t.Error(err)
	}
}

// Every default is a value its own row accepts, and gives the documented effective value.
func TestDefaults(t *testing.T) {
	s, err := load(t, nil, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range s.Values() {
		row := Table[i]
		want := row.Default + row.Unset
		if v.Text != want || v.From != "default" || v.Locked {
			t.Errorf("%+v, want %q", v, want)
		}
		if row.Default != "" && row.Unset != "" {
			t.Errorf("%s has two defaults", row.Name)
		}
	}
}

func TestAnnouncements(t *testing.T) {
	s, err := load(t, []string{"--kserve-version=0.15.2"}, []string{"ARGOCD_KSERVE_PLUGIN_ROOT=/repo"}, "probes: tcp\n")
	if err != nil {
		t.Fatal(err)
	}
	list := s.Announcements()
	if len(list) != len(Table)-2 {
		t.Errorf("%d announcements for %d settings, of which 2 are locked", len(list), len(Table))
	}
	text, err := json.Marshal(list[2:4])
	if err != nil {
		t.Fatal(err)
	}
	want := `[{"name":"namespace","title":"Namespace","tooltip":"Namespace of the manifests that name none. Accepts a namespace. Default: ARGOCD_APP_NAMESPACE.","collectionType":"string"},` +
		`{"name":"rules","title":"Rules","tooltip":"Rules to run; IDs with a leading - are left out, other IDs are the only ones run. Accepts a list of rule IDs such as KS101 or -KS301. Default: all.","collectionType":"array"}]`
	if string(text) != want {
		t.Errorf(" got %s\nwant %s", text, want)
	}
}

func TestDocumentation(t *testing.T) {
	const path, begin, end = "../../docs/settings.md", "<!-- settings: begin -->\n", "<!-- settings: end -->\n"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has lost its markers", path)
	}
	want := before + begin + Markdown() + end + after
	if want == string(text) {
		return
	}
	if !*update {
		t.Fatalf("the table in %s is not that of the code; go test -update rewrites it", path)
	}
	if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}
