package install

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"golang.org/x/mod/semver"
	"sigs.k8s.io/yaml"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/healthconfig"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/lazyregexp"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/quantity"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
)

// What is wrong with an installation.
const (
	Missing  = "missing"
	Wrong    = "wrong" // with it the sidecar cannot work, or is less safe
	Outdated = "outdated"
	Unlocked = "unlocked" // an application or a repository can loosen it
)

// Problem is something in a live object that install would change.
type Problem struct {
	Object  string `json:"object"`
	Problem string `json:"problem"`
	Field   string `json:"field"`
	Message string `json:"message"`
}

// The folders of argocd-cmp-server: plugin.yaml and the sockets (common/common.go@v2.14.21 and @v3.5.7), what install
// mounts with the program itself, and what it copies repositories to.
const (
	configFolder  = "/home/argocd/cmp-server/config"
	socketFolder  = "/home/argocd/cmp-server/plugins"
	programFolder = "/var/run/argocd"
	temporary     = "/tmp"
)

// The programs in the container.
const (
	serverProgram = programFolder + "/argocd-cmp-server"
	pluginProgram = "/usr/local/bin/argocd-kserve-plugin"
)

// Check compares what a cluster runs with the definition of the sidecar and, unless it is nil, with the configuration
// with the health checks. Notes are about what cannot be compared. With an error about the health checks there are the
// problems of the sidecar.
func (l *Live) Check(o Options, checks *healthconfig.Configuration) (problems []Problem, notes []string, err error) {
	want, err := definition(o)
	if err != nil {
		return nil, nil, err
	}
	for _, server := range l.servers {
		c := comparison{Live: l, repoServer: server, want: want, options: o}
		if err := c.run(); err != nil {
			return nil, nil, err
		}
		problems, notes = append(problems, c.problems...), append(notes, c.notes...)
	}
	if checks == nil {
		return problems, notes, nil
	}
	installed, err := healthconfig.ReadInstalled(l.data, l.name)
	if err != nil {
		return nil, nil, err
	}
	changes, left, err := installed.Changes(*checks)
	if err != nil {
		return problems, notes, fmt.Errorf("%w; --health-checks=false leaves out the health checks", err)
	}
	for _, change := range changes {
		if !strings.HasPrefix(change.Key, "resource.customizations.") {
			continue // install prints nothing for KServe's own configuration
		}
		problem := Problem{change.Object, Outdated, change.Key, "health config " + change.What}
		if change.Before == "" {
			problem.Problem, problem.Message = Missing, healthconfig.Without(change.Key)+": add what health config prints"
		}
		problems = append(problems, problem)
	}
	return problems, append(notes, left...), nil
}

// definition returns the sidecar as it is to be.
func definition(o Options) (*container, error) {
	tree, err := o.container(true)
	if err != nil {
		return nil, err
	}
	var list []container
	if err := yaml.Unmarshal(tree.Bytes(), &list); err != nil {
		return nil, err
	}
	return &list[0], nil
}

// comparison is the comparison of a Deployment with the definition.
type comparison struct {
	*Live
	repoServer
	want    *container
	options Options
	set     *settings.Settings // of the sidecar, nil if this release refuses them

	problems []Problem
	notes    []string
}

func (c *comparison) add(problem, field, format string, args ...any) {
	c.problems = append(c.problems, Problem{c.object, problem, field, fmt.Sprintf(format, args...)})
}

func (c *comparison) note(format string, args ...any) {
	c.notes = append(c.notes, fmt.Sprintf("not compared: %s: %s", c.object, fmt.Sprintf(format, args...)))
}

func (c *comparison) run() error {
	sidecar := c.sidecar()
	if sidecar == nil {
		c.add(Missing, "containers", "no container runs the plugin: add the one that install prints")
		return nil
	}
	c.native(sidecar)
	c.image(sidecar)
	c.command(sidecar)
	c.probes(sidecar)
	if err := c.environment(sidecar); err != nil {
		return err
	}
	c.mounts(sidecar)
	c.security(sidecar)
	c.weaknesses(sidecar)
	c.limits(sidecar)
	c.disk(sidecar)
	c.plugin(sidecar)
	return nil
}

// copyUtil is Argo CD's init container that copies argocd-cmp-server
// (manifests/base/repo-server/argocd-repo-server-deployment.yaml@v2.14.21 and @v3.5.7).
const copyUtil = "copyutil"

// native looks at a sidecar among the init containers. Kubernetes starts these one after the other, and goes on beside
// one that it restarts (KEP-753).
func (c *comparison) native(sidecar *container) {
	at := indexOf(c.pod.InitContainers, sidecar.Name)
	if at < 0 {
		return
	}
	if c.pod.InitContainers[at].RestartPolicy != restartAlways {
		c.add(Wrong, "initContainers.restartPolicy", "the pod waits for the end of the init container %s, which serves "+
			"until it is stopped: set restartPolicy Always, or move it to containers", sidecar.Name)
	}
	if at < indexOf(c.pod.InitContainers, copyUtil) {
		c.add(Wrong, "initContainers", "%s is before %s, which copies argocd-cmp-server for it: move it behind that",
			sidecar.Name, copyUtil)
	}
}

