package rules

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// knativeClassKey chooses Knative's autoscaler. With knativeHPA the webhook validates a Knative service as if KServe
// made an HPA for it.
const (
	knativeClassKey = "autoscaling.knative.dev/class"
	knativeHPA      = "hpa.autoscaling.knative.dev"
)

// scalingByMode are the releases that validate the metric of each Standard service as one of an HPA, and read it from
// annotations too. The later ones, scalingByClass, do so only if the class is hpa, know the class keda and the field
// autoScaling (validateAutoScalingCompExtension in inference_service_validation.go@v0.14.1 and @v0.15.0).
var (
	scalingByMode  = transform.Window{Before: kserve.ScalingAnnotationsIgnored.From}
	scalingByClass = kserve.ScalingAnnotationsIgnored
)

// deploymentStrategy are the releases that have the field of that name (component.go@v0.13.1).
var deploymentStrategy = transform.Window{From: transform.Release{0, 13, 0}}

//go:embed ks801.md
var ks801Doc string

var refusedScaling = &transform.Rule{
	ID:       "KS801",
	Name:     "refused-scaling",
	Title:    "KServe refuses the replicas or the autoscaling of a component",
	Doc:      ks801Doc,
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{kserve.InferenceService},
	Example:  "unknown/replicas",
	Severity: transform.Error,
	Run:      run(checkScaling),
}

func checkScaling(p *pass) {
	s := p.KServe.Service(p.Object)
	checkRefusedClass(p, s)
	checkScalingAnnotations(p, s)
	components(s, func(name string, spec *yamldoc.Node) {
		c := scaling{p, s, name, yamldoc.Path{"spec", name}, spec}
		c.checkReplicas()
		c.checkByMode(p.validatedMode(s))
	})
}

var (
	hpaMetrics     = []string{"cpu", "memory"}
	knativeMetrics = []string{"concurrency", "rps"}
	scaleMetrics   = slices.Concat(hpaMetrics, knativeMetrics)
)

// checkRefusedClass reports a class that KS201 leaves alone: of a service that is not in Standard mode, one that a
// component's annotation hides, and one beside workers. The webhook reads the service's annotation in every mode.
func checkRefusedClass(p *pass, s *model.Service) {
	node := s.Get("metadata", "annotations", kserve.AutoscalerClassAnnotation)
	if node == nil {
		return
	}
	framework, _ := s.Framework(kserve.Predictor)
	byKS201 := s.ClassPath(kserve.Predictor)[0] == "metadata" && node.Str() != ""
	if s.HasWorkers() {
		byKS201 = framework != "" && p.Versions.Any(multiNode)
	}
	if byKS201 && s.MayBeStandard() {
		return
	}
	class := node.Str()
	window, known := kserve.AutoscalerClasses[class]
	r := refusal{
		at:     yamldoc.Path{"metadata", "annotations", kserve.AutoscalerClassAnnotation},
		words:  fmt.Sprintf("[%s] is not a supported autoscaler class type", class),
		advice: "use hpa, external, keda or none",
	}
	if known {
		r.only, r.advice = transform.Window{Before: window.From}, fmt.Sprintf("upgrade to %s, or remove it", window.From)
	}
	if !known || window.From != (transform.Release{}) {
		p.refuse(r)
	}
}

// checkScalingAnnotations reports annotations that old releases validate (inference_service_validation.go@v0.14.1).
func checkScalingAnnotations(p *pass, s *model.Service) {
	annotations := s.Get("metadata", "annotations")
	at := yamldoc.Path{"metadata", "annotations"}
	if target := annotations.Get(targetKey); target != nil {
		if percent, err := strconv.Atoi(target.Str()); err != nil || percent < 1 || percent > 100 {
			p.refuse(refusal{at: at.With(targetKey), only: scalingByMode,
				words: percentWords, advice: "give a percentage from 1 to 100"})
		}
	}
	metric := annotations.Get(metricsKey)
	hpa := s.Annotation(kserve.AutoscalerClassAnnotation) == "hpa"
	if hpa && metric != nil && !slices.Contains(hpaMetrics, metric.Str()) {
		p.refuse(refusal{at: at.With(metricsKey), only: scalingByMode,
			words: notSupported(metric.Str()), advice: "use cpu or memory, by which an HPA scales"})
	}
}

const percentWords = "the target utilization percentage should be a [1-100] integer"

func notSupported(metric string) string { return fmt.Sprintf("[%s] is not a supported metric", metric) }

