package healthconfig

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// changes lists the keys that the configuration adds to an object or changes in it.
func (o installedObject) changes(c Configuration) (changes []Change, notes []string, err error) {
	if o.form == formKServe {
		return o.changesOfKServe(c)
	}
	for _, override := range c.Overrides {
		before, where := o.effective(override)
		after, what, err := override.mergedWith(before)
		switch {
		case err != nil:
			return nil, nil, fmt.Errorf("%s: %w", override.Key(), err)
		case same(before, after):
			if what != "" {
				notes = append(notes, fmt.Sprintf("left as it is: %s: %s: %s", o.name, override.Key(), what))
			}
			continue
		case where != "":
			what = fmt.Sprintf("%s; %s stays, but has no effect", what, where)
		}
		changes = append(changes, Change{o.name, override.Key(), what, before, after, o.keys.With(override.Key())})
	}
	return changes, notes, nil
}

// same reports whether two scripts or documents differ at most in how they end.
func same(a, b string) bool { return strings.TrimSpace(a) == strings.TrimSpace(b) }

// changesOfKServe adds the list of annotations to KServe's own configuration.
func (o installedObject) changesOfKServe(c Configuration) (changes []Change, notes []string, err error) {
	const key = "inferenceService"
	if !c.versions.Any(sinceDisallowedList) {
		return nil, []string{fmt.Sprintf("left as it is: %s: %s exists in KServe %s", o.name, disallowedList,
			sinceDisallowedList)}, nil
	}
	before := o.data.Get(key).Str()
	if strings.TrimSpace(before) != "" && !json.Valid([]byte(before)) {
		return nil, nil, fmt.Errorf("the key %s is not JSON, so KServe cannot read it: correct it first", key)
	}
	after, err := mergeLists(before, ourList())
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", key, err)
	}
	if same(before, after) {
		return nil, nil, nil
	}
	what := "adds to " + disallowedList
	return []Change{{o.name, key, what, before, after, o.keys.With(key)}}, nil, nil
}

// mergedWith returns the override with what people have in its place, and what becomes of that. If the override can't
// be merged, after is what people have, and what says why.
func (o Override) mergedWith(before string) (after, what string, err error) {
	if strings.TrimSpace(before) == "" {
		return o.Value, "adds it", nil
	}
	if same(before, o.Value) {
		return before, "", nil
	}
	switch o.Type {
	case "health":
		title, _, _ := strings.Cut(o.Value, "\n")
		if strings.HasPrefix(before, title) {
			return o.Value, "updates another version of it", nil
		}
		return o.Value, "replaces your own check", nil
	case "actions":
		names, err := actionNames(before)
		if err != nil {
			return "", "", err
		}
		names = slices.DeleteFunc(names, func(name string) bool { return name == "stop" || name == "resume" })
		if len(names) > 0 {
			what = "it has " + strings.Join(names, ", ") + ", which a replacement would lose: add stop and resume to it"
			return before, what, nil
		}
		return o.Value, "updates another version of it", nil
	}
	after, err = mergeLists(before, o.Value)
	if same(before, after) {
		return before, "", err
	}
	return after, "adds to yours", err
}

// actionNames returns the names of the actions in an override.
func actionNames(override string) ([]string, error) {
	var actions struct{ Definitions []struct{ Name string } }
	if err := yaml.Unmarshal([]byte(override), &actions); err != nil {
		return nil, err
	}
	var names []string
	for _, definition := range actions.Definitions {
		names = append(names, definition.Name)
	}
	return names, nil
}

// mergeLists adds to a YAML or JSON document the items that its lists lack compared with those of ours: the list that
// is the document, or those under its keys.
func mergeLists(document, ours string) (merged string, err error) {
	theirs, err := yamldoc.Parse([]byte(document))
	if err != nil {
		return "", err
	}
	if theirs.Root == nil {
		return ours, nil
	}
	want, err := yamldoc.Parse([]byte(ours))
	if err != nil {
		return "", err
	}
	lists := []yamldoc.Path{nil}
	if want.Root.Kind == yamldoc.Mapping {
		lists = nil
		for _, entry := range want.Root.Entries {
			lists = append(lists, yamldoc.Path{entry.Key.Str()})
		}
	}
	for _, at := range lists {
		for _, item := range want.Root.Get(at...).Items {
			list := theirs.Root.Get(at...)
			if contains(list, item) {
				continue
			}
			length := 0
			if !list.IsNull() {
				length = len(list.Items)
			}
			theirs, err = theirs.Apply([]yamldoc.Edit{yamldoc.Set(at.With(length), valueOf(item))})
			if err != nil {
				return "", err
			}
		}
	}
	return string(theirs.Bytes()), nil
}

// contains reports whether a list has an item, or another one for the same field of an object.
func contains(list, item *yamldoc.Node) bool {
	for _, other := range list.Children() {
		field := item.Get("field").Str()
		if other.Get().Equal(item) || field != "" && other.Get("field").Str() == field {
			return true
		}
	}
	return false
}

// valueOf returns a node of strings as the value of an edit.
func valueOf(n *yamldoc.Node) any {
	switch n.Kind {
	case yamldoc.Mapping:
		var value yamldoc.Map
		for _, entry := range n.Entries {
			value = append(value, yamldoc.Field{Key: entry.Key.Str(), Value: valueOf(entry.Value)})
		}
		return value
	case yamldoc.Sequence:
		value := []any{}
		for _, item := range n.Items {
			value = append(value, valueOf(item))
		}
		return value
	}
	return n.Str()
}
