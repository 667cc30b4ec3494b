package transform

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/spelling"
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
var objectKeys = []string{"apiVersion", "kind", "metadata"}

const needed = "an object needs apiVersion, kind and metadata; leave the file out if it is for another tool"

// contentOf tells objects from what belongs to other tools. A document that looks like an object and is none is an
// error: left out, Argo CD would delete the object that it is meant to be.
func contentOf(tree *yamldoc.Tree, s *screen) (content, error) {
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
	var missing []string
	for _, key := range objectKeys {
		if root.Get(key).IsNull() && (key != "metadata" || !root.Has(key)) {
			missing = append(missing, key)
		}
	}
	kind := text(root.Get("kind"))
	items := root.Get("items")
	list := strings.HasSuffix(kind, "List") || items != nil && items.Kind == yamldoc.Sequence
	if len(missing) == 0 || list && slices.Equal(missing, []string{"metadata"}) {
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
	group, _, _ := strings.Cut(text(root.Get("apiVersion")), "/")
	switch looks := len(objectKeys) - len(missing) + misspelt; {
	case typo != nil && looks > 1:
		return fault(typo, "did you mean %s instead of %s? %s", meant, typo.Value, needed)
	case looks > 1, s.groups[group] && slices.Contains(missing, "kind"):
		return fault(root, "%s is missing: %s", missing[0], needed)
	}
	return foreign, nil
}

// similarKey returns the key of a mapping that is close to the wanted one, or nil.
func similarKey(n *yamldoc.Node, want string) *yamldoc.Node {
	for _, e := range n.Entries {
		key := strings.ToLower(e.Key.Str())
		if slices.Contains(objectKeys, e.Key.Str()) || key == "" || key[0] != want[0] || len(key) > 2*len(want) {
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
	if n.Kind == yamldoc.Scalar && n.Tag == "!!float" {
		switch strings.ToLower(strings.TrimLeft(n.Value, "+-")) {
		case ".nan", ".inf":
			return n, n.Value + " is a number that Kubernetes refuses: put it in quotes"
		}
	}
	for _, e := range n.Entries {
		switch key := e.Key.Get(); {
		case key.Kind != yamldoc.Scalar:
			return e.Key, "a mapping or list as a key, which Kubernetes refuses; a value that starts with {{ needs quotes"
		case key.Tag == "!!null":
			return e.Key, "a null key, which Kubernetes refuses: put it in quotes"
		case key.Tag == "!!merge" && !mergeable(e.Value):
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

// templated reports whether {{ starts a value or a line: the mark of a template that nobody rendered.
func templated(body []byte) bool {
	for at := 0; ; at += len("{{") {
		i := bytes.Index(body[at:], []byte("{{"))
		if i < 0 {
			return false
		}
		at += i
		before := bytes.TrimRight(body[:at], " \t")
		if len(before) == 0 || bytes.IndexByte([]byte(":-[\n"), before[len(before)-1]) >= 0 {
			return true
		}
	}
}

// directive returns an error for a line that starts with % before the document: Kubernetes takes what is before the
// separator for a document of its own, which it can't read.
func directive(d yamldoc.Document) error {
	at := 0
	for line := range bytes.Lines(d.Head) {
		if bytes.HasPrefix(bytes.TrimLeft(line, "\ufeff"), []byte("%")) {
			return &yamldoc.Error{Line: d.Line - bytes.Count(d.Head[at:], []byte("\n")), Col: 1,
				Msg: "a directive, which Kubernetes refuses: remove the line"}
		}
		at += len(line)
	}
	return nil
}
