package rules

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/quantity"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/schema"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks602.md
var ks602Doc string

var quantities = &transform.Rule{
	ID:       "KS602",
	Name:     "quantities",
	Title:    "KServe writes a quantity in another form",
	Doc:      ks602Doc,
	Issues:   []string{"https://github.com/argoproj/argo-cd/issues/12463"},
	Since:    transform.Release{0, 2},
	Kinds:    append([]transform.GroupKind{kserve.InferenceService}, model.LLMKinds...),
	Example:  "unknown/resources",
	Severity: transform.Warning,
	Together: true,
	Run:      run(checkQuantities),
}

func checkQuantities(p *pass) {
	by := p.rewriter()
	if by == "" {
		return
	}
	p.types().Walk(nil, p.Object.Node(), func(trail *yamldoc.Trail, value *yamldoc.Node, f schema.Field) {
		text, ok := storedQuantity(value.Get(), f)
		if !ok {
			return
		}
		at := trail.Path()
		p.Report(transform.Report{At: at, AsStored: true, Edits: p.Object.Edits(yamldoc.Set(at, text)),
			Message: fmt.Sprintf("%s, because %s writes %s as %q: write %[4]q", p.outOfSync(), by, value.Get().Value, text)})
	})
}

// storedQuantity returns the string that every release in question stores for a quantity, if it differs from the value.
func storedQuantity(value *yamldoc.Node, f schema.Field) (stored string, differs bool) {
	text, isText := "", false
	for i, one := range f.All() {
		if one != schema.Quantity && one != schema.MetricQuantity || !f.Kept {
			return "", false
		}
		if i == 0 {
			text, isText = numberText(value)
		}
		written, known := text, value.Tag() != "!!float"
		if one == schema.Quantity {
			written, known = quantity.Canonical(strings.TrimSpace(text))
		}
		if !isText || !known || i > 0 && written != stored {
			return "", false
		}
		stored = written
	}
	return stored, isText && (stored != text || value.Tag() != "!!str")
}

// numberText returns a string, or a decimal number as JSON writes it.
func numberText(value *yamldoc.Node) (text string, ok bool) {
	switch value.Tag() {
	case "!!str":
		return value.Value, true
	case "!!int":
		n, err := strconv.ParseInt(value.Value, 10, 64)
		return value.Value, err == nil && strconv.FormatInt(n, 10) == value.Value
	case "!!float":
		n, err := strconv.ParseFloat(value.Value, 64)
		text, jsonErr := json.Marshal(n)
		return string(text), err == nil && jsonErr == nil && !strings.Contains(value.Value, "_")
	}
	return "", false
}
