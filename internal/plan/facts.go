package plan

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/lazyregexp"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/quantity"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/terminal"
)

// facts returns what people want to know of an object, in few words each.
func facts(f *forest, o Object) []string {
	switch r := referenceOf(o); r.Kind {
	case "Deployment":
		return deployment(f, o)
	case "LeaderWorkerSet":
		return workerSet(f, o)
	case "Service":
		if r.APIVersion == "serving.knative.dev/v1" {
			return knative(f, o)
		}
		return ports(o)
	case "HorizontalPodAutoscaler", "ScaledObject":
		low, high := scale(o)
		return []string{fmt.Sprintf("%d to %d replicas", low, high)}
	case "HTTPRoute":
		return list("hostnames", at(o, "spec", "hostnames"))
	case "VirtualService":
		return list("hosts", at(o, "spec", "hosts"))
	case "Ingress":
		rules, _ := at(o, "spec", "rules").([]any)
		var hosts []any
		for _, rule := range rules {
			hosts = append(hosts, at(rule, "host"))
		}
		return list("hosts", hosts)
	}
	if url, _ := at(o, "status", "url").(string); url != "" && !isLeft(o, url) {
		return []string{url}
	}
	return nil
}

// isLeft reports whether a service no longer has its URL: KServe leaves that of an LLMInferenceService where it takes
// the addresses away (updateRoutingStatus in pkg/controller/v1alpha2/llmisvc/router.go of KServe 0.20.0).
func isLeft(o Object, url string) bool {
	addresses, _ := at(o, "status", "addresses").([]any)
	return o["kind"] == "LLMInferenceService" &&
		!slices.ContainsFunc(addresses, func(address any) bool { return at(address, "url") == url })
}

// kedaMost are the replicas of a ScaledObject that names no most (defaultHPAMaxReplicas in apis/keda/v1alpha1 of KEDA).
const kedaMost = 100

// scale returns how many replicas an autoscaler gives its workload, none for another object.
func scale(o Object) (low, high int64) {
	switch o["kind"] {
	case "HorizontalPodAutoscaler":
		return number(at(o, "spec", "minReplicas"), 1), number(at(o, "spec", "maxReplicas"), 1)
	case "ScaledObject":
		return number(at(o, "spec", "minReplicaCount"), 0), number(at(o, "spec", "maxReplicaCount"), kedaMost)
	}
	return 0, 0
}

func list(name string, values any) []string {
	var all []string
	items, _ := values.([]any)
	for _, item := range items {
		if s, _ := item.(string); s != "" && !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	if len(all) == 0 {
		return nil
	}
	return []string{name + " " + strings.Join(all, ", ")}
}

func ports(o Object) []string {
	var all []string
	items, _ := at(o, "spec", "ports").([]any)
	for _, item := range items {
		shown := fmt.Sprint(number(at(item, "port"), 0))
		if target := at(item, "targetPort"); target != nil {
			shown += " to " + fmt.Sprint(target)
		}
		all = append(all, shown)
	}
	if len(all) == 0 {
		return nil
	}
	return []string{"port " + strings.Join(all, ", ")}
}

// deployment describes what runs pods: how many, with which images and ports, and the GPUs that they take.
func deployment(f *forest, o Object) []string {
	replicas := number(at(o, "spec", "replicas"), 1)
	facts := []string{terminal.Count(int(replicas), "replica")}
	pod := podOf(f, o)
	facts = append(facts, describeAll("", pod)...)
	surge := at(o, "spec", "strategy", "rollingUpdate", "maxSurge")
	return append(facts, gpuFacts("pod", podGPUs(pod), max(replicas, f.largest[referenceOf(o).Groupless()]), surge)...)
}

// workerSet describes a LeaderWorkerSet, whose replicas have one leader, made like the workers unless it has a template of
// its own.
func workerSet(f *forest, o Object) []string {
	template := at(o, "spec", "leaderWorkerTemplate")
	size, replicas := number(at(template, "size"), 1), number(at(o, "spec", "replicas"), 1)
	facts := []string{terminal.Count(int(size), "pod") + " a replica", terminal.Count(int(replicas), "replica")}
	leader, worker := at(template, "leaderTemplate", "spec"), at(template, "workerTemplate", "spec")
	own := leader != nil
	if !own {
		leader = worker
	}
	facts = append(facts, describeAll("", leader)...)
	if own && size > 1 {
		facts = append(facts, describeAll("worker ", worker)...)
	}
	surge := at(o, "spec", "rolloutStrategy", "rollingUpdateConfiguration", "maxSurge")
	return append(facts, gpuFacts("replica", podGPUs(leader)+podGPUs(worker)*(size-1),
		max(replicas, f.largest[referenceOf(o).Groupless()]), surge)...)
}

// gpuFacts tells how many GPUs a pod or replica takes, if any, and how many all do, also while a rollout has more of them.
func gpuFacts(unit string, each, largest int64, surge any) []string {
	if each == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s a %s, %d at %s, %d during a rollout", terminal.Count(int(each), "GPU"), unit, each*largest,
		terminal.Count(int(largest), "replica"), each*(largest+surplus(surge, largest)))}
}

// podOf is the spec of the pod of a Deployment or a Knative Service, which has what KServe's webhooks add to the
// template, or that of the template if there is no pod.
func podOf(f *forest, o Object) any {
	for _, child := range f.children[referenceOf(o).Versionless()] {
		if child.Kind == "Pod" {
			return at(f.objects[child], "spec")
		}
	}
	return at(o, "spec", "template", "spec")
}

