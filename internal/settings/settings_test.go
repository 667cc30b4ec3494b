package settings

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// update makes the tests write their golden files.
var update = os.Getenv("UPDATE_GOLDEN") != ""

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

const (
	parameters  = `ARGOCD_APP_PARAMETERS=`
	underArgoCD = "ARGOCD_APP_NAME=iris"
)

func TestPrecedence(t *testing.T) {
	const (
		asFlag      = "--probes=tcp"
		asVariable  = "ARGOCD_KSERVE_PLUGIN_PROBES=tcp"
		asParameter = parameters + `[{"name":"probes","string":"always"}]`
		asPluginEnv = "ARGOCD_ENV_KSERVE_PLUGIN_PROBES=never"
		asFile      = "probes: always\n"
	)
	for _, tc := range []struct {
		name    string
		args    []string
		environ []string
		file    string
		want    string
	}{
		{"nothing", nil, nil, "", "auto from default"},
		{"file", nil, nil, asFile, "always from .argocd-kserve-plugin.yaml:1:9: probes"},
		{"plugin env over file", nil, []string{asPluginEnv}, asFile,
			"never from environment variable ARGOCD_ENV_KSERVE_PLUGIN_PROBES"},
		{"parameter over plugin env", nil, []string{asPluginEnv, asParameter}, asFile,
			"always from parameter probes in ARGOCD_APP_PARAMETERS"},
		{"only a variable", nil, []string{asVariable}, "", "tcp from environment variable ARGOCD_KSERVE_PLUGIN_PROBES"},
		{"flag over variable", []string{asFlag}, []string{"ARGOCD_KSERVE_PLUGIN_PROBES=never"}, "",
			"tcp from flag --probes"},
		{"flag over file on a command line", []string{asFlag}, nil, asFile, "tcp from flag --probes"},
		{"flag over file, whatever the variable", []string{asFlag}, []string{"ARGOCD_KSERVE_PLUGIN_PROBES=never"}, asFile,
			"tcp from flag --probes"},
		{"the last flag", []string{"--probes=never", asFlag}, nil, "", "tcp from flag --probes"},
		{"a lower level may repeat a locked value", []string{asFlag},
			[]string{parameters + `[{"name":"probes","string":"tcp"}]`}, "probes: tcp\n", "tcp from flag --probes"},
		{"empty is unset", []string{"--probes="},
			[]string{"ARGOCD_KSERVE_PLUGIN_PROBES=", "ARGOCD_ENV_KSERVE_PLUGIN_PROBES= ",
				parameters + `[{"name":"probes","string":""}]`}, "probes:\n", "auto from default"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s, err := load(t, tc.args, tc.environ, tc.file)
			if err != nil {
				t.Fatal(err)
			}
			if got := effective(s, "probes"); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestLock(t *testing.T) {
	for _, tc := range []struct {
		name    string
		args    []string
		environ []string
		file    string
		want    string // in the error
	}{
		{"variable against parameter", nil,
			[]string{"ARGOCD_KSERVE_PLUGIN_PROBES=tcp", underArgoCD, parameters + `[{"name":"probes","string":"never"}]`}, "",
			`parameter probes in ARGOCD_APP_PARAMETERS: "never" conflicts with "tcp", locked by the sidecar's ` +
				`environment variable ARGOCD_KSERVE_PLUGIN_PROBES; remove it or change it there`},
		{"all rules against a rule left out", nil, []string{"ARGOCD_KSERVE_PLUGIN_RULES=all"}, "rules: -KS101\n",
			`.argocd-kserve-plugin.yaml:1:8: rules: "-KS101" conflicts with "all", locked by the ` +
				`environment variable ARGOCD_KSERVE_PLUGIN_RULES`},
		{"suppressions against parameter", nil,
			[]string{"ARGOCD_KSERVE_PLUGIN_SUPPRESSIONS=forbid", parameters + `[{"name":"suppressions","string":"allow"}]`},
			"",
			`parameter suppressions in ARGOCD_APP_PARAMETERS: "allow" conflicts with "forbid", locked by the ` +
				`environment variable ARGOCD_KSERVE_PLUGIN_SUPPRESSIONS`},
		{"the default root against a narrower one", nil, []string{"ARGOCD_KSERVE_PLUGIN_ROOT=found"}, "root: sub\n",
			`.argocd-kserve-plugin.yaml:1:7: root: "sub" conflicts with "found", locked by the ` +
				`environment variable ARGOCD_KSERVE_PLUGIN_ROOT`},
		{"flag against plugin env", []string{"--allow-empty"},
			[]string{"ARGOCD_ENV_KSERVE_PLUGIN_ALLOW_EMPTY=false", underArgoCD}, "",
			`environment variable ARGOCD_ENV_KSERVE_PLUGIN_ALLOW_EMPTY: "false" conflicts with "true", locked by ` +
				`the sidecar's flag --allow-empty; remove it or change it there`},
		{"flag against file", []string{"--rules=KS201"}, []string{underArgoCD}, "rules: [KS201, KS301]\n",
			`.argocd-kserve-plugin.yaml:1:8: rules: "KS201 KS301" conflicts with "KS201"`},
		{"two levels at once", nil, []string{"ARGOCD_KSERVE_PLUGIN_PROBES=tcp", "ARGOCD_ENV_KSERVE_PLUGIN_PROBES=auto"},
			"probes: never\n",
			`.argocd-kserve-plugin.yaml:1:9: probes: "never" conflicts with "tcp"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := load(t, tc.args, tc.environ, tc.file)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}

// About the cluster the sidecar is right. Each place that says otherwise is named, and stops nothing.
func TestFacts(t *testing.T) {
	for _, row := range Table {
		if !row.isFact {
			continue
		}
		value, other := "0.20.0", "0.19.0"
		if row.Name == "default-deployment-mode" {
			value, other = "Standard", "Knative"
		}
		variable, file := Variable(row.Name)+"="+value, row.Name+": "+other+"\n"
		s, err := load(t, nil, []string{underArgoCD, variable, parameters + `[{"name":"` + row.Name + `","string":"` + other + `"}]`}, file)
		if err != nil {
			t.Fatal(err)
		}
		if got := effective(s, row.Name); got != value+" from environment variable "+Variable(row.Name) {
			t.Errorf("%s: %s", row.Name, got)
		}
		for i, place := range []string{"parameter " + row.Name + " in ARGOCD_APP_PARAMETERS", FileName + ":1:"} {
			if len(s.Overruled) != 2 || !strings.HasPrefix(s.Overruled[i], place) ||
				!strings.Contains(s.Overruled[i], Variable(row.Name)+`, "`+value+`"`) {
				t.Errorf("%s: %q, want the place %s and the lock", row.Name, s.Overruled, place)
			}
		}
		s, err = load(t, nil, []string{variable}, file) // where there is no sidecar
		want := "the environment variable " + Variable(row.Name) + ` is "` + value + `", and wins; correct one of them`
		if err != nil || len(s.Overruled) != 1 || !strings.HasSuffix(s.Overruled[0], want) {
			t.Errorf("%s: %v, %q", row.Name, err, s.Overruled)
		}
		if s, err := load(t, nil, []string{variable}, row.Name+": "+value+"\n"); err != nil || s.Overruled != nil {
			t.Errorf("%s: the same value: %v, %v", row.Name, s, err)
		}
		s, err = load(t, nil, []string{underArgoCD, Variable(row.Name) + "=unknown"}, file)
		if err != nil || s.Overruled != nil || !strings.HasPrefix(effective(s, row.Name), other+" from ") {
			t.Errorf("%s: the sidecar does not know it: %v, %v", row.Name, s, err)
		}
	}
	if _, err := load(t, nil, []string{"ARGOCD_KSERVE_PLUGIN_KSERVE_VERSION=0.20.0"}, "kserve-version: latest\n"); err == nil {
		t.Error("a value that is no release is accepted because it does not count")
	}
}

// Applications may lower a ceiling and not raise it.
func TestCeiling(t *testing.T) {
	const locked = "ARGOCD_KSERVE_PLUGIN_TIMEOUT=40s"
	for _, tc := range []struct {
		name    string
		args    []string
		environ []string
		file    string
		want    string // the effective timeout, or part of the error
	}{
		{"lower than the default", nil, nil, "timeout: 30s\n", "30s from .argocd-kserve-plugin.yaml:1:10: timeout"},
		{"as high as the default", nil, nil, "timeout: 45s\n", "45s from .argocd-kserve-plugin.yaml:1:10: timeout"},
		{"above the default on a command line", nil, nil, "timeout: 46s\n",
			`the flag --timeout or with ARGOCD_KSERVE_PLUGIN_TIMEOUT in the environment`},
		{"above the default", nil, []string{underArgoCD}, "timeout: 46s\n",
			`.argocd-kserve-plugin.yaml:1:10: timeout: "46s" is above the ceiling of "45s", from the default; ` +
				`lower it or raise the ceiling with the flag --timeout or with ARGOCD_KSERVE_PLUGIN_TIMEOUT in the ` +
				`sidecar's environment`},
		{"lower than the sidecar's", nil, []string{locked, "ARGOCD_ENV_KSERVE_PLUGIN_TIMEOUT=20s"}, "timeout: 30s\n",
			"20s from environment variable ARGOCD_ENV_KSERVE_PLUGIN_TIMEOUT"},
		{"above the sidecar's", nil, []string{locked, underArgoCD, parameters + `[{"name":"timeout","string":"1m"}]`}, "timeout: 30s\n",
			`parameter timeout in ARGOCD_APP_PARAMETERS: "1m0s" is above the ceiling of "40s", set by the sidecar's ` +
				`environment variable ARGOCD_KSERVE_PLUGIN_TIMEOUT; lower it or raise the ceiling there`},
		{"above the caller's", nil, []string{locked}, "timeout: 1m\n",
			`"1m0s" is above the ceiling of "40s", set by the environment variable ARGOCD_KSERVE_PLUGIN_TIMEOUT;`},
		{"above the sidecar's, though a higher level is below", nil,
			[]string{locked, parameters + `[{"name":"timeout","string":"5s"}]`}, "timeout: 2m\n",
			`.argocd-kserve-plugin.yaml:1:10: timeout: "2m0s" is above the ceiling of "40s"`},
		{"the sidecar may raise it", nil, []string{"ARGOCD_KSERVE_PLUGIN_TIMEOUT=2m"}, "timeout: 90s\n",
			"1m30s from .argocd-kserve-plugin.yaml:1:10: timeout"},
		{"a flag under Argo CD", []string{"--timeout=50s"}, []string{locked, underArgoCD}, "timeout: 1m\n",
			`"1m0s" is above the ceiling of "50s", set by the sidecar's flag --timeout`},
		{"lower than a flag under Argo CD", []string{"--timeout=50s"}, []string{underArgoCD}, "timeout: 10s\n", "10s from"},
		{"a flag on a command line wins", []string{"--timeout=50s"}, nil, "timeout: 1m\n", "50s from flag --timeout"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s, err := load(t, tc.args, tc.environ, tc.file)
			got := ""
			if err != nil {
				got = err.Error()
			} else {
				got = effective(s, "timeout")
			}
			if !strings.Contains(got, tc.want) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
	for _, tc := range [][3]string{
		{"ARGOCD_KSERVE_PLUGIN_MAX_INPUT=1MiB", "max-input: 2MiB\n", `"2 MiB" is above the ceiling of "1 MiB"`},
		{"ARGOCD_KSERVE_PLUGIN_MAX_MEMORY=1GiB", "max-memory: 2GiB\n", `"2 GiB" is above the ceiling of "1 GiB"`},
		{"GOMEMLIMIT=100MiB", "max-memory: 200MiB\n", `"200 MiB" is above the ceiling of "100 MiB", from the GOMEMLIMIT`},
	} {
		if _, err := load(t, nil, tc[:1], tc[1]); err == nil || !strings.Contains(err.Error(), tc[2]) {
			t.Errorf("%s: got %v, want %q", tc[1], err, tc[2])
		}
	}
}

func TestMemoryDefault(t *testing.T) {
	for _, tc := range []struct {
		environ []string
		cgroup  int64
		want    string
	}{
		{nil, 0, "512 MiB from default"},
		{nil, 2 << 30, "1 GiB from container's memory limit"},
		{[]string{"GOMEMLIMIT=200MiB"}, 2 << 30, "200 MiB from GOMEMLIMIT"},
		{[]string{"GOMEMLIMIT=1048576B"}, 0, "1 MiB from GOMEMLIMIT"},
		{[]string{"GOMEMLIMIT=off"}, 2 << 30, "1 GiB from container's memory limit"},
		{[]string{"GOMEMLIMIT=200MiB", "ARGOCD_KSERVE_PLUGIN_MAX_MEMORY=300MiB"}, 2 << 30,
			"300 MiB from environment variable ARGOCD_KSERVE_PLUGIN_MAX_MEMORY"},
	} {
		flags := Bind(pflag.NewFlagSet("test", pflag.ContinueOnError))
		s, err := Load(Sources{Flags: flags, Environ: tc.environ, Dir: t.TempDir(), Cgroup: tc.cgroup})
		if err != nil {
			t.Fatal(err)
		}
		if got := effective(s, "max-memory"); got != tc.want {
			t.Errorf("%v with a container's limit of %d: got %q, want %q", tc.environ, tc.cgroup, got, tc.want)
		}
	}
}

// What is copied is bounded by the input and by a quarter of the memory.
func TestMaxCopied(t *testing.T) {
	for want, s := range map[int64]Settings{
		10 << 20: {MaxInput: 10 << 20, MaxMemory: 40 << 20}, 9 << 20: {MaxInput: 10 << 20, MaxMemory: 36 << 20},
	} {
		if got := s.MaxCopied(); got != want {
			t.Errorf("%v of %v: %d, want %d", s.MaxInput, s.MaxMemory, got, want)
		}
	}
}

// Two spellings of the same value do not conflict.
func TestLockComparesMeaning(t *testing.T) {
	for _, tc := range [][2]string{
		{"--kserve-version=v0.15.2", "kserve-version: 0.15.2\n"},
		{"--default-deployment-mode=Standard", "default-deployment-mode: RawDeployment\n"},
		{"--timeout=60s", "timeout: 1m\n"},
		{"--max-input=1GiB", "max-input: 1024 MiB\n"},
		{"--rules=KS201,KS301", "rules: [KS201, KS301]\n"},
		{"--rules=all", "rules: []\n"},
		{"--rules=all", "rules: all\n"},
		{"--root=found", "root: found\n"},
	} {
		if _, err := load(t, tc[:1], []string{underArgoCD}, tc[1]); err != nil {
			t.Errorf("%s and %q: %v", tc[0], tc[1], err)
		}
	}
}

// A lock of the default is a lock: the value is that of the default, and no Application may set another one.
func TestLockOfDefault(t *testing.T) {
	s, err := load(t, nil, []string{"ARGOCD_KSERVE_PLUGIN_ROOT=found", "ARGOCD_KSERVE_PLUGIN_RULES=all"}, "")
	if err != nil {
		t.Fatal(err)
	}
	if s.Root != "" || s.Select != nil || !s.Locked("root") || !s.Locked("rules") {
		t.Errorf("root %q, rules %q", s.Root, s.Select)
	}
}

func TestParameters(t *testing.T) {
	for _, tc := range []struct {
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
		{`[{"name":"rules","map":{"KS201":"off"}}]`, "",
			"parameter rules in ARGOCD_APP_PARAMETERS: takes a list of rule IDs such as KS101 or -KS301, not a map"},
		{`[{"name":"kustomize-patches","map":{"path":"a.yaml"}}]`, "",
			"parameter kustomize-patches in ARGOCD_APP_PARAMETERS: not a list of patches; each has patch or path"},
		{`[{"name":"kustomize-patches","string":"- path: a.yaml"}]`, "kustomize-patches", "(not shown) from"},
		{`[{"name":"rules","map":{}}]`, "rules", "all from default"},
		{`[{"name":"rules","string":"KS201","array":["KS301"]}]`, "", "sets more than one of string, array and map"},
		{`[{"name":"probes","string":"tcp"},{"name":"probes","string":"auto"}]`, "", "set twice"},
		{`[{"name":"probe","string":"tcp"}]`, "",
			`ARGOCD_APP_PARAMETERS: unknown setting "probe"; did you mean probes? argocd-kserve-plugin settings ` +
				`--help-all lists them`},
		{`{"probes":"tcp"}`, "", "ARGOCD_APP_PARAMETERS: not a JSON array of parameters"},
		{`[{"name":"directory-include","string":"{a,b}/*.yaml *.yml"}]`, "directory-include",
			"{a,b}/*.yaml *.yml from"},
	} {
		s, err := load(t, nil, []string{parameters + tc.value}, "")
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = effective(s, tc.setting)
		}
		if !strings.Contains(got, tc.want) {
			t.Errorf("%s: got %q, want %q", tc.value, got, tc.want)
		}
	}
}

func TestFaults(t *testing.T) {
	for _, tc := range []struct {
		name    string
		args    []string
		environ []string
		file    string
		want    []string // one line of the error each
	}{
		{"unknown names", nil,
			[]string{"ARGOCD_KSERVE_PLUGIN_PROBE=tcp", "ARGOCD_ENV_KSERVE_PLUGIN_KSERVEVERSION=0.15.2"},
			"root_folder: x\n", []string{
				`environment variable ARGOCD_KSERVE_PLUGIN_PROBE: unknown setting "probe"; did you mean probes?`,
				`environment variable ARGOCD_ENV_KSERVE_PLUGIN_KSERVEVERSION: unknown setting "kserveversion"; did you ` +
					`mean kserve-version?`,
				`.argocd-kserve-plugin.yaml:1:1: unknown setting "root_folder"; argocd-kserve-plugin settings --help-all lists them`,
			}},
		{"values", []string{"--probes=sometimes", "--timeout=soon", "--max-input=0", "--namespace=Not_One"},
			[]string{"ARGOCD_KSERVE_PLUGIN_KSERVE_VERSION=0.9.0"},
			"rules: KS1\nprogress-deadline-seconds: -3\ndefault-deployment-mode: raw\n", []string{
				`flag --probes: "sometimes" is not one of auto, copied, always, tcp, never`,
				`flag --timeout: "soon" is not a duration such as 45s or 2m`,
				`flag --max-input: "0" is not a number of bytes`,
				`flag --namespace: "Not_One" is not the name of a namespace`,
				`environment variable ARGOCD_KSERVE_PLUGIN_KSERVE_VERSION: 0.9.0 is too old`,
				`.argocd-kserve-plugin.yaml:1:8: rules: unknown rule "KS1"; argocd-kserve-plugin explain lists their IDs`,
				`.argocd-kserve-plugin.yaml:2:28: progress-deadline-seconds: "-3" is not a positive number or none`,
				`.argocd-kserve-plugin.yaml:3:26: default-deployment-mode: "raw" is not Standard, Knative, ` +
					`ModelMesh or unknown`,
			}},
		{"edges", []string{"--timeout=0s", "--max-memory=8589934592GiB", "--progress-deadline-seconds=0"},
			[]string{"ARGOCD_KSERVE_PLUGIN_KUSTOMIZE_COMMON_LABELS=word"}, "helm-parameters: hunter2\n", []string{
				`flag --timeout: "0s" is not a duration such as 45s or 2m`,
				`flag --max-memory: "8589934592GiB" is not a number of bytes`,
				`flag --progress-deadline-seconds: "0" is not a positive number or none`,
				`environment variable ARGOCD_KSERVE_PLUGIN_KUSTOMIZE_COMMON_LABELS: "word" is not name=value`,
				`.argocd-kserve-plugin.yaml:1:18: helm-parameters: an entry is not name=value`,
			}},
		{"file with a map", nil, nil, "probes:\n  a: b\n",
			[]string{`.argocd-kserve-plugin.yaml:2:3: probes: takes auto, copied, always, tcp, never`}},
		{"file that is a list", nil, nil, "# mine\n- probes\n",
			[]string{`.argocd-kserve-plugin.yaml:2:1: not a mapping of settings to values`}},
		{"file with two documents", nil, nil, "probes: tcp\n---\nrules: all\n",
			[]string{`.argocd-kserve-plugin.yaml:3:1: a second document`}},
		{"file with a key twice", nil, nil, "probes: tcp\nprobes: auto\n",
			[]string{`.argocd-kserve-plugin.yaml:2:1: `}},
		{"file with bad syntax", nil, nil, "probes: [tcp\n", []string{`.argocd-kserve-plugin.yaml:`}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := load(t, tc.args, tc.environ, tc.file)
			if err == nil {
				t.Fatal("no error")
			}
			lines := strings.Split(err.Error(), "\n")
			if len(lines) != len(tc.want) {
				t.Errorf("%d lines, want %d: %v", len(lines), len(tc.want), err)
			}
			for _, want := range tc.want {
				if !slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, want) }) {
					t.Errorf("got %v, want %q", err, want)
				}
			}
		})
	}
}

// Other variables of Argo CD, Kubernetes and a user's shell are ignored.
func TestOtherVariables(t *testing.T) {
	s, err := load(t, nil, []string{
		"KUBE_VERSION=1.29+", "ARGOCD_APP_NAME=app", "ARGOCD_ENV_OTHER=x", "PARAM_PROBES=tcp", "PROBES=tcp",
		"ARGOCD_KSERVE_PLUGIN_SERVICE_HOST=10.0.0.1", "ARGOCD_KSERVE_PLUGIN_SERVICE_PORT_HTTP=80",
		"ARGOCD_KSERVE_PLUGIN_PORT=tcp://10.0.0.1:80", "ARGOCD_KSERVE_PLUGIN_PORT_80_TCP_ADDR=10.0.0.1",
		"ARGOCD_KSERVE_PLUGIN_METRICS_PORT=tcp://10.0.0.1:80", "ARGOCD_KSERVE_PLUGIN_METRICS_SERVICE_HOST=fd00::1",
		"ARGOCD_KSERVE_PLUGIN_METRICS_SERVICE_PORT=80", "ARGOCD_KSERVE_PLUGIN_METRICS_SERVICE_PORT_HTTP_METRICS=80",
		"ARGOCD_KSERVE_PLUGIN_METRICS_PORT_80_TCP=tcp://10.0.0.1:80",
		"ARGOCD_KSERVE_PLUGIN_METRICS_PORT_80_TCP_PROTO=tcp", "ARGOCD_KSERVE_PLUGIN_METRICS_PORT_80_TCP_PORT=80",
		"ARGOCD_KSERVE_PLUGIN_METRICS_PORT_80_TCP_ADDR=10.0.0.1", "KSERVE_PLUGIN_PORT=tcp://10.0.0.1:80",
		"KSERVE_PLUGIN_EMPTY=", "ARGOCD_APP_NAMESPACE=ml",
	}, "")
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Warnings) > 0 {
		t.Error(s.Warnings)
	}
	if got := effective(s, "namespace"); got != "ml from ARGOCD_APP_NAMESPACE" {
		t.Error(got)
	}
	if got := effective(s, "probes"); got != "auto from default" {
		t.Error(got)
	}
}

