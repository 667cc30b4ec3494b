package cli

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/cli/flags"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/install"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

func newInstallDetectCommand(env *Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "detect FILE|-",
		Short: "Print the facts about a cluster that the settings need",
		Long: `Print kserve-version and default-deployment-mode of a cluster, as variables of the sidecar or as lines of the
settings file. The input is what kubectl prints for KServe's ConfigMap and the Deployment of its controller, as YAML
or JSON. Standard error says what the input does not show. The exit code is 2 when it shows neither.`,
		Example: "  " + strings.Replace(install.DetectCommand, " deployment/", " \\\n    deployment/", 1),
		Args:    flags.Arguments(1, 1),
	}
	const asEnv, asFile = "env", "file"
	load := flags.Settings(cmd, env.caller, "max-memory", "max-input", "timeout").Locked
	output := flags.Choice(cmd, "output", "o", "for the sidecar's variables or the settings file", []string{asEnv, asFile})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		format, err := output()
		if err != nil {
			return err
		}
		line, head := variableLines, ""
		if format == asFile {
			line, head = settingLine, settings.SchemaComment
		}
		set, err := load()
		if err != nil {
			return err
		}
		env.caller.Limit(cmd.Context(), set)
		cluster, err := env.readCluster(args[0], set.MaxInput)
		if err != nil {
			return err
		}
		var b bytes.Buffer
		var missing []error
		for _, f := range []install.Fact{cluster.Version, cluster.Mode} {
			if f.Value == "" {
				missing = append(missing, f.Missing())
				continue
			}
			if b.Len() == 0 {
				b.WriteString(head)
			}
			b.WriteString(line(f.Setting, f.Value))
			if old := kserve.Mode(f.Value).Spelling(transform.Release{}); old != f.Value {
				b.WriteString(" # also called " + old)
			}
			b.WriteByte('\n')
		}
		if b.Len() == 0 {
			return errors.Join(missing...)
		}
		for _, err := range missing {
			env.complain(err)
		}
		return env.write(cmd.Context(), b.Bytes())
	}
	return cmd
}

// variableLines is a setting in the list env of a container.
func variableLines(setting, value string) string {
	return fmt.Sprintf("- name: %s\n  value: %q", settings.Variable(setting), value)
}

// settingLine is a setting in the settings file.
func settingLine(setting, value string) string { return fmt.Sprintf("%s: %q", setting, value) }
