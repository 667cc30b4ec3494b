package rules

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/lazyregexp"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks512.md
var ks512Doc string

var refusedStrategy = &transform.Rule{
	ID:       "KS512",
	Name:     "refused-strategy",
	Title:    "Kubernetes refuses the rollout strategy of a component",
	Doc:      ks512Doc,
	Windows:  []transform.Window{deploymentStrategy},
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{kserve.InferenceService},
	Example:  "unknown/strings",
	Severity: transform.Error,
	Run:      run(checkStrategy),
}

// strategies are the types that Kubernetes has.
var strategies = []string{"Recreate", "RollingUpdate"}

// percentage matches the strings that Kubernetes takes for a number of pods.
var percentage = lazyregexp.New(`^[0-9]+%$`)

// checkStrategy reports what Kubernetes says about the Deployment (ValidateDeploymentStrategy and
// ValidateRollingUpdateDeployment in pkg/apis/apps/validation/validation.go of k8s.io/kubernetes@v1.34.4), into which
// KServe copies the strategy (reconcilers/deployment/deployment_reconciler.go, v0.13.0 to v0.20.0).
func checkStrategy(p *pass) {
	s := p.KServe.Service(p.Object)
	if s.Mode != kserve.Standard || !p.Versions.Any(deploymentStrategy) {
		return
	}
	for _, component := range s.Components() {
		strategy := s.Get("spec", component, "deploymentStrategy")
		if strategy.IsNull() {
			continue
		}
		at := yamldoc.Path{"spec", component, "deploymentStrategy"}
		update := strategy.Get("rollingUpdate")
		if kind := strategy.Get("type").Str(); kind != "" && !isPlaceholder(kind) && !slices.Contains(strategies, kind) {
			p.refuseStrategy(transform.Report{At: at.With("type")},
				fmt.Sprintf("Unsupported value: %q", kind), "write "+joined(strategies, "or"))
			continue
		}
		if strategy.Get("type").Str() == "Recreate" && !update.IsNull() {
			p.refuseStrategy(transform.Report{At: at.With("rollingUpdate")},
				"may not be specified when strategy type is 'Recreate'", "remove it, or the type")
			continue
		}
		zeros := 0
		for _, field := range []string{"maxSurge", "maxUnavailable"} {
			if p.checkPods(at.With("rollingUpdate", field)) == "0" {
				zeros++
			}
		}
		if zeros == 2 {
			p.refuseStrategy(transform.Report{At: at.With("rollingUpdate", "maxUnavailable"), Category: "both"},
				"may not be 0 when maxSurge is 0", "let one of them be 1")
		}
	}
}

// checkPods checks a number or a percentage of pods, and returns the number of which it is one.
func (p *pass) checkPods(at yamldoc.Path) string {
	node := p.Object.Get(at...)
	number := node.Get()
	switch value := node.Str(); {
	case node.IsNull() || isPlaceholder(value):
		return ""
	case number.Tag() == "!!int":
		if n, ok := node.Int(); ok && n < 0 {
			p.refuseStrategy(transform.Report{At: at}, "must be greater than or equal to 0", "raise it")
		}
		return value
	case percentage().MatchString(value):
		n, _ := strconv.Atoi(value[:len(value)-1])
		if n > 100 && at[len(at)-1] == "maxUnavailable" {
			p.refuseStrategy(transform.Report{At: at}, "must not be greater than 100%", "lower it")
		}
		return strconv.Itoa(n)
	default:
		advice := "write a number, or a percentage such as 25%"
		if n, err := strconv.Atoi(value); err == nil && n >= 0 {
			advice = fmt.Sprintf("write %d without quotes", n)
		}
		p.refuseStrategy(transform.Report{At: at}, "a string must be a percentage", advice)
		return value
	}
}

func (p *pass) refuseStrategy(f transform.Report, words, advice string) {
	f.Message = fmt.Sprintf("KServe never finishes with the service, because Kubernetes refuses its Deployment (%s): %s", words,
		advice)
	p.Report(f)
}