// What only resembles the variables of a Service is a misspelled setting.
func TestNoServiceLink(t *testing.T) {
	for _, variable := range []string{
		"ARGOCD_KSERVE_PLUGIN_METRICS_PORT=8080", "ARGOCD_KSERVE_PLUGIN_SERVICE_HOST=example.com",
		"ARGOCD_KSERVE_PLUGIN_SERVICE_PORT=http", "ARGOCD_KSERVE_PLUGIN_METRICS=tcp://10.0.0.1:80",
		"ARGOCD_KSERVE_PLUGIN_PORT_TCP=tcp://10.0.0.1:80", "ARGOCD_KSERVE_PLUGIN_TIMEOUT_PORT=1",
	} {
		name, _, _ := strings.Cut(variable, "=")
		_, err := load(t, nil, []string{variable}, "")
		if err == nil || !strings.Contains(err.Error(), "environment variable "+name+": unknown setting") {
			t.Errorf("%s: %v", variable, err)
		}
	}
}

func TestMisplaced(t *testing.T) {
	s, err := load(t, nil, []string{"KSERVE_PLUGIN_PROBES=tcp", "KSERVE_PLUGIN_OTHER=x"}, "")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"the environment variable KSERVE_PLUGIN_OTHER has no effect; in the sidecar its name is " +
			"ARGOCD_KSERVE_PLUGIN_OTHER, and in an Application's plugin.env Argo CD adds ARGOCD_ENV_ to it",
		"the environment variable KSERVE_PLUGIN_PROBES has no effect; in the sidecar its name is " +
			"ARGOCD_KSERVE_PLUGIN_PROBES, and in an Application's plugin.env Argo CD adds ARGOCD_ENV_ to it",
	}
	if !slices.Equal(s.Warnings, want) {
		t.Errorf("got %q, want %q", s.Warnings, want)
	}
	if got := effective(s, "probes"); got != "auto from default" {
		t.Error(got)
	}
}

