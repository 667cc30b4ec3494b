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
		c.ranks()
		leader, worker := c.gpus(kserve.LLMTemplate), c.gpus(kserve.LLMWorker)
		if len(part) > 1 {
			leader, worker = c.gpus(kserve.LLMPrefill), c.gpus(kserve.LLMPrefillWorker)
		}
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

// number returns a number of the parallelism, 1 if it is not set.
func (c gpuCheck) number(field string) int { return max(c.s.Parallelism(c.part, field), 1) }

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
		c.report(have, fmt.Sprintf("the model server does not start, because parallelism.tensor wants %d GPUs in its pod, "+
			"which has %d", tensor, have.count), transform.Error)
	case versions.All(singleTensor) && tensor < have.count:
		c.report(have, fmt.Sprintf("%d of the pod's %d GPUs stay idle, because parallelism.tensor is %[3]d: set it to %[2]d, "+
			"or ask for %[3]d", have.count-tensor, have.count, tensor), transform.Warning)
	case !versions.Any(singleTensor) && have.count > 1:
		c.report(have, fmt.Sprintf("%d of the pod's %d GPUs stay idle, because KServe before 0.20 gives the server of a "+
			"single node nothing of parallelism: add --tensor-parallel-size %[2]d to its arguments", have.count-1,
			have.count), transform.Warning)
	}
}

// ranks reports data that is no multiple of dataLocal: KServe divides one by the other, and leaves out the rest.
func (c gpuCheck) ranks() {
	data, local := c.s.Parallelism(c.part, "data"), c.s.Parallelism(c.part, "dataLocal")
	if local <= 0 || data%local == 0 { // KS811 wants both
		return
	}
	at := c.part.With("parallelism", "data")
	_, layer := c.s.Value(at...)
	own, from := c.ownPlace(layer, at)
	pods := max(data/local, 1)
	c.Report(transform.Report{At: own, Category: c.part.String() + " ranks", Message: fmt.Sprintf("the service never gets "+
		"ready, because its leader waits for %d data parallel ranks%s, and the %d pods of a group have %d: make data a "+
		"multiple of dataLocal, which is %d", data, from, pods, pods*local, local)})
}

// group compares the GPUs of a pod in a group of several nodes with those that its server takes.
func (c gpuCheck) group(have podGPUs, total string) {
	tensor, local := c.number("tensor"), c.number("dataLocal")
	need := tensor * local
	why := fmt.Sprintf("tensor %d times dataLocal %d is %d", tensor, local, need)
	switch {
	case have.count == 0:
	case need > have.count:
		c.report(have, fmt.Sprintf("the model server does not start, because its pod has %d GPUs, and %s%s", have.count, why,
			total), transform.Error)
	case need < have.count:
		c.report(have, fmt.Sprintf("%d of the pod's %d GPUs stay idle, because %s%s", have.count-need, have.count, why,
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
	size := max(c.number("data")/c.number("dataLocal"), 1)
	replicas := 1
	if node, _ := c.s.Value(c.part.With("replicas")...); node != nil {
		replicas, _ = node.Int()
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