// containersOf are those of the spec of a pod.
func containersOf(pod any) (containers, initial []any) {
	containers, _ = at(pod, "containers").([]any)
	initial, _ = at(pod, "initContainers").([]any)
	return containers, initial
}

// describeAll describes the containers of a pod, which is of some role, and those that run first.
func describeAll(role string, pod any) (facts []string) {
	containers, initial := containersOf(pod)
	for _, c := range containers {
		facts = append(facts, role+describe(c))
	}
	for _, c := range initial {
		facts = append(facts, role+"first "+describe(c))
	}
	return facts
}

func describe(container any) string {
	name, _ := at(container, "name").(string)
	image, _ := at(container, "image").(string)
	shown := strings.TrimSpace(name + " " + image)
	if ports, _ := at(container, "ports").([]any); len(ports) > 0 {
		shown += " port " + fmt.Sprint(number(at(ports[0], "containerPort"), 0))
	}
	return shown
}

// accelerators are the extended resources that count as GPUs: those of AMD, AWS, Google, Habana, Intel and NVIDIA, with
// the parts of one that NVIDIA and AMD have resources for.
var accelerators = lazyregexp.New(`^(.*/(gpu|gaudi)|aws\.amazon\.com/neuron(core|device)?|google\.com/tpu|` +
	`gpu\.intel\.com/(i915|xe)|nvidia\.com/(gpu\.shared|mig-.+)|amd\.com/[a-z]+_nps\d)$`)

// podGPUs counts the accelerators that a pod asks for, as the scheduler does: what its containers and sidecars have together,
// or more if an init container beside the sidecars before it has more.
func podGPUs(pod any) int64 {
	containers, initial := containersOf(pod)
	var sidecars, most int64
	for _, c := range initial {
		own := gpus([]any{c})
		most = max(most, sidecars+own)
		if at(c, "restartPolicy") == "Always" {
			sidecars += own
		}
	}
	return max(most, sidecars+gpus(containers))
}

// gpus counts the accelerators that containers ask for.
func gpus(containers []any) int64 {
	var sum int64
	for _, c := range containers {
		limits, _ := at(c, "resources", "limits").(map[string]any)
		for name, value := range limits {
			if accelerators().MatchString(name) {
				sum += number(value, 0)
			}
		}
	}
	return sum
}

// noteScale notes the most replicas that an autoscaler gives its workload.
func (f *forest) noteScale(scaler Object) {
	_, most := scale(scaler)
	if most == 0 {
		return
	}
	target := Reference{Kind: "Deployment", Namespace: referenceOf(scaler).Namespace}
	if kind, _ := at(scaler, "spec", "scaleTargetRef", "kind").(string); kind != "" {
		target.Kind = kind
	}
	target.Name, _ = at(scaler, "spec", "scaleTargetRef", "name").(string)
	f.largest[target] = max(f.largest[target], most)
}

// surplus returns how many pods or replicas a rollout may have beyond the others: a number, or a percentage of them. What
// is made again in place has none.
func surplus(surge any, replicas int64) int64 {
	text, _ := surge.(string)
	if percent, found := strings.CutSuffix(text, "%"); found {
		share, err := strconv.ParseFloat(percent, 64)
		if err != nil {
			return 0
		}
		return int64(math.Ceil(share / 100 * float64(replicas)))
	}
	return number(surge, 0)
}

// knative describes a Knative Service, whose controller keeps as many pods as its annotations allow.
func knative(f *forest, o Object) []string {
	annotations := at(o, "spec", "template", "metadata", "annotations")
	// Knative also reads the spellings of older releases (pkg/apis/autoscaling/register.go of knative/serving).
	bound := func(name, older, otherwise string) string {
		value, _ := at(annotations, "autoscaling.knative.dev/"+name).(string)
		old, _ := at(annotations, "autoscaling.knative.dev/"+older).(string)
		return cmp.Or(value, old, otherwise)
	}
	most, shown := number(bound("max-scale", "maxScale", ""), 0), "any number of" // which 0 means, too
	if most > 0 {
		shown = fmt.Sprint(most)
	}
	facts := []string{fmt.Sprintf("%s to %s replicas", bound("min-scale", "minScale", "0"), shown)}
	pod := podOf(f, o)
	facts = append(facts, describeAll("", pod)...)
	perPod := podGPUs(pod)
	if most > 0 {
		first := max(1, number(bound("min-scale", "minScale", ""), 1)) // pods of a new revision, while the older one serves
		facts = append(facts, gpuFacts("pod", perPod, most, float64(first))...)
	} else if perPod > 0 {
		facts = append(facts, terminal.Count(int(perPod), "GPU")+" a pod")
	}
	if traffic, _ := at(o, "spec", "traffic").([]any); len(traffic) > 1 {
		for _, share := range traffic {
			revision, _ := at(share, "revisionName").(string)
			facts = append(facts, fmt.Sprintf("%d%% of requests to %s", number(at(share, "percent"), 0),
				cmp.Or(revision, "the newest revision")))
		}
	}
	return facts
}

// number reads a count that JSON has as a number or as text.
func number(value any, otherwise int64) int64 {
	switch value := value.(type) {
	case float64:
		return int64(value)
	case string:
		if n, ok := quantity.Whole(value); ok {
			return n
		}
	}
	return otherwise
}