// Anything in .git may be a token.
func TestFileInGit(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".git", "config"), []byte("token: x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(".git/config", filepath.Join(dir, FileName)); err != nil {
		t.Fatal(err)
	}
	_, err := Load(Sources{Flags: Bind(pflag.NewFlagSet("test", pflag.ContinueOnError)), Dir: dir, Shown: "app"})
	if want := "app/.argocd-kserve-plugin.yaml: a link to .git"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
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
	want := "app/.argocd-kserve-plugin.yaml: a link that leads nowhere or out of its folder; put the file itself there"
	for _, name := range []string{"a file outside", "no file"} {
		_, err := Load(Sources{Flags: Bind(pflag.NewFlagSet("test", pflag.ContinueOnError)), Dir: dir, Shown: "app"})
		if err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", name, err, want)
		}
		if err := os.RemoveAll(outside); err != nil {
			t.Fatal(err)
		}
	}
}

func TestFileTooLarge(t *testing.T) {
	dir := t.TempDir()
	for size, want := range map[int]string{
		maxFile:     "<nil>",
		maxFile + 1: "app/.argocd-kserve-plugin.yaml: not a regular file of at most 1 MiB",
	} {
		comment := strings.Repeat("#", size-1) + "\n"
		if err := os.WriteFile(filepath.Join(dir, FileName), []byte(comment), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Load(Sources{Flags: Bind(pflag.NewFlagSet("test", pflag.ContinueOnError)), Dir: dir, Shown: "app"})
		if got := fmt.Sprint(err); got != want {
			t.Errorf("%d bytes: got %s, want %s", size, got, want)
		}
	}
}

// The files of the folders above count too, up to the root, the nearest first. No file outranks the operator.
func TestFilesAbove(t *testing.T) {
	top := t.TempDir()
	for name, text := range map[string]string{
		FileName:                         "max-input: 1KiB\n",
		"repo/" + FileName:               "kserve-version: 0.15.2\nprobes: tcp\ntimeout: 10m\n",
		"repo/apps/iris/" + FileName:     "probes: never\n",
		"repo/apps/other/" + FileName:    "rules: [KS101\n",
		"repo/misnamed/" + otherName:     "rules: KS101\n",
		"repo/misnamed/app/isvc.yaml":    "",
		"repo/narrow/app/kustomize.yaml": "",
	} {
		path := filepath.Join(top, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("repo/apps/iris", filepath.Join(top, "link")); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		dir     string
		args    []string
		environ []string
		want    map[string]string // or, with the key "error", a part of it
	}{
		{"repo/apps/iris", []string{"--timeout=1m"}, nil, map[string]string{
			"probes":         "never from repo/apps/iris/.argocd-kserve-plugin.yaml:1:9: probes",
			"kserve-version": "0.15.2 from repo/.argocd-kserve-plugin.yaml:1:17: kserve-version",
			"max-input":      "128 MiB from default",
		}},
		{"link", []string{"--timeout=1m"}, nil, map[string]string{
			"probes": "never from link/.argocd-kserve-plugin.yaml:1:9: probes",
		}},
		{"repo/apps/iris", []string{"--root=repo/apps"}, nil, map[string]string{"kserve-version": "unknown from default"}},
		{"repo/apps/iris", nil, []string{"ARGOCD_KSERVE_PLUGIN_ROOT=repo/apps"}, map[string]string{
			"kserve-version": "unknown from default",
		}},
		{"repo/apps/iris", nil, nil, map[string]string{
			"error": `repo/.argocd-kserve-plugin.yaml:3:10: timeout: "10m0s" is above the ceiling of "45s", from the default`,
		}},
		{"repo/apps/iris", nil, []string{"ARGOCD_KSERVE_PLUGIN_PROBES=auto", "ARGOCD_KSERVE_PLUGIN_TIMEOUT=1h"},
			map[string]string{
				"error": `repo/.argocd-kserve-plugin.yaml:2:9: probes: "tcp" conflicts with "auto"`,
			}},
		{"repo/apps/iris", nil, []string{"ARGOCD_KSERVE_PLUGIN_KSERVE_VERSION=0.16.0", "ARGOCD_KSERVE_PLUGIN_TIMEOUT=1h"},
			map[string]string{
				"kserve-version": "0.16.0 from environment variable ARGOCD_KSERVE_PLUGIN_KSERVE_VERSION",
			}},
		{"repo/apps/other", nil, nil, map[string]string{"error": "repo/apps/other/.argocd-kserve-plugin.yaml:"}},
		{"repo/misnamed/app", nil, nil, map[string]string{
			"error": "repo/misnamed/.argocd-kserve-plugin.yml: the settings file is called .argocd-kserve-plugin.yaml; rename it",
		}},
	} {
		set := pflag.NewFlagSet("test", pflag.ContinueOnError)
		flags := Bind(set)
		if err := set.Parse(tc.args); err != nil {
			t.Fatal(err)
		}
		s, err := Load(Sources{
			Flags: flags, Environ: tc.environ, Dir: filepath.Join(top, tc.dir), Shown: tc.dir,
			Top: func(root string) (string, error) { return filepath.Join(top, cmp.Or(root, "repo")), nil },
		})
		for name, want := range tc.want {
			got := ""
			if err != nil {
				got = err.Error()
			} else if name != "error" {
				got = effective(s, name)
			}
			if !strings.Contains(got, want) {
				t.Errorf("%s %v %v: got %s, want %s", tc.dir, tc.args, tc.environ, got, want)
			}
		}
	}
}

// Each row accepts its own default, which gives the documented effective value.
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
	want := `[{"name":"namespace","title":"Namespace","tooltip":"Namespace of manifests that do not set one. ` +
		`Accepts a namespace. Default: ARGOCD_APP_NAMESPACE.","collectionType":"string"},` +
		`{"name":"rules","title":"Rules","tooltip":"Rules to run; -ID leaves a rule out; if any ID is listed ` +
		`without -, only those run. Accepts a list of rule IDs such as KS101 or -KS301. Default: all.",` +
		`"collectionType":"array"}]`
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
		t.Fatalf("%s lacks the lines %q and %q", path, begin, end)
	}
	want := before + begin + markdown() + end + after
	if want == string(text) {
		return
	}
	if !update {
		t.Fatalf("the table in %s is out of date; run make golden", path)
	}
	if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

// markdown returns the table of all settings for the documentation.
func markdown() string {
	var b strings.Builder
	b.WriteString("| setting | accepts | default | description |\n|---|---|---|---|\n")
	for _, row := range Table {
		unset := row.Unset
		if row.Default != "" {
			unset = "`" + row.Default + "`"
		}
		accepts := row.Accepts
		if accepts == "" {
			accepts = "`" + strings.Join(row.Values, "`, `") + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", row.Name, accepts, unset, row.Help)
	}
	return b.String()
}

func TestDidYouMean(t *testing.T) {
	names := []string{"kserve-version", "probes", "root", "rules", "rules-as-of"}
	for typed, want := range map[string]string{
		"probe": "probes", "Probez": "probes", "porbes": "probes", "kserve": "kserve-version", "rule": "rules",
		"rules-as": "rules-as-of", "rot": "root", "boat": "", "timeout": "",
	} {
		got := DidYouMean(typed, names)
		if want != "" {
			want = "did you mean " + want + "? "
		}
		if got != want {
			t.Errorf("%q: %q, want %q", typed, got, want)
		}
	}
}