func (c *comparison) image(sidecar *container) {
	tag := tagOf(sidecar.Image)
	switch {
	case c.options.Image != "" && sidecar.Image != c.options.Image:
		c.add(Outdated, "image", "it is %s, not %s", sidecar.Image, c.options.Image)
	case c.options.Image != "":
	case tag == "":
		c.note("image %s has no tag: give the one you want with --image", sidecar.Image)
	case semver.Compare(tag, Version) > 0:
		c.note("image %s is newer than this program, %s: check with that release", tag, Version)
	case tag != Version:
		c.add(Outdated, "image", "its tag is %s, and this program installs %s", tag, Version)
	}
}

// tagOf returns the tag of an image, "" for one without.
func tagOf(image string) string {
	image, _, _ = strings.Cut(image, "@")
	_, tag, _ := strings.Cut(path.Base(image), ":")
	return tag
}

// command looks at what starts argocd-cmp-server. Its flags about logs and traces may be any
// (cmd/argocd-cmp-server/commands/argocd_cmp_server.go@v2.14.21 and @v3.5.7).
func (c *comparison) command(sidecar *container) {
	if len(sidecar.Command) == 0 || sidecar.Command[0] != c.want.Command[0] {
		c.differs("command", sidecar.Command, c.want.Command)
		return
	}
	folder := ""
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	flags.ParseErrorsAllowlist.UnknownFlags = true
	flags.StringVar(&folder, "config-dir-path", configFolder, "")
	args := slices.Concat(sidecar.Command[1:], sidecar.Args)
	if err := flags.Parse(args); err == nil && path.Clean(folder) != configFolder {
		c.add(Wrong, "args", "argocd-cmp-server reads %s/plugin.yaml, and not the one of the image: remove "+
			"--config-dir-path", path.Clean(folder))
	}
}

func (c *comparison) probes(sidecar *container) {
	for _, probe := range []struct {
		field     string
		got, want []string
	}{
		{"readinessProbe.exec.command", sidecar.ReadinessProbe.Exec.Command, c.want.ReadinessProbe.Exec.Command},
		{"livenessProbe.exec.command", sidecar.LivenessProbe.Exec.Command, c.want.LivenessProbe.Exec.Command},
	} {
		if !slices.Equal(probe.got, probe.want) {
			c.differs(probe.field, probe.got, probe.want)
		}
	}
}

func (c *comparison) differs(field string, got, want []string) {
	problem := Wrong
	if len(got) == 0 {
		problem = Missing
	}
	c.add(problem, field, "it is %q, not %q", got, want)
}

// environment finds settings that applications can change, and facts that are wrong. A locked setting may have a value
// other than the one that install sets.
func (c *comparison) environment(sidecar *container) error {
	want, err := c.want.settings()
	if err != nil {
		return err
	}
	set, err := sidecar.settings()
	if err != nil {
		c.add(Outdated, "env", "this release refuses it: %v", err)
		return nil
	}
	c.set = set
	got := set.Values()
	if len(sidecar.EnvFrom) > 0 {
		c.note("envFrom: its variables count as not set")
	}
	locks := map[string]bool{}
	for i, setting := range want.Values() {
		if !setting.Locked {
			continue
		}
		name := settings.Variable(setting.Name)
		locks[name] = true
		_, fact := c.options.Facts()[setting.Name]
		switch {
		case !sidecar.has(name):
			c.add(Unlocked, "env."+name, "it is not set; install locks %s at %s", setting.Name, setting.Text)
		case setting.Name == "kserve-version" && setting.Text == Unknown && !got[i].Locked:
			c.note("env.%s takes its value from elsewhere: give --kserve-version, which chooses the health checks", name)
		case fact && setting.Text != Unknown && got[i].Locked && got[i].Text != setting.Text:
			c.add(Outdated, "env."+name, "it is %s, and the cluster has %s", got[i].Text, setting.Text)
		case setting.Name == rulesAsOf && got[i].Locked && got[i].Text != setting.Text:
			c.notes = append(c.notes, fmt.Sprintf("%s: %s is %s, and install would set %s, with other repairs: to keep it, "+
				"give install the Deployment too, or --%[2]s %[3]s", c.object, rulesAsOf, got[i].Text, setting.Text))
		}
	}
	for _, variable := range c.want.Env {
		if !locks[variable.Name] && !sidecar.has(variable.Name) {
			c.add(Missing, "env."+variable.Name, "it is not set; install sets %s", variable.Value)
		}
	}
	if target := sidecar.variable(memoryTarget).Value; target != "" && !memoryForm().MatchString(target) {
		c.add(Wrong, "env."+memoryTarget, "Go cannot read %q, so argocd-cmp-server does not start: write it as 200MiB",
			target)
	}
	return nil
}

