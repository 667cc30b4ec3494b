package rules

import (
	_ "embed"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/lazyregexp"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks111.md
var ks111Doc string

var mainContainer = &transform.Rule{
	ID:       "KS111",
	Name:     "main-container",
	Title:    "The model's container is not called main, so KServe's preset adds a second one",
	Doc:      ks111Doc,
	Windows:  []transform.Window{kserve.LLM["v1alpha1"]},
	Since:    transform.Release{0, 2},
	Kinds:    model.LLMKinds,
	Example:  "unknown/only",
	Severity: transform.Error,
	Restarts: true,
	Run:      run(checkMainContainers),
}

func checkMainContainers(p *pass) {
	if kserve.IsPreset(p.Object.Name) || len(p.KServe.LLMVersions(p.Object).Releases()) == 0 {
		return
	}
	for _, pod := range kserve.LLMPods {
		if p.ownPreset(pod) {
			for _, c := range p.meantAsMain(pod) {
				p.nameMain(c, pod)
			}
			p.checkHelpers(pod)
			p.checkInitializer(pod)
		}
	}
}

// helper matches the names of containers that KServe or its presets have in another place, or that only watch the model
// server.
var helper = lazyregexp.New(
	`^(storage-initializer|kserve-router|tokenizer|(.*-)?(agent|exporter|proxy|sidecar))$`)

// checkHelpers reports helpers that complete no container, because the preset has none with their name in this place.
func (p *pass) checkHelpers(pod kserve.LLMPod) {
	users := p.KServe.LLMUsers(p.Object)
	if len(users) == 0 || slices.ContainsFunc(users, func(s *model.LLMService) bool { return len(s.Missing) > 0 }) {
		return
	}
	for _, name := range p.KServe.LLMContainers(p.Object, pod) {
		c := p.KServe.LLMContainer(p.Object, pod, name)
		imageless := c.Node != nil && c.Get("image").Str() == "" && !c.MergedElsewhere("image")
		if imageless && helper().MatchString(name) && !slices.Contains(pod.Others, name) {
			p.Report(transform.Report{At: c.Path.With("name"), Message: fmt.Sprintf(
				"the API server refuses the %s, because container %s has no image, neither here nor in KServe's "+
					"preset: %s", p.refused(pod), name, p.helperPlace(name))})
		}
	}
}

// initializedProtocols are those of models that KServe loads with an init container (attachModelArtifacts in
// workload_storage.go of pkg/controller/v1alpha1/llmisvc@v0.16.0 and pkg/controller/v1alpha2/llmisvc@v0.20.0).
var initializedProtocols = []string{"hf", "s3"}

// checkInitializer reports containers with the name of the init container that KServe adds to load the model. One
// without an image is a helper for checkHelpers.
func (p *pass) checkInitializer(pod kserve.LLMPod) {
	protocol := p.initialized()
	if protocol == "" || isScheduler(pod) {
		return
	}
	c := p.KServe.LLMContainer(p.Object, pod, kserve.StorageInitializer)
	if c.Node != nil && (c.Get("image").Str() != "" || c.MergedElsewhere("image")) {
		p.Report(transform.Report{At: c.Path.With("name"), Message: fmt.Sprintf("the API server refuses the %s, "+
			"because KServe adds an init container %s for %s://, and a pod has each name once: give this one another name, "+
			"or %s", p.refused(pod), c.Name, protocol, p.helperPlace(c.Name))})
	}
	versions := p.KServe.LLMVersions(p.Object)
	if versions.Any(kserve.LLMInitializerMerged) {
		return
	}
	list := yamldoc.Path{"spec"}.With(pod.Path...).With("initContainers")
	for i, init := range p.Object.Get(list...).List() {
		if init.Get("name").Str() != kserve.StorageInitializer {
			continue
		}
		f := transform.Report{At: list.With(i, "name")}
		if versions.Any(kserve.LLMInitializerTwice) {
			f.Message = "the API server refuses the " + p.refused(pod) + ", because KServe before 0.19 adds a second init " +
				"container " + kserve.StorageInitializer
		} else {
			f.Severity = transform.Warning
			f.Message = "this init container has no effect, because KServe 0.19 puts its own in its place"
		}
		f.Message += ": upgrade to 0.20, which merges the two, or remove it and " + p.helperPlace(kserve.StorageInitializer)
		p.Report(f)
	}
}

// initialized returns the protocol by which KServe loads the model of a user of the pass's object with an init
// container, empty if there is none, or a Config that is not in the render or a connection may say otherwise.
func (p *pass) initialized() string {
	for _, s := range p.KServe.LLMUsers(p.Object) {
		enabled, _ := s.Value("spec", "storageInitializer", "enabled")
		uri, _ := mergedURI(s)
		protocol, _ := protocolOf(uri)
		if len(s.Missing) == 0 && !connected(s.Object) && enabled.Str() != "false" && slices.Contains(initializedProtocols, protocol) {
			return protocol
		}
	}
	return ""
}

// helperPlace says where the settings of a helper belong.
func (p *pass) helperPlace(name string) string {
	switch name {
	case kserve.StorageInitializer:
		const merged = "move it to initContainers, where KServe merges it with its own"
		const secret = "put its credentials into the Secret of the service account, where KServe's own finds them"
		switch versions := p.KServe.LLMVersions(p.Object); {
		case versions.All(kserve.LLMInitializerMerged):
			return merged
		case !versions.Any(kserve.LLMInitializerMerged):
			return secret
		}
		return "from KServe 0.20 on " + merged + ", and before " + secret
	case kserve.LLMSidecar:
		return "move it to spec.template.initContainers, where the preset has it"
	case kserve.LLMTokenizer:
		return "move it to spec.router.scheduler.template.containers, where the preset has it"
	}
	return "give it an image"
}

// ownPreset reports whether KServe merges the pod of the pass's object with a preset: not with one of workers that are
// not data parallel, nor with a scheduler of the user's own.
func (p *pass) ownPreset(pod kserve.LLMPod) bool {
	users := p.KServe.LLMUsers(p.Object)
	if len(users) == 0 { // a Config
		users = []*model.LLMService{{Object: p.Object, Layers: []*transform.Object{p.Object}}}
	}
	return !slices.ContainsFunc(users, func(s *model.LLMService) bool { return s.WithoutPreset(podParent(pod)) }) &&
		!p.KServe.Anywhere(p.Object, podParent(pod).With("pool", "ref")...)
}

// leadsWorkers reports whether the pod, in the pass's object or one that it is merged with, belongs to a group of
// several nodes.
func (p *pass) leadsWorkers(pod kserve.LLMPod) bool {
	return p.KServe.Anywhere(p.Object, podParent(pod).With(kserve.LLMWorkers)...)
}

// refused returns what the API server refuses if a pod is invalid: the controller of LeaderWorkerSets makes a
// StatefulSet of each pod template (constructLeaderStatefulSetApplyConfiguration in
// pkg/controllers/leaderworkerset_controller.go of kubernetes-sigs/lws@v0.8.0).
func (p *pass) refused(pod kserve.LLMPod) string {
	if p.leadsWorkers(pod) {
		return "StatefulSet of the LeaderWorkerSet"
	}
	return "Deployment"
}

// podParent returns the path of the object that has the pod's template.
func podParent(pod kserve.LLMPod) yamldoc.Path {
	return yamldoc.Path{"spec"}.With(pod.Path[:len(pod.Path)-1]...)
}

// podTemplate is a pod template of a service or a Config, by its path in the spec.
type podTemplate struct {
	*transform.Object
	path string
}

// mainNames is what a pod template says about its containers, together with all that it is merged with.
type mainNames struct {
	meant  map[string]bool // those that are meant to be merged with the preset's
	unsure string          // why they do not get the name main, empty when they do
}

// findMains looks at the pod templates of all services and Configs of a render.
func findMains(m *model.Model) map[podTemplate]*mainNames {
	found := map[podTemplate]*mainNames{}
	for _, group := range m.LLMGroups() {
		for _, pod := range kserve.LLMPods {
			names := &mainNames{meant: map[string]bool{}, unsure: staysUnnamed(m, group, pod)}
			for _, o := range group {
				for _, name := range m.LLMContainers(o, pod) {
					c := m.LLMContainer(o, pod, name)
					names.meant[name] = names.meant[name] || c.Node != nil && meantAsMain(c, pod)
				}
				found[podTemplate{o, fmt.Sprint(pod.Path...)}] = names
			}
		}
	}
	return found
}

// mainNames returns what is known about the containers of the pass's object and of all that it is merged with.
func (p *pass) mainNames(pod kserve.LLMPod) *mainNames {
	return p.index.mains()[podTemplate{p.Object, fmt.Sprint(pod.Path...)}]
}

// meantAsMain returns the containers of the pass's object that are meant to be merged with the preset's, if no layer
// has a container main.
func (p *pass) meantAsMain(pod kserve.LLMPod) (found []model.Container) {
	names := p.KServe.LLMContainers(p.Object, pod)
	if slices.Contains(names, kserve.MainContainer) {
		return nil
	}
	for _, name := range names {
		if c := p.KServe.LLMContainer(p.Object, pod, name); c.Node != nil && p.mainNames(pod).meant[name] {
			found = append(found, c)
		}
	}
	return found
}

// mainName returns the name of the container of the pass's object that KServe merges with the preset's, once it is called
// so.
func (p *pass) mainName(pod kserve.LLMPod) string {
	names, found := p.KServe.LLMContainers(p.Object, pod), p.mainNames(pod)
	if i := slices.IndexFunc(names, func(name string) bool { return found.meant[name] }); i >= 0 && found.unsure == "" &&
		!slices.Contains(names, kserve.MainContainer) {
		return names[i]
	}
	return kserve.MainContainer
}

// nameMain reports a container that is meant to be merged with the preset's.
func (p *pass) nameMain(c model.Container, pod kserve.LLMPod) {
	second := "model server"
	if isScheduler(pod) {
		second = "scheduler"
	}
	f := transform.Report{At: c.Path.With("name"), Message: fmt.Sprintf(
		"the pod gets a second %s beside %s, because KServe's preset calls its container %s: call this one %[3]s",
		second, c.Name, kserve.MainContainer)}
	if f.Unrepaired = p.mainNames(pod).unsure; f.Unrepaired == "" {
		f.Edits = p.Object.Edits(yamldoc.Set(f.At, kserve.MainContainer))
		f.Restarts = p.llmRestarted()
	}
	p.Report(f)
}

func isScheduler(pod kserve.LLMPod) bool { return pod.Handler == kserve.LLMScheduler.Handler }

// staysUnnamed returns why a container of objects that are merged does not get the name main, empty when it does.
func staysUnnamed(m *model.Model, group []*transform.Object, pod kserve.LLMPod) string {
	if isScheduler(pod) {
		return "its args would take the place of all that the preset gives the scheduler"
	}
	for _, layer := range group {
		names := m.LLMContainers(layer, pod)
		if len(names) > 1 {
			return "the pod has several containers"
		}
		if len(names) > 0 {
			if port := otherPort(m.LLMContainer(layer, pod, names[0]), pod); port != "" {
				return fmt.Sprintf("KServe's Service and probes expect port %d, and %s", pod.Ports[0], port)
			}
		}
		if isPlatformConfig(layer) && len(names) > 0 && m.LLMContainer(layer, pod, names[0]).Node != nil {
			return fmt.Sprintf("other apps may use the name that %s gives it", layer)
		}
		for _, s := range m.LLMUsers(layer) {
			if s.WithoutPreset(podParent(pod)) {
				return fmt.Sprintf("%s has workers that are not data parallel, and KServe has no preset for them", s)
			}
			if len(s.Missing) > 0 {
				return fmt.Sprintf("these manifests do not have the Config %s, which may use the name too", s.Missing[0])
			}
		}
	}
	return ""
}

// otherPort says where the server of a container listens, if that is not a port of the preset's container: on the port
// that an argument or a variable names, or that it declares beside a command of its own.
func otherPort(c model.Container, pod kserve.LLMPod) string {
	if c.Node == nil || pod.IsWorker() {
		return ""
	}
	elsewhere := ""
	for _, port := range pod.Ports {
		name, value := c.ServesElsewhere(port)
		if name == "" {
			elsewhere = ""
			break
		}
		elsewhere = fmt.Sprintf("its %s is %s", name, value)
	}
	isPreset := func(port int) bool { return slices.Contains(pod.Ports, port) }
	declared := c.DeclaredPorts()
	if elsewhere == "" && c.Has("command") && len(declared) > 0 && !slices.ContainsFunc(declared, isPreset) {
		elsewhere = fmt.Sprintf("its containerPort is %d", declared[0])
	}
	return elsewhere
}

var (
	accelerator = lazyregexp.New(`(?i)/(.*gpu.*|mig-.*|gaudi|npu|tpu|neuron.*)$`)
	modelServer = lazyregexp.New(
		`^(vllm|sglang|vllm-openai|(vllm|llm-d)-(cuda|rocm|cpu|xpu|hpu|gaudi)[a-z0-9-]*|llm-d-inference-sim)(:|@|$)`)
	startsServer = lazyregexp.New(`\bvllm serve\b|\bvllm\.entrypoints\b|\bsglang\.launch_server\b`)

	scheduler       = lazyregexp.New(`^(epp|(.*-)?(inference-)?scheduler|(.*-)?endpoint-picker)(:|@|$)`)
	startsScheduler = lazyregexp.New(`(^|/)epp\b|--pool-?[nN]ame\b`)
)

// meantAsMain reports whether a container is certainly meant to be the preset's: it has no image of its own, so it can
// only complete another one, or it is a model server, or a scheduler by its name, its image or its arguments.
func meantAsMain(c model.Container, pod kserve.LLMPod) bool {
	if slices.Contains(pod.Others, c.Name) || helper().MatchString(c.Name) {
		return false
	}
	if c.Get("image").Str() == "" && !c.MergedElsewhere("image") {
		return true
	}
	words := strings.Join(slices.Concat(c.Get("command").Strings(), c.Get("args").Strings()), " ")
	if isScheduler(pod) {
		return scheduler().MatchString(c.Name) || scheduler().MatchString(path.Base(c.Get("image").Str())) ||
			startsScheduler().MatchString(words)
	}
	for _, amounts := range []string{"limits", "requests"} {
		if resources := c.Get("resources", amounts); resources != nil {
			for _, e := range resources.Entries {
				if accelerator().MatchString(e.Key.Value) {
					return true
				}
			}
		}
	}
	return c.Name == kserve.ServingContainer || startsServer().MatchString(words) ||
		modelServer().MatchString(path.Base(c.Get("image").Str()))
}
