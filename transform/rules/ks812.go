package rules

import (
	_ "embed"
	"fmt"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/lazyregexp"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks812.md
var ks812Doc string

var refusedLLMScaling = &transform.Rule{
	ID:       "KS812",
	Name:     "refused-llm-scaling",
	Title:    "KServe refuses the scaling of an LLMInferenceService",
	Doc:      ks812Doc,
	Windows:  []transform.Window{kserve.LLM["v1alpha2"]},
	Since:    transform.Release{0, 2},
	Kinds:    model.LLMKinds,
	Example:  "0.20.0/scaling",
	Severity: transform.Error,
	Run:      run(checkLLMScaling),
}

// sameActuator are the releases that compare the autoscalers of both parts of a service (ValidateActuatorConsistency in
// pkg/apis/serving/v1alpha2 is in v0.18.0, and not in v0.17.1).
var sameActuator = transform.Window{From: transform.Release{0, 18, 0}}

// variantCost is the form of the field (config/crd/full/llmisvc, v0.17.0 to v0.20.0).
var variantCost = lazyregexp.New(`^\d+(\.\d+)?$`)

func checkLLMScaling(p *pass) {
	actuators := map[string]bool{}
	for _, part := range llmParts {
		at := part.With("scaling")
		if p.Object.Get(at...).IsNull() {
			continue
		}
		checkReplicaBounds(p, at)
		if actuator := checkActuator(p, at.With("wva")); actuator != "" {
			actuators[actuator] = true
		}
	}
	if len(actuators) > 1 && p.KServe.LLMService(p.Object) != nil {
		p.refuse(refusal{at: yamldoc.Path{"spec", kserve.Prefill, "scaling", "wva"}, only: sameActuator,
			words: "decode and prefill must use the same actuator backend", advice: "write hpa, or keda, in both"})
	}
}

// checkReplicaBounds looks at the numbers of scaling, as ValidateWorkloadScaling does for services, and the rules of
// the definition for both kinds (v0.17.0, v0.19.0 and v0.20.0).
func checkReplicaBounds(p *pass, at yamldoc.Path) {
	scaling := p.Object.Get(at...)
	least, given := scaling.Get("minReplicas").Int()
	if !given {
		least = 1
	}
	most, _ := scaling.Get("maxReplicas").Int()
	idle, idles := scaling.Get("wva", "keda", "idleReplicaCount").Int()
	if given && most > 0 && least > most {
		scalingRefused(p, at.With("minReplicas"), "minReplicas cannot exceed maxReplicas",
			fmt.Sprintf("lower minReplicas, which is %d, or raise maxReplicas, which is %d", least, most))
	}
	if idles && idle >= least {
		scalingRefused(p, at.With("wva", "keda", "idleReplicaCount"), "idleReplicaCount must be less than minReplicas",
			"raise minReplicas, or remove idleReplicaCount")
	}
}

// checkActuator looks at what makes the autoscaler, and returns hpa or keda if it is one of them.
func checkActuator(p *pass, at yamldoc.Path) string {
	wva := p.Object.Get(at...)
	hpa, keda := !wva.Get("hpa").IsNull(), !wva.Get("keda").IsNull()
	if cost := wva.Get("variantCost"); !cost.IsNull() && !variantCost().MatchString(cost.Str()) {
		scalingRefused(p, at.With("variantCost"), "variantCost must be a non-negative numeric string",
			`write for example "10.0"`)
	}
	if advanced := at.With("keda", "advanced"); !p.Object.Get(advanced...).IsNull() {
		scalingRefused(p, advanced, "evaluating rule: scalingModifiers must not be set",
			"remove advanced, because the rule in KServe's CRD fails whatever it holds")
	}
	switch {
	case wva.IsNull():
		scalingRefused(p, at, "wva is required when scaling is configured", "add wva with hpa or keda")
	case hpa && keda:
		scalingRefused(p, at, "hpa and keda are mutually exclusive; choose one actuator backend", "keep hpa or keda")
	case hpa:
		return "hpa"
	case keda:
		return "keda"
	default:
		scalingRefused(p, at, "either hpa or keda must be specified as the actuator backend", "add hpa or keda")
	}
	return ""
}

func scalingRefused(p *pass, at yamldoc.Path, words, advice string) {
	p.refuse(refusal{at: at, only: kserve.LLM["v1alpha2"], words: words, advice: advice})
}
