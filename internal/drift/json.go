package drift

import (
	"cmp"
	"io"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/encoding"
)

// jsonVersion is that of the form. A field that is added leaves it; one that goes or changes its meaning raises it.
const jsonVersion = 1

type jsonDifference struct {
	File      string `json:"file"`
	Group     string `json:"group"`
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
	Path      string `json:"path"`
	JQ        string `json:"jqPathExpression"`
	ChangedBy string `json:"changedBy"`
	Rule      string `json:"repairedBy,omitempty"`
	Left      string `json:"unrepaired,omitempty"`
	Ignorable bool   `json:"ignorable"`
}

// JSON writes an object with all differences. The field ignorable is true for those that ignoreDifferences are for:
// no rule repairs them, and nobody has to do so by hand. Unrepaired is why no rule does, or what to do by hand.
func JSON(w io.Writer, differences []Difference) error {
	all := []jsonDifference{}
	for _, d := range differences {
		o, file := d.Object, d.Object.File.Path
		if o.File.Renderer != "" {
			file = cmp.Or(o.File.Origin(), file)
		}
		all = append(all, jsonDifference{
			File: file, Group: o.Group(), Kind: o.Kind, Namespace: o.Namespace, Name: o.Name,
			Path: d.At.String(), JQ: expression(d.At), ChangedBy: d.By,
			Rule: d.Rule, Left: d.Left(), Ignorable: d.ignorable(),
		})
	}
	return encoding.JSON(w, struct {
		Version     int              `json:"version"`
		Differences []jsonDifference `json:"differences"`
	}{jsonVersion, all})
}
