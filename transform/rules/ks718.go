package rules

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/lazyregexp"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks718.md
var ks718Doc string

var unfitGPUs = &transform.Rule{
	ID:    "KS718",
	Name:  "unfit-gpus",
	Title: "The GPUs of an LLMInferenceService do not fit its parallelism",
	Doc:   ks718Doc,
	Issues: []string{
		"https://github.com/vllm-project/vllm/pull/28873", "https://github.com/vllm-project/vllm/pull/30140",
	},
	Windows:  []transform.Window{kserve.LLM["v1alpha1"]},
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{kserve.LLMInferenceService},
	Example:  "0.20.0/workers",
	Severity: transform.Error,
	Run:      run(checkGPUs),
}

// singleTensor are the releases whose presets for a single node give the server parallelism.tensor. Those before give
// it nothing of parallelism, and none gives it data or dataLocal (config-llm-template.yaml, config-llm-decode-template.yaml
// and config-llm-prefill-template.yaml in config/llmisvcconfig at v0.16.0, v0.17.0, v0.19.0 and v0.20.0).
var singleTensor = since20

// presetArgs are the releases whose presets for a single node have arguments in args, and not in command (the same files).
var presetArgs = transform.Window{Before: transform.Release{0, 17, 0}}

// ownParallelism matches arguments, and variables that KServe's presets take for some, by which people choose it
// themselves.
var ownParallelism = lazyregexp.New(`(?im)parallel|(^|\s)-(tp|dp|pp)\b|--config\b`)

func checkGPUs(p *pass) {
	s := p.KServe.LLMService(p.Object)
	versions := p.KServe.LLMVersions(p.Object)
	if len(versions.Releases()) == 0 || len(s.Missing) > 0 || p.KServe.ReplacesPresets() {
		return
	}
	for _, part := range llmParts {
		if s.WithoutPreset(part) {
			continue
		}
		c := gpuCheck{p, s, part}
		if !s.HasWorkers(part) {
			c.singleNode(versions)
			continue
		}
		leads, follows := kserve.LLMTemplate, kserve.LLMWorker
		if len(part) > 1 {
			leads, follows = kserve.LLMPrefill, kserve.LLMPrefillWorker
		}
		if c.hasCommand(leads) && c.hasCommand(follows) || !c.own() {
			continue
		}
		c.ranks()
		leader, worker := c.gpus(leads), c.gpus(follows)
		c.group(leader, c.total(leader, worker))
		c.group(worker, c.total(leader, worker))
	}
}

// gpuCheck looks at the GPUs of a part of a service.
type gpuCheck struct {
	*pass
	s    *model.LLMService
	part yamldoc.Path
}

// number returns a number of the parallelism that the commands of the presets have, 1 if it is not set. They are
// templates that KServe fills from the service as it is written, while it takes the size of a group from all layers
// (ReplaceVariables in config_merge.go and GetSize in the types, of v1alpha1@v0.16.0 and v1alpha2@v0.17.0 to v0.20.0).
func (c gpuCheck) number(field string) int {
	n, _ := c.Object.Get(c.part.With("parallelism", field)...).Int()
	return max(n, 1)
}

// hasCommand reports whether container main of a pod has a command of its own in place of the preset's.
func (c gpuCheck) hasCommand(pod kserve.LLMPod) bool {
	return slices.ContainsFunc(c.s.Layers, func(layer *transform.Object) bool {
		main, _ := containerIn(layer, pod, "containers", c.mainName(pod))
		return main.Has("command")
	})
}

// own reports whether the service has a parallelism of its own, and reports one that only a Config has: the presets of
// several nodes do not ask whether there is one.
func (c gpuCheck) own() bool {
	at := c.part.With("parallelism")
	if !c.Object.Get(at...).IsNull() {
		return true
	}
	_, layer := c.s.Value(at...)
	where, _ := c.ownPlace(layer, at)
	c.Report(transform.Report{At: where, Category: c.part.String() + " ranks", Message: fmt.Sprintf("the service never gets "+
		"ready (nil pointer evaluating), because KServe's preset for several nodes takes %s from the service alone, and only "+
		"%s has it: write it into the service", at[1:], layer)})
	return false
}

// singleNode compares the GPUs of a pod without workers with those that its server takes.
func (c gpuCheck) singleNode(versions kserve.Versions) {
	pod := kserve.LLMTemplate
	if len(c.part) > 1 {
		pod = kserve.LLMPrefill
	}
	have := c.gpus(pod)
	tensor := c.number("tensor")
	switch {
	case have.count == 0:
	case versions.Any(singleTensor) && tensor > have.count:
		c.report(have, fmt.Sprintf("the model server does not start, because parallelism.tensor wants %s in its pod, "+
			"which has %d", counted(tensor, "GPU"), have.count), transform.Error)
	case versions.All(singleTensor) && tensor < have.count:
		c.report(have, fmt.Sprintf("the server leaves %d of the pod's %d GPUs idle, because %s: set it to %[2]d, or ask for %[4]s",
			have.count-tensor, have.count, c.tensorReason(), counted(tensor, "GPU")), transform.Warning)
	case !versions.Any(singleTensor) && have.count > 1:
		advice := fmt.Sprintf("add --tensor-parallel-size %d to its arguments", have.count)
		if versions.Any(presetArgs) {
			advice += ", which replace those of the preset: repeat --served-model-name and --port"
		}
		c.report(have, fmt.Sprintf("the server leaves %d of the pod's %d GPUs idle, because KServe before 0.20 gives the server of a "+
			"single node nothing of parallelism: %s", have.count-1, have.count, advice), transform.Warning)
	}
}

