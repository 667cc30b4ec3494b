package healthconfig

import (
	"fmt"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/health"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// effective returns what an object has in the place of an override, and where, unless that is the key of the override
// itself. A key wins over the lists of an ArgoCD resource and over the map under resource.customizations
// (controllers/argocd/configmap.go@v0.18.0 of argocd-operator, util/settings/settings.go@v3.5.7 of Argo CD).
func (o installedObject) effective(override Override) (text, where string) {
	if text := o.data.Get(override.Key()).Str(); text != "" {
		return text, ""
	}
	if o.form == formOperator {
		if text, where := o.listed(override); text != "" {
			return text, where
		}
	}
	for _, c := range o.mapped() {
		if c.pattern == health.Group+"/"+override.Kind && c.text(override.Type) != "" {
			return c.text(override.Type), fmt.Sprintf("%s in %s", c.pattern, customizationsKey)
		}
	}
	return "", ""
}

// operatorLists are the lists of an ArgoCD resource by the type of override that they hold, with the field that holds
// it (api/v1beta1/argocd_types.go@v0.18.0).
var operatorLists = map[string]struct {
	list  yamldoc.Path
	field string
}{
	"health":            {yamldoc.Path{"spec", "resourceHealthChecks"}, "check"},
	"actions":           {yamldoc.Path{"spec", "resourceActions"}, "action"},
	"ignoreDifferences": {yamldoc.Path{"spec", "resourceIgnoreDifferences", "resourceIdentifiers"}, "customization"},
}

// listed returns an override in the lists of an ArgoCD resource. Of several the last one counts.
func (o installedObject) listed(override Override) (text, where string) {
	lists := operatorLists[override.Type]
	for i, item := range o.root.Get(lists.list...).Children() {
		if item.Get("group").Str() == health.Group && item.Get("kind").Str() == override.Kind {
			text, where = document(item.Get(lists.field)), lists.list.With(i).String()
		}
	}
	return text, where
}

// document returns a text as it is, and another value as YAML.
func document(n *yamldoc.Node) string {
	if n.IsNull() || n.Kind == yamldoc.Scalar {
		return n.Str()
	}
	data, _ := yaml.Marshal(decoded(n)) // mappings, lists and strings can always be written
	return string(data)
}

// decoded returns a node of strings as encoding/json decodes it.
func decoded(n *yamldoc.Node) any {
	switch n = n.Get(); {
	case n.IsNull():
		return nil
	case n.Kind == yamldoc.Mapping:
		mapping := map[string]any{}
		for _, entry := range n.Entries {
			mapping[entry.Key.Str()] = decoded(entry.Value)
		}
		return mapping
	case n.Kind == yamldoc.Sequence:
		list := []any{}
		for _, item := range n.Items {
			list = append(list, decoded(item))
		}
		return list
	}
	return n.Str()
}

// customizationsKey is the key of argocd-cm that holds customizations as a map by group and kind.
const customizationsKey = "resource.customizations"

// customization is an entry of that map.
type customization struct {
	pattern string // group/Kind, or a glob
	entry   *yamldoc.Node
}

// mapped returns the entries of the map under resource.customizations. Argo CD does not start with a map that it can't
// read, so that one counts as empty.
func (o installedObject) mapped() []customization {
	tree, err := yamldoc.Parse([]byte(o.data.Get(customizationsKey).Str()))
	if err != nil {
		return nil
	}
	var all []customization
	for pattern, entry := range tree.Root.Children() {
		if pattern, ok := pattern.(string); ok {
			all = append(all, customization{pattern, entry})
		}
	}
	return all
}

// text returns the override of a type (ResourceOverride in pkg/apis/application/v1alpha1/types.go@v3.5.7).
func (c customization) text(of string) string {
	if of == "health" {
		of = "health.lua"
	}
	return strings.TrimSpace(document(c.entry.Get(of)))
}
