package cli

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/health"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
)

// detectCommand prints the facts about a cluster; the namespace differs between distributions.
const detectCommand = "kubectl -n kserve get configmap/" + kserve.ConfigMap +
	" deployment/" + kserve.ControllerDeployment + " -o yaml | " + program + " detect -"

func newDetectCommand(env *Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "detect FILE|-",
		Short: "Print the facts about a cluster that the settings need",
		Long: `Print kserve-version and default-deployment-mode of a cluster, as variables of the sidecar or as lines of the
settings file. The input is what kubectl prints for KServe's ConfigMap and the Deployment of its controller, as YAML
or JSON. What it does not show is reported. The exit code is 2 when it shows neither.`,
		Example: "  " + strings.Replace(detectCommand, " deployment/", " \\\n    deployment/", 1),
		Args:    takes(1, 1),
	}
	const asEnv, asFile = "env", "file"
	load := newLockedFlags(env, cmd, "max-memory", "max-input", "timeout")
	output := newChoice(cmd, "output", "o", "for the sidecar's variables or the settings file", []string{asEnv, asFile})
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
		facts, name, err := env.detect(args[0], set.MaxInput, func(health.Object) {})
		if err != nil {
			return err
		}
		var b bytes.Buffer
		var missing []error
		for _, f := range facts {
			if f.value == "" {
				missing = append(missing, f.missing(name))
				continue
			}
			if b.Len() == 0 {
				b.WriteString(head)
			}
			b.WriteString(line(f.setting, f.value))
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

// detect reads the facts about a cluster from what kubectl prints, and shows each object that is not about them. It
// returns the name of the input for messages too.
func (env *Env) detect(
	file string, limit settings.Size, other func(health.Object),
) (facts []fact, name string, err error) {
	in, err := env.open(file, limit)
	if err != nil {
		return nil, "", err
	}
	defer in.Close()
	version := fact{setting: "kserve-version", object: "Deployment " + kserve.ControllerDeployment}
	mode := fact{setting: "default-deployment-mode", object: "ConfigMap " + kserve.ConfigMap}
	err = health.Read(in, in.name, 0, func(event health.Event) bool {
		switch kind, name := event.Object["kind"], health.At(event.Object, "metadata", "name"); {
		case kind == "Deployment" && name == kserve.ControllerDeployment:
			version.found(event.Object, controllerVersion)
		case kind == "ConfigMap" && name == kserve.ConfigMap:
			mode.found(event.Object, defaultMode)
		default:
			other(event.Object)
		}
		return true
	})
	return []fact{version, mode}, in.name, err
}

// fact is a setting that an object of the cluster shows.
type fact struct {
	setting, object string
	value           string // empty when the input does not show it
	problem         error  // why the object does not show it; nil without the object
	namespace       any    // of the object
}

// found takes the fact from the object. A second object in another namespace may belong to another KServe.
func (f *fact) found(object health.Object, read func(health.Object) (string, error)) {
	namespace := health.At(object, "metadata", "namespace")
	if (f.value != "" || f.problem != nil) && f.namespace != namespace {
		f.value = ""
		f.problem = fmt.Errorf("it is in the namespaces %v and %v; give the one of your KServe", f.namespace, namespace)
		return
	}
	f.namespace = namespace
	f.value, f.problem = read(object)
}

// missing returns why the fact is not known.
func (f fact) missing(input string) error {
	if f.problem == nil {
		return fmt.Errorf("%s: the %s is missing, so %s stays unknown", input, f.object, f.setting)
	}
	return fmt.Errorf("%s: %s: %w; set %s by hand", input, f.object, f.problem, f.setting)
}

func controllerVersion(deployment health.Object) (string, error) {
	containers, _ := health.At(deployment, "spec", "template", "spec", "containers").([]any)
	for _, c := range containers {
		if health.At(c, "name") != kserve.ControllerContainer {
			continue
		}
		image, _ := health.At(c, "image").(string)
		version := kserve.ImageVersion(image)
		if _, warning, err := kserve.ParseVersions(version); version == "" || warning != "" || err != nil {
			return "", fmt.Errorf("the tag of image %q is no KServe version that this plugin knows", image)
		}
		return version, nil
	}
	return "", fmt.Errorf("no container is called %s", kserve.ControllerContainer)
}

func defaultMode(configMap health.Object) (string, error) {
	deploy, _ := health.At(configMap, "data", "deploy").(string)
	mode, err := kserve.ConfiguredMode(deploy)
	return string(mode), err
}

// variableLines is a setting in the list env of a container.
func variableLines(setting, value string) string {
	return fmt.Sprintf("- name: %s\n  value: %q\n", settings.Variable(setting), value)
}

// settingLine is a setting in the settings file.
func settingLine(setting, value string) string { return fmt.Sprintf("%s: %q\n", setting, value) }