// scaling is the scaling of one component.
type scaling struct {
	*pass
	service   *model.Service
	component string
	at        yamldoc.Path
	spec      *yamldoc.Node
}

// checkReplicas reports numbers that make no sense in any mode (component.go@v0.11.2 to @v0.20.0).
func (c scaling) checkReplicas() {
	if n, ok := c.spec.Get("containerConcurrency").Int(); ok && n < 0 {
		c.refuse(refusal{at: c.at.With("containerConcurrency"), words: "parallelism cannot be less than 0",
			advice: "remove it, or set 0 for no limit"})
	}
	least, given := c.spec.Get("minReplicas").Int()
	most, _ := c.spec.Get("maxReplicas").Int()
	switch {
	case given && least < 0:
		c.refuse(refusal{at: c.at.With("minReplicas"), words: "'MinReplicas' cannot be less than 0",
			advice: "set 0 or more"})
	case most < 0:
		c.refuse(refusal{at: c.at.With("maxReplicas"), words: "'MaxReplicas' cannot be less than 0",
			advice: "set 1 or more"})
	case given && least > most && most != 0:
		c.refuse(refusal{at: c.at.With("minReplicas"), words: "'MinReplicas' cannot be greater than MaxReplicas",
			advice: fmt.Sprintf("lower minReplicas, which is %d, or raise maxReplicas, which is %d", least, most)})
	}
}

// checkByMode reports what the webhook refuses for the autoscaler of the mode.
func (c scaling) checkByMode(mode kserve.Mode) {
	byHPA := c.service.Annotation(knativeClassKey) == knativeHPA
	class := c.service.Annotation(kserve.AutoscalerClassAnnotation)
	switch {
	case mode == "":
	case mode == kserve.Standard && class == "hpa", mode != kserve.Standard && byHPA:
		c.checkHPA(transform.Window{})
		c.checkMetrics(hpaFault)
	case mode == kserve.Standard:
		c.checkHPA(scalingByMode)
		c.checkOwnHPA()
		if class == "keda" {
			c.checkKEDA()
		}
	default:
		c.checkKnative(mode)
	}
}

// checkHPA reports what the webhook refuses for an HPA (validateScalingHPACompExtension).
func (c scaling) checkHPA(only transform.Window) {
	metric := c.spec.Get("scaleMetric").Str()
	target, given := c.spec.Get("scaleTarget").Int()
	byCPU := metric == "" || metric == "cpu"
	switch {
	case slices.Contains(knativeMetrics, metric):
		c.refuse(refusal{at: c.at.With("scaleMetric"), only: only, words: notSupported(metric),
			advice: "use cpu or memory, by which an HPA scales"})
	case given && (byCPU && target < 1 || target > 100):
		c.refuse(refusal{at: c.at.With("scaleTarget"), only: only, words: percentWords,
			advice: "give a percentage from 1 to 100"})
	case given && target < 1:
		c.refuse(refusal{at: c.at.With("scaleTarget"), only: only,
			words: "the target memory should be greater than 1 MiB", advice: "give a percentage from 1 to 100"})
	}
}

// checkOwnHPA reports a target that the webhook lets pass without class hpa among the service's annotations, and that
// Kubernetes refuses in the HPA that KServe makes (createAutoscaler in reconcilers/autoscaler/autoscaler_reconciler.go
// and getHPAMetrics in reconcilers/hpa/hpa_reconciler.go@v0.15.0 to @v0.20.0).
func (c scaling) checkOwnHPA() {
	class := c.service.Class(c.component)
	metric := c.spec.Get("scaleMetric").Str()
	target, given := c.spec.Get("scaleTarget").Int()
	if given && target < 1 && slices.Contains([]string{"", "hpa"}, class) && c.Versions.All(scalingByClass) &&
		(metric == "" || slices.Contains(hpaMetrics, metric)) && c.spec.Get("autoScaling").IsNull() &&
		!c.service.MultiNode(c.component) && !stops(c.Object) {
		c.Report(transform.Report{At: c.at.With("scaleTarget"), PodsStay: true, Message: "KServe never finishes with the " +
			"service, because Kubernetes refuses its HorizontalPodAutoscaler (must be greater than 0): give a percentage from 1 up"})
	}
}