const memoryTarget = "GOMEMLIMIT"

// memoryForm is what Go accepts as GOMEMLIMIT (parseByteCount in runtime/string.go@go1.26).
var memoryForm = lazyregexp.New(`^(off|\d+|\d+([KMGT]i)?B)$`)

// security compares the securityContext. What the container does not say counts as the pod says it, and the user is the
// platform's choice, except for root.
func (c *comparison) security(sidecar *container) {
	for _, field := range slices.Sorted(maps.Keys(c.want.SecurityContext)) {
		want, got := c.want.SecurityContext[field], sidecar.SecurityContext[field]
		if got == nil {
			got = c.pod.SecurityContext[field]
		}
		switch {
		case field == "runAsUser" && got != 0.0, reflect.DeepEqual(got, want):
		case got == nil:
			c.add(Missing, "securityContext."+field, "install sets %s", inJSON(want))
		default:
			c.add(Wrong, "securityContext."+field, "it is %s; install sets %s", inJSON(got), inJSON(want))
		}
	}
}

// inJSON writes a value of the manifest on one line, as YAML may have it too.
func inJSON(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(text)
}

// limits compares the limits with what the settings let a run take.
func (c *comparison) limits(sidecar *container) {
	limits := sidecar.Resources.Limits
	for _, name := range slices.Sorted(maps.Keys(c.want.Resources.Limits)) {
		if limits[name] == "" {
			c.add(Missing, "resources.limits."+name, "the container has no limit; install sets %s",
				c.want.Resources.Limits[name])
		}
	}
	if c.set == nil {
		return
	}
	if c.set.Locked("max-memory") {
		c.atLeast("resources.limits.memory", limits["memory"], runs*c.set.MaxMemory, "four times max-memory")
	}
	c.atLeast("resources.limits.ephemeral-storage", limits["ephemeral-storage"], c.set.MaxInput, "max-input")
}

// disk compares the limit of the volume that repositories are copied to. In memory it counts towards the memory limit,
// and on disk towards a limit of ephemeral-storage.
func (c *comparison) disk(sidecar *container) {
	mount := sidecar.mountAt(temporary)
	if mount == nil {
		return
	}
	emptyDir, field := c.pod.volume(mount.Name).EmptyDir, "volumes."+mount.Name+".emptyDir.sizeLimit"
	switch {
	case emptyDir == nil:
	case emptyDir.SizeLimit != "" && c.set != nil:
		c.atLeast(field, emptyDir.SizeLimit, c.set.MaxInput, "max-input")
	case emptyDir.SizeLimit == "" && emptyDir.Medium != "Memory" && sidecar.Resources.Limits["ephemeral-storage"] == "":
		c.add(Missing, field, "the runs can fill the disk of the node: set a limit")
	}
}

func (c *comparison) atLeast(field string, got amount, want settings.Size, what string) {
	if n, ok := quantity.Whole(string(got)); ok && n < int64(want) {
		c.add(Wrong, field, "it is %s, less than %s, which is %s", got, what, want)
	}
}

// plugin compares a plugin.yaml that is mounted over the one in the image.
func (c *comparison) plugin(sidecar *container) {
	for _, mount := range sidecar.VolumeMounts {
		if mount.MountPath != configFolder && !strings.HasPrefix(mount.MountPath, configFolder+"/") {
			continue
		}
		c.mounted(c.pod.volume(mount.Name), cmp.Or(mount.SubPath, "plugin.yaml"))
	}
}

// mounted compares a file of a volume with the plugin.yaml of the image.
func (c *comparison) mounted(volume volume, file string) {
	if volume.ConfigMap == nil {
		c.add(Wrong, "volumeMounts", "the volume %s hides the plugin.yaml of the image: remove the mount", volume.Name)
		return
	}
	configMap, key := volume.ConfigMap.Name, file
	for _, item := range volume.ConfigMap.Items {
		if item.Path == file {
			key = item.Key
		}
	}
	data, found := c.configMaps[c.namespace+"/"+configMap]
	if !found {
		c.add(Wrong, "volumeMounts", "the volume %s hides the plugin.yaml of the image: give its ConfigMap %s too, to "+
			"compare it, or remove the mount", volume.Name, configMap)
		return
	}
	if !samePlugin(data[key]) {
		c.add(Outdated, "volumeMounts", "the key %s of the ConfigMap %s differs from the plugin.yaml of the image, "+
			"which it hides: remove the mount", key, configMap)
	}
}

// samePlugin reports whether text says what the plugin.yaml of the image says.
func samePlugin(text string) bool {
	var got, want any
	if yaml.Unmarshal([]byte(text), &got) != nil || yaml.Unmarshal(pluginYAML, &want) != nil {
		return false
	}
	return reflect.DeepEqual(got, want)
}
