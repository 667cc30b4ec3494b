package release

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// TestInstallers lets action.yml and the job for GitLab install a release of this program.
func TestInstallers(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("they install releases on Linux only")
	}
	var action struct {
		Runs struct{ Steps []struct{ Run string } }
	}
	var pipeline struct {
		KServe struct {
			BeforeScript []string `json:"before_script"`
		}
	}
	read(t, "../../action.yml", &action)
	read(t, "../../install/gitlab/kserve.yml", &pipeline)

	repository(t)
	releases := t.TempDir()
	if err := os.Rename(built(t), filepath.Join(releases, "v0.2.0")); err != nil {
		t.Fatal(err)
	}
	install := func(t *testing.T, script string) (string, error) {
		const installed = "\nargocd-kserve-plugin it works\nargocd-kserve-plugin-kserve-0.20.0\n"
		cmd := exec.CommandContext(t.Context(), "bash", "-e", "-c", script+installed)
		temp := t.TempDir()
		cmd.Env = append(os.Environ(), "VERSION=0.2.0", "BASE_URL=file://"+releases, "RUNNER_TEMP="+temp,
			"GITHUB_PATH="+filepath.Join(temp, "path"), "PLAN=0.20.0", "PLUGIN_VERSION=v0.2.0",
			"PLUGIN_BASE_URL=file://"+releases)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	checksums := filepath.Join(releases, "v0.2.0", "checksums.txt")
	listed, err := os.ReadFile(checksums)
	if err != nil {
		t.Fatal(err)
	}
	unlisted := regexp.MustCompile(`(?m)^.*-kserve-0\.20\.0_.*\n`).ReplaceAll(listed, nil)
	for name, script := range map[string]string{
		"action.yml":                action.Runs.Steps[0].Run + "\nPATH=$(cat \"$GITHUB_PATH\"):$PATH\n",
		"install/gitlab/kserve.yml": strings.Join(pipeline.KServe.BeforeScript, "\n") + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			if out, err := install(t, script); err != nil || !strings.Contains(out, "it\nworks\npacked\n") {
				t.Errorf("%v\n%s", err, out)
			}
			if err := os.WriteFile(checksums, unlisted, 0o644); err != nil {
				t.Fatal(err)
			}
			if out, err := install(t, script); err == nil || strings.Contains(out, "packed\n") {
				t.Errorf("an archive without a checksum is unpacked: %v\n%s", err, out)
			}
			if err := os.WriteFile(checksums, listed, 0o644); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func read(t *testing.T, file string, into any) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err == nil {
		err = yaml.Unmarshal(data, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}
