package transform

import (
	"fmt"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/internal/scan"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/spelling"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// content is what a document holds.
type content uint8

const (
	foreign content = iota // something for another tool, for example the values of a chart
	nothing                // comments at most, or null
	object                 // an object or a List
)

// objectKeys are the keys that every object has. A List needs no metadata.
var objectKeys = [...]string{"apiVersion", "kind", "metadata"}

const needed = "an object needs apiVersion, kind and metadata; leave the file out if it is for another tool"

// contentOf tells objects from documents for other tools. A document that looks like an object and is none is an error:
// if it were left out, Argo CD would delete the object.
func contentOf(tree *yamldoc.Tree, s *scan.Screen) (content, error) {
	root := tree.Root
	fault := func(at *yamldoc.Node, format string, args ...any) (content, error) {
		line, col := tree.Position(at.Start)
		return foreign, &yamldoc.Error{Line: line, Col: col, Msg: fmt.Sprintf(format, args...)}
	}
	switch {
	case root.IsNull():
		return nothing, nil
	case root.Kind == yamldoc.Sequence:
		for _, item := range root.Items {
			if item.Has("apiVersion") && item.Has("kind") {
				return fault(item, "an object in a list, which Kubernetes refuses: write a document for each, or a List")
			}
		}
		return foreign, nil
	case root.Kind != yamldoc.Mapping:
		return foreign, nil
	}
	missing := missingKeys(root)
	kind := decoded(root.Get("kind"))
	items := root.Get("items")
	list := strings.HasSuffix(kind, "List") || items != nil && items.Kind == yamldoc.Sequence
	if len(missing) == 0 || list && slices.Equal(missing, []string{"metadata"}) {
		if at, why := brokenItem(root, kind); at != nil {
			return fault(at, "%s", why)
		}
		return object, nil
	}
	misspelt, meant := 0, ""
	var typo *yamldoc.Node
	for _, key := range missing {
		if found := similarKey(root, key); found != nil {
			misspelt++
			if typo == nil {
				typo, meant = found, key
			}
		}
	}
	group, _, _ := strings.Cut(decoded(root.Get("apiVersion")), "/")
	switch looks := len(objectKeys) - len(missing) + misspelt; {
	case typo != nil && looks > 1:
		return fault(typo, "did you mean %s instead of %s? %s", meant, typo.Value, needed)
	case looks > 1, s.HasGroup(group) && slices.Contains(missing, "kind"):
		return fault(root, "%s is missing: %s", missing[0], needed)
	}
	return foreign, nil
}

// missingKeys returns the keys of an object that the mapping lacks.
func missingKeys(n *yamldoc.Node) []string {
	var missing []string
	for _, key := range objectKeys {
		if n.Get(key).IsNull() && (key != "metadata" || !n.Has(key)) {
			missing = append(missing, key)
		}
	}
	return missing
}

// brokenItem returns an item of a List, at any depth, that is no object, and why. The items of a typed list may leave
// out apiVersion and kind.
func brokenItem(list *yamldoc.Node, kind string) (at *yamldoc.Node, why string) {
	items := list.Get("items")
	if items == nil && kind == "List" {
		for _, e := range list.Entries {
			if key := strings.ToLower(e.Key.Str()); spelling.Distance(key, "items") <= 1 {
				return e.Key, fmt.Sprintf("did you mean items instead of %s? a List holds its objects there", e.Key.Value)
			}
		}
	}
	if items == nil || items.Kind != yamldoc.Sequence {
		return nil, ""
	}
	for i := range items.Items {
		item := items.Get(i)
		if item.Kind != yamldoc.Mapping {
			return item, "an item of a List that is no object"
		}
		itemKind := decoded(item.Get("kind"))
		missing := missingKeys(item)
		if inner := item.Get("items"); inner != nil && inner.Kind == yamldoc.Sequence {
			missing = slices.DeleteFunc(missing, func(key string) bool { return key == "metadata" })
		}
		if kind != "List" {
			missing = slices.DeleteFunc(missing, func(key string) bool { return key != "metadata" })
		}
		if len(missing) > 0 {
			return item, missing[0] + " is missing in an item of a List: an object needs apiVersion, kind and metadata"
		}
		if at, why := brokenItem(item, itemKind); at != nil {
			return at, why
		}
	}
	return nil, ""
}

// similarKey returns the key of a mapping that is close to the wanted one, or nil.
func similarKey(n *yamldoc.Node, want string) *yamldoc.Node {
	for _, e := range n.Entries {
		key := strings.ToLower(e.Key.Str())
		if slices.Contains(objectKeys[:], e.Key.Str()) || key == "" || key[0] != want[0] || len(key) > 2*len(want) {
			continue
		}
		if spelling.Distance(key, strings.ToLower(want)) <= len(want)/4 {
			return e.Key
		}
	}
	return nil
}

// readable returns an error for what YAML allows and Kubernetes' reader refuses.
func readable(tree *yamldoc.Tree) error {
	at, why := unreadable(tree.Root)
	if at == nil {
		return nil
	}
	line, col := tree.Position(at.Start)
	return &yamldoc.Error{Line: line, Col: col, Msg: why}
}

func unreadable(n *yamldoc.Node) (at *yamldoc.Node, why string) {
	if n == nil {
		return nil, ""
	}
	if n.Kind == yamldoc.Scalar && n.Tag() == "!!float" {
		switch strings.ToLower(strings.TrimLeft(n.Value, "+-")) {
		case ".nan", ".inf":
			return n, n.Value + " is a number that Kubernetes refuses: put it in quotes"
		}
	}
	for _, e := range n.Entries {
		switch key := e.Key.Get(); {
		case key.Kind != yamldoc.Scalar:
			return e.Key, "a mapping or list as a key, which Kubernetes refuses; a value that starts with {{ needs quotes"
		case key.Tag() == "!!null":
			return e.Key, "a null key, which Kubernetes refuses: put it in quotes"
		case key.Tag() == "!!merge" && !mergeable(e.Value):
			return e.Value, "<< without a mapping to merge, which Kubernetes refuses"
		}
		if at, why = unreadable(e.Value); at != nil {
			return at, why
		}
	}
	for _, item := range n.Items {
		if at, why = unreadable(item); at != nil {
			return at, why
		}
	}
	return nil, ""
}

// mergeable reports whether the value of a merge key is a mapping, or a list of mappings.
func mergeable(n *yamldoc.Node) bool {
	n = n.Get()
	return n.Kind == yamldoc.Mapping || n.Kind == yamldoc.Sequence &&
		!slices.ContainsFunc(n.Items, func(item *yamldoc.Node) bool { return item.Get().Kind != yamldoc.Mapping })
}