// checkKnative reports what the webhook refuses for Knative's autoscaler (validateScalingKPACompExtension). ModelMesh
// is validated likewise.
func (c scaling) checkKnative(mode kserve.Mode) {
	if !c.spec.Get("deploymentStrategy").IsNull() {
		c.refuse(refusal{at: c.at.With("deploymentStrategy"), only: deploymentStrategy,
			words:  "customizing deploymentStrategy is only supported for raw deployment mode",
			advice: fmt.Sprintf("remove it, or choose the mode Standard: now it is %s (%s)", mode, c.service.ModeEvidence)})
	}
	metric := c.spec.Get("scaleMetric").Str()
	target, given := c.spec.Get("scaleTarget").Int()
	switch {
	case slices.Contains(hpaMetrics, metric):
		c.refuse(refusal{at: c.at.With("scaleMetric"), words: notSupported(metric), advice: fmt.Sprintf(
			"use concurrency or rps, because the mode is %s (%s)", mode, c.service.ModeEvidence)})
	case metric == "rps" && given && target < 1:
		c.refuse(refusal{at: c.at.With("scaleTarget"),
			words: "the target for rps should be greater than 1", advice: "set 1 or more"})
	}
}

// checkKEDA reports what the webhook refuses for KEDA (validateScalingKedaCompExtension).
func (c scaling) checkKEDA() {
	if !c.spec.Get("scaleMetric").IsNull() {
		c.refuse(refusal{at: c.at.With("scaleMetric"), only: scalingByClass,
			words: "ScaleMetric is not supported for KEDA", advice: "use autoScaling.metrics instead"})
	}
	c.checkMetrics(kedaFault)
}

// checkMetrics reports the first of the autoScaling.metrics that has a fault.
func (c scaling) checkMetrics(fault func(metric *yamldoc.Node) (words, advice string)) {
	at := c.at.With("autoScaling", "metrics")
	for i, metric := range c.spec.Get("autoScaling", "metrics").Children() {
		if words, advice := fault(metric); words != "" {
			c.refuse(refusal{at: at.With(i), only: scalingByClass, words: words, advice: advice})
			return
		}
	}
}

// hpaFault returns what is wrong with a metric for an HPA, and what to do. Both are empty when nothing is.
func hpaFault(metric *yamldoc.Node) (words, advice string) {
	switch kind := metric.Get("type").Str(); {
	case kind == "External" || kind == "PodMetric":
		return fmt.Sprintf("invalid HPA metric source type with value [%s]", kind), "use Resource, or the class keda"
	case kind == "Resource" && metric.Get("resource").IsNull():
		return "metricSpec.Resource is not set for resource metric source type", "add resource"
	}
	return "", ""
}

// kedaFault is hpaFault for KEDA.
func kedaFault(metric *yamldoc.Node) (words, advice string) {
	sources := map[string]string{"Resource": "resource", "External": "external", "PodMetric": "podmetric"}
	kind := metric.Get("type").Str()
	field, known := sources[kind]
	source := metric.Get(field)
	target := source.Get("target")
	switch {
	case !known:
		return "", "" // KS804 reports it
	case source.IsNull():
		return fmt.Sprintf("metricSpec.%s is not set", kind), "add " + field
	case kind == "Resource":
		if words, advice = kedaResourceFault(source.Get("name").Str(), target.Get("type").Str()); words != "" {
			return words, advice
		}
	case source.Get("metric", "query").Str() == "":
		return "the query should not be empty", "add metric.query"
	case target.Get("value").IsNull():
		return "the target threshold value should not be empty", "add target.value"
	}
	return targetFault(target)
}

func kedaResourceFault(name, kind string) (words, advice string) {
	switch {
	case name == "cpu" && kind != "Utilization":
		return "the cpu target value type should be Utilization", "use it"
	case name == "memory" && kind != "AverageValue" && kind != "Utilization":
		return "the memory target value type should be AverageValue or Utilization", "use one of them"
	}
	return "", ""
}

// targetFault returns what is wrong with the target of a metric (validateScaleTarget).
func targetFault(target *yamldoc.Node) (words, advice string) {
	fields := map[string]string{"Utilization": "averageUtilization", "AverageValue": "averageValue", "Value": "value"}
	kind := target.Get("type").Str()
	field, known := fields[kind]
	if known && target.Get(field).IsNull() {
		return fmt.Sprintf("the %s type should be set", strings.ToUpper(field[:1])+field[1:]), "add target." + field
	}
	percent, given := target.Get("averageUtilization").Int()
	if given && kind == "Utilization" && (percent < 1 || percent > 100) {
		return percentWords, "give a percentage"
	}
	return "", ""
}
