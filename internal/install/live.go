package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/health"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
)

// Live is what a cluster runs.
type Live struct {
	name       string // of the input
	data       []byte
	servers    []repoServer
	configMaps map[string]map[string]string // the data, by namespace/name
}

// repoServer is the Deployment of a repo-server.
type repoServer struct {
	object    string // its kind and name
	namespace string
	pod       pod
}

// pod is the part of a pod that Check reads.
type pod struct {
	AutomountServiceAccountToken  bool
	HostNetwork, HostPID, HostIPC bool
	ShareProcessNamespace         bool
	SecurityContext               map[string]any
	Containers, InitContainers    []container
	Volumes                       []volume
}

// running returns the containers that run side by side.
func (p pod) running() []container {
	all := slices.Clone(p.Containers)
	for _, init := range p.InitContainers {
		if init.RestartPolicy == restartAlways {
			all = append(all, init)
		}
	}
	return all
}

// amount is a quantity, which may be a string or a number.
type amount string

// UnmarshalJSON implements json.Unmarshaler.
func (a *amount) UnmarshalJSON(data []byte) error {
	if string(data) != "null" {
		*a = amount(strings.Trim(string(data), `"`))
	}
	return nil
}

// restartAlways is the restartPolicy of an init container that runs beside the containers.
const restartAlways = "Always"

type container struct {
	Name, Image, RestartPolicy    string
	Command, Args                 []string
	Env                           []variable
	EnvFrom                       []struct{ SecretRef *struct{} }
	VolumeMounts                  []mount
	SecurityContext               map[string]any
	ReadinessProbe, LivenessProbe struct{ Exec struct{ Command []string } }
	Resources                     struct{ Limits map[string]amount }
}

type variable struct {
	Name, Value string
	ValueFrom   any
}

// ReadLive reads what kubectl prints for the Deployment of the repo-server, for argocd-cm and for what else Check looks
// at. name stands for the input in errors. The Deployment is one with a name that ends in repo-server, or with the
// container of the plugin. It is an error if there is none.
func ReadLive(data []byte, name string) (*Live, error) {
	l := &Live{name: name, data: data, configMaps: map[string]map[string]string{}}
	var problem error
	err := health.Read(bytes.NewReader(data), name, 0, func(event health.Event) bool {
		problem = l.add(event.Object)
		return problem == nil
	})
	switch {
	case err != nil:
		return nil, err
	case problem != nil:
		return nil, fmt.Errorf("%s: %w", name, problem)
	case len(l.servers) == 0:
		return nil, fmt.Errorf("%s: no Deployment has a name that ends in repo-server, or a container %s",
			name, containerName)
	}
	return l, nil
}

func (l *Live) add(object health.Object) error {
	var read struct {
		Kind     string
		Metadata struct{ Namespace, Name string }
		Data     map[string]string
	}
	kind, _ := object["kind"].(string)
	if kind != "Deployment" && kind != "ConfigMap" {
		return nil
	}
	if err := convert(object, &read); err != nil {
		return fmt.Errorf("%s %v: %w", kind, health.At(object, "metadata", "name"), err)
	}
	namespace, name := read.Metadata.Namespace, read.Metadata.Name
	qualified := strings.TrimPrefix(namespace+"/"+name, "/")
	if kind == "ConfigMap" {
		l.configMaps[namespace+"/"+name] = read.Data
		return nil
	}
	server := repoServer{object: kind + " " + qualified, namespace: namespace}
	err := convert(health.At(object, "spec", "template", "spec"), &server.pod)
	switch {
	case !strings.HasSuffix(name, "repo-server") && server.sidecar() == nil:
		return nil
	case err != nil:
		return fmt.Errorf("%s: spec.template.spec: %w", server.object, err)
	}
	l.servers = append(l.servers, server)
	return nil
}

// convert gives a decoded value another type. What has the right type is in it also after an error.
func convert(value, into any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return err
	}
	err = json.Unmarshal(data, into)
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return fmt.Errorf("%s has the wrong type: %s", wrong.Field, wrong.Value)
	}
	return err
}

// Setting returns the value of a setting of the sidecar, "" if there is none.
func (l *Live) Setting(name string) string {
	for _, server := range l.servers {
		if sidecar := server.sidecar(); sidecar != nil {
			return strings.TrimSpace(sidecar.variable(settings.Variable(name)).Value)
		}
	}
	return ""
}

// InstalledSetting returns the value of a setting of the sidecar, "" if there is none, or if the object is no
// Deployment of a repo-server with a sidecar. It is an error if the Deployment does not show the value.
func InstalledSetting(object health.Object, name string) (string, error) {
	l := Live{configMaps: map[string]map[string]string{}}
	if err := l.add(object); err != nil {
		return "", err
	}
	key := settings.Variable(name)
	for _, server := range l.servers {
		if sidecar := server.sidecar(); sidecar != nil && sidecar.variable(key).ValueFrom != nil {
			return "", fmt.Errorf("%s: env.%s takes its value from elsewhere: set the value itself", server.object, key)
		}
	}
	return l.Setting(name), nil
}

// sidecar returns the container of the plugin, nil if there is none. It may be one of the init containers, and have
// another name.
func (s repoServer) sidecar() *container {
	for _, list := range [][]container{s.pod.Containers, s.pod.InitContainers} {
		if i := indexOf(list, containerName); i >= 0 {
			return &list[i]
		}
	}
	for _, list := range [][]container{s.pod.Containers, s.pod.InitContainers} {
		if i := slices.IndexFunc(list, func(c container) bool { return c.serves() }); i >= 0 {
			return &list[i]
		}
	}
	return nil
}

// serves reports whether the container serves the plugin, whatever its name: it has argocd-cmp-server or the volume
// with the sockets, and the plugin's image, probe or settings.
func (c *container) serves() bool {
	if !slices.Contains(c.Command, serverProgram) && c.mountAt(socketFolder) == nil {
		return false
	}
	image, _, _ := strings.Cut(path.Base(c.Image), "@")
	image, _, _ = strings.Cut(image, ":")
	return image == containerName || slices.Contains(c.ReadinessProbe.Exec.Command, pluginProgram) ||
		slices.ContainsFunc(c.Env, func(v variable) bool { return strings.HasPrefix(v.Name, settings.Variable("")) })
}

// indexOf returns the index of the container with the name, -1 if there is none.
func indexOf(list []container, name string) int {
	return slices.IndexFunc(list, func(c container) bool { return c.Name == name })
}

// variable returns the variable with the name, one without a value if there is none.
func (c *container) variable(name string) variable {
	for _, entry := range slices.Backward(c.Env) { // of several with the same name the last one counts
		if entry.Name == name {
			return entry
		}
	}
	return variable{}
}

// has reports whether the container sets a variable, also from elsewhere.
func (c *container) has(name string) bool {
	entry := c.variable(name)
	return entry.Value != "" || entry.ValueFrom != nil
}

// settings returns the settings of a run in the container, as far as its own variables say.
func (c *container) settings() (*settings.Settings, error) {
	var environ []string
	for _, entry := range c.Env {
		environ = append(environ, entry.Name+"="+entry.Value)
	}
	return settings.LoadLocked(settings.Sources{
		Flags: settings.Bind(pflag.NewFlagSet("", pflag.ContinueOnError)), Environ: environ,
	})
}
