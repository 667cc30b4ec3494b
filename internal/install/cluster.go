package install

import (
	"cmp"
	"fmt"
	"io"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/health"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/rules"
)

// These commands print the facts about a cluster, as variables of the sidecar and as lines of the settings file. The
// namespace differs between distributions.
const (
	DetectCommand     = ClusterCommand + " | argocd-kserve-plugin install detect -"
	DetectFileCommand = ClusterCommand + " | argocd-kserve-plugin install detect -o file -"

	// ClusterCommand prints the objects that show them.
	ClusterCommand = "kubectl -n kserve get configmap/" + kserve.ConfigMap +
		" deployment/" + kserve.ControllerDeployment + " -o yaml"
)

// Cluster is what the objects of a cluster say about the settings.
type Cluster struct {
	Version, Mode Fact // kserve-version and default-deployment-mode

	name    string // of the input
	asOf    string // rules-as-of of the sidecar
	asOfErr error
}

// ReadCluster reads what kubectl prints for KServe's ConfigMap, the Deployment of its controller and, if it is there,
// that of the repo-server. name stands for the input in errors.
func ReadCluster(input io.Reader, name string) (*Cluster, error) {
	c := NewCluster(name)
	err := health.Read(input, name, 0, func(event health.Event) bool {
		c.Add(event.Object)
		return true
	})
	return c, err
}

// NewCluster returns a cluster of which nothing is known. name stands for where its objects come from in errors.
func NewCluster(name string) *Cluster {
	return &Cluster{
		Version: Fact{Setting: "kserve-version", object: "Deployment " + kserve.ControllerDeployment, input: name},
		Mode:    Fact{Setting: "default-deployment-mode", object: "ConfigMap " + kserve.ConfigMap, input: name},
		name:    name,
	}
}

// Add takes from an object what it says.
func (c *Cluster) Add(object health.Object) {
	switch kind, name := object["kind"], health.At(object, "metadata", "name"); {
	case kind == "Deployment" && name == kserve.ControllerDeployment:
		c.Version.found(object, controllerVersion)
	case kind == "ConfigMap" && name == kserve.ConfigMap:
		c.Mode.found(object, defaultMode)
	default:
		c.readSidecar(object)
	}
}

func (c *Cluster) readSidecar(object health.Object) {
	asOf, err := InstalledSetting(object, rulesAsOf)
	if err == nil && asOf != "" && c.asOf != "" && asOf != c.asOf {
		err = fmt.Errorf("one has %s and another one %s: give the one of your Argo CD", c.asOf, asOf)
	}
	c.asOf, c.asOfErr = cmp.Or(c.asOf, asOf), cmp.Or(c.asOfErr, err)
}

// RulesAsOf returns the rules-as-of of the sidecar, "" if there is none.
func (c *Cluster) RulesAsOf() (string, error) {
	_, err := rules.ParseVersion(c.asOf)
	if err = cmp.Or(c.asOfErr, err); err != nil {
		return "", fmt.Errorf("%s: %s of the sidecar: %w; or give --%[2]s", c.name, rulesAsOf, err)
	}
	return c.asOf, nil
}

// Fact is a setting that an object of the cluster shows.
type Fact struct {
	Setting, Value string // the value is empty if the input does not show it

	input, object string
	problem       error // why the object does not show it; nil without the object
	namespace     any   // of the object
}

// found takes the fact from the object. A second object in another namespace may belong to another KServe.
func (f *Fact) found(object health.Object, read func(health.Object) (string, error)) {
	namespace := health.At(object, "metadata", "namespace")
	if (f.Value != "" || f.problem != nil) && f.namespace != namespace {
		f.Value = ""
		f.problem = fmt.Errorf("it is in the namespaces %v and %v; give the one of your KServe", f.namespace, namespace)
		return
	}
	f.namespace = namespace
	f.Value, f.problem = read(object)
}

// Missing returns why the value is not known.
func (f Fact) Missing() error {
	if f.problem == nil {
		return fmt.Errorf("%s: the %s is missing, so %s stays unknown", f.input, f.object, f.Setting)
	}
	return fmt.Errorf("%s: %s: %w; set %s by hand", f.input, f.object, f.problem, f.Setting)
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
