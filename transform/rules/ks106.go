package rules

import (
	_ "embed"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/lazyregexp"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/quantity"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks106.md
var ks106Doc string

var probeHandlers = &transform.Rule{
	ID:    "KS106",
	Name:  "probe-handlers",
	Title: "Kubernetes refuses a probe, a port, a resource, a variable, a volume or the name of a container",
	Doc:   ks106Doc,
	Since: transform.Release{0, 2},
	Kinds: append([]transform.GroupKind{
		kserve.InferenceService, kserve.ServingRuntime, kserve.ClusterServingRuntime,
	}, model.LLMKinds...),
	Example:  "unknown/handlers",
	Severity: transform.Error,
	Run:      run(checkContainers),
}

// checkContainers reports what Kubernetes says about the Deployment or Knative Service that KServe makes (validateProbe,
// validateHandler, validateContainerPorts, validateContainerCommon, ValidateEnv, ValidateVolumes, ValidateVolumeMounts
// and ValidateNonnegativeQuantity in pkg/apis/core/validation/validation.go of k8s.io/kubernetes@v1.34.4).
func checkContainers(p *pass) {
	s := p.KServe.Service(p.Object)
	if s != nil && s.Mode == kserve.ModelMesh {
		return
	}
	var containers []model.Container
	if s != nil {
		containers = p.KServe.Containers(s)
	}
	for _, c := range containers {
		checkHandlers(p, c)
	}
	if s != nil && s.Mode == kserve.Standard && !p.Versions.Likened() { // a fork may add volumes
		checkMounts(p, s)
	}
	var renamed []yamldoc.Path
	if s != nil {
		checkImages(p, s)
		renamed = p.renamedContainers(s)
	}
	p.walkSpec(func(at *yamldoc.Trail, node *yamldoc.Node) {
		c := refusedContainer{p, at.Path, s != nil && s.Mode == kserve.Standard}
		for place, container := range listedContainers(node) {
			named := place.With("name")
			if !slices.ContainsFunc(renamed, func(name yamldoc.Path) bool {
				return slices.Equal(name, at.Path().With(named...))
			}) {
				c.checkName(container.Get("name").Str(), "container", named...)
			}
		}
		c.checkWord(node.Get("imagePullPolicy"), []string{"Always", "IfNotPresent", "Never"}, "imagePullPolicy")
		c.checkPorts(node.Get("ports").List())
		c.checkEnv(node.Get("env").List())
		c.checkPaths(node.Get("volumeMounts").List())
		c.checkVolumes(node.Get("volumes").List())
		for i, toleration := range node.Get("tolerations").List() {
			c.checkWord(toleration.Get("effect"), []string{"NoSchedule", "PreferNoSchedule", "NoExecute"}, "tolerations", i, "effect")
		}
		for _, kind := range []string{"limits", "requests"} {
			for resource, amount := range node.Get("resources", kind).Children() {
				c.checkAmount(amount.Str(), "resources", kind, resource)
			}
		}
		for _, field := range model.Probes {
			probe := node.Get(field)
			if probe == nil {
				continue
			}
			if model.HandlerOf(probe) == model.SeveralHandlers && !slices.Contains(model.LLMKinds, p.Object.GroupKind()) &&
				!slices.ContainsFunc(containers, func(c model.Container) bool { // KS104 reports it
					return slices.Equal(c.Path.With("readinessProbe"), at.Path().With(field))
				}) {
				c.refuse("may not specify more than 1 handler type", "keep one handler", field)
			}
			c.checkNumbers(probe, field)
			c.checkWord(probe.Get("httpGet", "scheme"), []string{"HTTP", "HTTPS"}, field, "httpGet", "scheme")
			for _, handler := range model.Handlers {
				c.checkPort(probe.Get(string(handler), "port"), field, string(handler), "port")
			}
		}
	})
}

// refusedContainer is a mapping that may be a container.
type refusedContainer struct {
	pass     *pass
	at       func() yamldoc.Path
	standard bool // of a service in Standard mode
}

// listedContainers yields the containers that a mapping lists, also those that run first, with their places in it.
func listedContainers(pod *yamldoc.Node) iter.Seq2[yamldoc.Path, *yamldoc.Node] {
	return func(yield func(yamldoc.Path, *yamldoc.Node) bool) {
		for _, list := range []string{"containers", "initContainers"} {
			for i, container := range pod.Get(list).List() {
				if !yield(yamldoc.Path{list, i}, container) {
					return
				}
			}
		}
	}
}

// refusedIn returns the container at a place in a component.
func (p *pass) refusedIn(component string, place yamldoc.Path) refusedContainer {
	return refusedContainer{pass: p, at: func() yamldoc.Path { return yamldoc.Path{"spec", component}.With(place...) }}
}

func (c refusedContainer) refuse(words, advice string, at ...any) {
	c.pass.Report(transform.Report{At: c.at().With(at...), Message: fmt.Sprintf("the API server refuses what KServe makes "+
		"of this (%s): %s", words, advice)})
}

func (c refusedContainer) checkName(name, what string, at ...any) {
	if name != "" && !isPlaceholder(name) && (!label().MatchString(name) || len(name) > 63) {
		c.refuse("a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-'", "give the "+what+
			" such a name, of 63 characters at most", at...)
	}
}

// checkWord reports a field that has none of the words.
func (c refusedContainer) checkWord(field *yamldoc.Node, words []string, at ...any) {
	word := field.Str()
	if word == "" || isPlaceholder(word) || slices.Contains(words, word) {
		return
	}
	advice := "write one of them"
	if i := slices.IndexFunc(words, func(w string) bool { return strings.EqualFold(w, word) }); i >= 0 {
		advice = "write " + words[i]
	}
	c.refuse(fmt.Sprintf("Unsupported value: %q: supported values: %s", word, strings.Join(words, ", ")), advice, at...)
}

// checkPorts looks at the ports of a container. KS401 reports those that are listed twice.
func (c refusedContainer) checkPorts(ports []*yamldoc.Node) {
	named := map[string]string{}
	for i, port := range ports {
		c.checkPort(port.Get("containerPort"), "ports", i, "containerPort")
		if port.Get("containerPort").IsNull() {
			continue
		}
		c.checkWord(port.Get("protocol"), []string{"SCTP", "TCP", "UDP"}, "ports", i, "protocol")
		name := port.Get("name").Str()
		c.checkPortName(name, "ports", i, "name")
		if other, repeated := named[name]; repeated && name != "" && other != portOf(port) {
			c.refuse(fmt.Sprintf("Duplicate value: %q", name), "give each port its own name", "ports", i, "name")
		}
		named[name] = portOf(port)
	}
}

// checkEnv looks at the variables of a container.
func (c refusedContainer) checkEnv(variables []*yamldoc.Node) {
	for i, variable := range variables {
		from := variable.Get("valueFrom")
		if isWithout(variable, "name") {
			c.refuse("name: Required value", "give the variable a name", "env", i)
		}
		switch {
		case from.IsNull():
		case variable.Get("value").Str() != "":
			c.refuse("may not be specified when `value` is not empty", "keep value or valueFrom", "env", i, "valueFrom")
		case isMapping(from) && len(from.Get().Entries) == 0:
			c.refuse("must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`",
				"write where the value is from, or remove it", "env", i, "valueFrom")
		}
		for _, ref := range []string{"configMapKeyRef", "secretKeyRef"} {
			c.checkRequired(from, ref, "key", "env", i, "valueFrom")
		}
	}
}

// isWithout reports whether a mapping has nothing in a field.
func isWithout(mapping *yamldoc.Node, field string) bool {
	value := mapping.Get(field)
	return isMapping(mapping) && value.Str() == "" && len(value.List()) == 0
}

// checkRequired reports a mapping of the parent without a field that it has to have.
func (c refusedContainer) checkRequired(parent *yamldoc.Node, mapping, field string, at ...any) {
	if isWithout(parent.Get(mapping), field) {
		c.refuse(field+": Required value", "write it", append(at, mapping)...)
	}
}

// checkPaths looks at the paths of a container's mounts.
func (c refusedContainer) checkPaths(mounts []*yamldoc.Node) {
	for i, mount := range mounts {
		if isWithout(mount, "mountPath") {
			c.refuse("mountPath: Required value", "write it", "volumeMounts", i)
		}
		switch path := mount.Get("subPath").Str(); {
		case strings.HasPrefix(path, "/"):
			c.refuse("must be a relative path", "write one", "volumeMounts", i, "subPath")
		case slices.Contains(strings.Split(path, "/"), ".."):
			c.refuse("must not contain '..'", "write the path without it", "volumeMounts", i, "subPath")
		}
	}
}

// hostPathTypes are those that hostPath takes.
var hostPathTypes = []string{
	"BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket",
}

// checkVolumes looks at the volumes of a pod. One without a type is an emptyDir.
func (c refusedContainer) checkVolumes(volumes []*yamldoc.Node) {
	for i, volume := range volumes {
		at := []any{"volumes", i}
		c.checkName(volume.Get("name").Str(), "volume", "volumes", i, "name")
		types := 0
		for key, value := range volume.Children() {
			if key != "name" && !value.IsNull() {
				types++
			}
		}
		if types > 1 {
			c.refuse("may not specify more than 1 volume type", "keep one", at...)
		}
		c.checkRequired(volume, "persistentVolumeClaim", "claimName", at...)
		c.checkRequired(volume, "configMap", "name", at...)
		c.checkRequired(volume, "secret", "secretName", at...)
		c.checkWord(volume.Get("hostPath", "type"), hostPathTypes, "volumes", i, "hostPath", "type")
	}
}

// label matches the names of containers and volumes.
var label = lazyregexp.New(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`)

// checkPort reports numbers that no port has. Knative puts its own port in the place of 0, and KServe the preset's.
func (c refusedContainer) checkPort(port *yamldoc.Node, at ...any) {
	n, given := port.Int()
	if given && (n < 0 || n > 65535 || n == 0 && c.standard) {
		c.refuse("must be between 1 and 65535", "write the port on which the server listens", at...)
	}
}

// checkPortName reports names that a container's port cannot have (IsValidPortName in
// k8s.io/apimachinery@v0.34.4/pkg/util/validation/validation.go).
func (c refusedContainer) checkPortName(name string, at ...any) {
	switch {
	case name == "" || isPlaceholder(name):
	case len(name) > 15:
		c.refuse("must be no more than 15 characters", "give the port a shorter name", at...)
	case !portName().MatchString(name):
		c.refuse("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)", "give the port such a name", at...)
	case strings.Trim(name, "-0123456789") == "":
		c.refuse("must contain at least one letter (a-z)", "give the port such a name", at...)
	case strings.Trim(name, "-") != name || strings.Contains(name, "--"):
		c.refuse("must not begin or end with a hyphen, or contain consecutive hyphens", "give the port another name", at...)
	}
}

// portName matches the characters of the names of ports.
var portName = lazyregexp.New(`^[-a-z0-9]+$`)

// probeNumbers are the numbers of a probe. 0 stands for the default.
var probeNumbers = []string{
	"initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold",
}

func (c refusedContainer) checkNumbers(probe *yamldoc.Node, field string) {
	for _, name := range probeNumbers {
		if n, _ := probe.Get(name).Int(); n < 0 {
			c.refuse("must be greater than or equal to 0", "remove it, or raise it", field, name)
		}
	}
	grace := "terminationGracePeriodSeconds"
	switch n, given := probe.Get(grace).Int(); {
	case given && field == "readinessProbe":
		c.refuse("must not be set for readinessProbes", "remove it", field, grace)
	case given && n <= 0:
		c.refuse("must be greater than 0", "remove it, or raise it", field, grace)
	}
	if n, _ := probe.Get("successThreshold").Int(); n > 1 && field != "readinessProbe" {
		c.refuse("must be 1", "remove it", field, "successThreshold")
	}
}

// checkAmount reports an amount of a resource below 0.
func (c refusedContainer) checkAmount(amount string, at ...any) {
	below, negative := strings.CutPrefix(amount, "-")
	if !negative {
		return
	}
	if order, ok := quantity.Compare(below, "0"); ok && order > 0 {
		c.refuse("must be greater than or equal to 0", "remove it, or write how much the container needs", at...)
	}
}

// checkImages reports containers without an image in a component that has no field for a model.
func checkImages(p *pass, s *model.Service) {
	for _, component := range s.Components() {
		if field, _ := s.Framework(component); field != "" {
			continue
		}
		for place, container := range listedContainers(s.Get("spec", component)) {
			if isWithout(container, "image") {
				p.refusedIn(component, place).refuse("image: Required value", "write the image")
			}
		}
	}
}

// checkMounts reports mounts of volumes that a pod does not have. A runtime may bring those of a model.
func checkMounts(p *pass, s *model.Service) {
	for _, component := range s.Components() {
		volumes := s.Get("spec", component, "volumes")
		var names []string
		for _, volume := range volumes.List() {
			names = append(names, volume.Get("name").Str())
		}
		if field, _ := s.Framework(component); field != "" || slices.ContainsFunc(names, isPlaceholder) ||
			isPlaceholder(volumes.Str()) {
			continue
		}
		for place, container := range listedContainers(s.Get("spec", component)) {
			p.refusedIn(component, place).checkVolumeMounts(container.Get("volumeMounts").List(), names, component)
		}
	}
}

// checkVolumeMounts reports the mounts of volumes that are not among those of the component.
func (c refusedContainer) checkVolumeMounts(mounts []*yamldoc.Node, volumes []string, component string) {
	for i, mount := range mounts {
		if name := mount.Get("name").Str(); name != "" && !isPlaceholder(name) && !slices.Contains(volumes, name) {
			c.refuse("Not found: "+strconv.Quote(name), "add the volume to "+component+".volumes, or remove the mount",
				"volumeMounts", i, "name")
		}
	}
}