// tensorReason says why the server of a single node takes fewer GPUs than its pod has.
func (c gpuCheck) tensorReason() string {
	at := c.part.With("parallelism", "tensor")
	node, layer := c.s.Value(at...)
	switch {
	case layer == c.Object:
		return "parallelism.tensor is " + node.Str()
	case layer != nil:
		return fmt.Sprintf("KServe's preset takes parallelism.tensor from the service alone, and not from %s", layer)
	case c.s.Parallelism(c.part, "data") > 0 && !c.s.HasWorkers(c.part):
		return "parallelism.tensor is not set, and data means nothing without worker"
	}
	return "parallelism.tensor is not set"
}

// ranks reports a group whose pods have more or fewer data parallel ranks than the server waits for: KServe divides data
// by dataLocal, and leaves out the rest.
func (c gpuCheck) ranks() {
	size, data, local := c.size(), c.number("data"), c.number("dataLocal")
	parallelism := c.part.With("parallelism")
	own := c.Object.Get(parallelism...)
	if own.Has("data") != own.Has("dataLocal") || size*local == data { // KS811 wants both
		return
	}
	_, layer := c.s.Value(parallelism.With("data")...)
	at, _ := c.ownPlace(layer, parallelism.With("data"))
	message := fmt.Sprintf("the service never gets ready, because its leader waits for %s, and a group of %s has %d: make "+
		"data a multiple of dataLocal, which is %d", counted(data, "data parallel rank"), counted(size, "pod"), size*local,
		local)
	if layer != c.Object {
		message = fmt.Sprintf("the pods of a group do not work together, because KServe makes %d of them from data and "+
			"dataLocal of %s, and its preset gives their servers those of the service alone: write both into the service",
			size, layer)
	}
	c.Report(transform.Report{At: at, Category: c.part.String() + " ranks", Message: message})
}

// size returns how many pods a group has.
func (c gpuCheck) size() int {
	data, local := c.s.Parallelism(c.part, "data"), c.s.Parallelism(c.part, "dataLocal")
	return max(max(data, 1)/max(local, 1), 1)
}

// group compares the GPUs of a pod in a group of several nodes with those that its server takes.
func (c gpuCheck) group(have podGPUs, total string) {
	tensor, local := c.number("tensor"), c.number("dataLocal")
	need := tensor * local
	why := fmt.Sprintf("tensor %d times dataLocal %d is %d", tensor, local, need)
	if !c.Object.Get(c.part.With("parallelism")...).Has("tensor") {
		why = fmt.Sprintf("dataLocal is %d, and %s", local, c.tensorReason())
	}
	switch {
	case have.count == 0:
	case need > have.count:
		c.report(have, fmt.Sprintf("the model server does not start, because its pod has %s, and %s%s",
			counted(have.count, "GPU"), why, total), transform.Error)
	case need < have.count:
		c.report(have, fmt.Sprintf("the server leaves %d of the pod's %d GPUs idle, because %s%s", have.count-need, have.count, why,
			total), transform.Warning)
	}
}

// report reports the GPUs of a pod.
func (c gpuCheck) report(have podGPUs, message string, severity transform.Severity) {
	own, from := c.ownPlace(have.layer, have.at)
	c.Report(transform.Report{At: own, Category: have.pod, Severity: severity, Message: message + from})
}

// total says how many pods and GPUs the part has in all, if it is known.
func (c gpuCheck) total(leader, worker podGPUs) string {
	if leader.count == 0 || worker.count == 0 {
		return ""
	}
	size, replicas := c.size(), 1
	if node, _ := c.s.Value(c.part.With("replicas")...); node != nil {
		replicas, _ = node.Int()
	}
	if replicas*size <= 1 {
		return ""
	}
	return fmt.Sprintf("; all %d pods together ask for %d", replicas*size, replicas*(leader.count+(size-1)*worker.count))
}

// podGPUs is how many GPUs the server of a pod has.
type podGPUs struct {
	count int // 0 if it is not known, or if people choose the parallelism of the server themselves
	layer *transform.Object
	at    yamldoc.Path
	pod   string // its path in the spec
}

// gpus returns the GPUs of container main of a pod.
func (c gpuCheck) gpus(pod kserve.LLMPod) (found podGPUs) {
	for _, layer := range slices.Backward(c.s.Layers) {
		main, path := containerIn(layer, pod, "containers", c.mainName(pod))
		if main.Has("command") || main.Has("envFrom") || ownParallelism().MatchString(strings.Join(serverWords(main), "\n")) ||
			!main.Get("resources", "claims").IsNull() {
			return podGPUs{}
		}
		for _, amounts := range []string{"limits", "requests"} {
			for key, value := range main.Get("resources", amounts).Children() {
				if name, _ := key.(string); found.count == 0 && slices.Contains(gpus, name) {
					count, _ := strconv.Atoi(value.Str())
					found = podGPUs{max(count, 0), layer, path.With("resources", amounts, key),
						yamldoc.Path(pod.Path).String()}
				}
			}
		}
	}
	return found
}

// serverWords returns the arguments of a container, and the values of its variables. A value from elsewhere is
// unknown, and counts as one that chooses the parallelism.
func serverWords(main *yamldoc.Node) []string {
	words := main.Get("args").Strings()
	for _, v := range main.Get("env").List() {
		words = append(words, v.Get("value").Str())
		if strings.HasPrefix(v.Get("name").Str(), "VLLM_") && !v.Get("valueFrom").IsNull() {
			words = append(words, "--config")
		}
	}
	return words
}
