package rules

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/lazyregexp"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/quantity"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/schema"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks809.md
var ks809Doc string

var refusedQuantity = &transform.Rule{
	ID:       "KS809",
	Name:     "refused-quantity",
	Title:    "A string such as 1 core is not a quantity",
	Doc:      ks809Doc,
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{{Group: kserve.Group, Kind: transform.AnyKind}},
	Example:  "unknown/quantities",
	Severity: transform.Error,
	Run:      run(checkQuantityForm),
}

// quantityForm is what both the definitions (config/crd/full, v0.11.2 to v0.20.0) and the webhooks (ParseQuantity in
// pkg/api/resource/quantity.go of k8s.io/apimachinery@v0.34.5) want of a quantity that is a string.
var quantityForm = lazyregexp.New(`^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?$`)

func checkQuantityForm(p *pass) {
	p.types().Walk(nil, p.Object.Node(), func(at *yamldoc.Trail, value *yamldoc.Node, f schema.Field) {
		value = value.Get()
		if !f.Kept || !isQuantity(f) || value.Kind != yamldoc.Scalar {
			return
		}
		if value.Tag() == "!!str" && (hasQuantityForm(strings.TrimSpace(value.Value)) || isPlaceholder(value.Value)) {
			return
		}
		r := refusal{at: at.Path()}
		switch {
		case value.Tag() == "!!str":
			r.words = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
			r.advice = "write a number with a unit, as 500m, 2 or 4Gi"
		case schema.JSONOf(value) == schema.Number && p.Object.Kind != kserve.InferenceService.Kind:
			r.words = r.at.String() + " in body must be of type integer,string"
			r.advice = fmt.Sprintf("write it in quotes, as %q", value.Value)
			if p.Object.Kind == kserve.LLMInferenceService.Kind {
				r.only = asWritten
			}
		default:
			return
		}
		p.refuse(r)
	})
}

// hasQuantityForm reports whether the string matches quantityForm. What Canonical accepts does, and it is faster.
func hasQuantityForm(s string) bool {
	_, ok := quantity.Canonical(s)
	return ok || quantityForm().MatchString(s)
}

// isQuantity reports whether a field holds a quantity on every release in question.
func isQuantity(f schema.Field) bool {
	all := f.All()
	return len(all) > 0 && !slices.ContainsFunc(all, func(t schema.Type) bool {
		return t != schema.Quantity && t != schema.MetricQuantity
	})
}
