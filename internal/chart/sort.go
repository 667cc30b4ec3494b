package chart

import (
	"cmp"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	release "helm.sh/helm/v4/pkg/release/v1"
	releaseutil "helm.sh/helm/v4/pkg/release/v1/util"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/plain"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// manifest is an object that a template makes.
type manifest struct {
	template, kind, text string
}

// sortManifests returns what releaseutil.SortManifests does. That parses each object to JSON and back, which takes most
// of the time of a render; sortManifests leaves to it only the files that are not plain.
func sortManifests(rendered map[string]string) (hooks []*release.Hook, objects []manifest, err error) {
	for _, template := range slices.Sorted(maps.Keys(rendered)) {
		text := rendered[template]
		if strings.HasPrefix(path.Base(template), "_") || strings.TrimSpace(text) == "" {
			continue
		}
		if direct, ok := plainManifests(template, text); ok {
			objects = append(objects, direct...)
			continue
		}
		more, others, err := releaseutil.SortManifests(map[string]string{template: text}, nil, releaseutil.InstallOrder)
		if err != nil {
			return nil, nil, err
		}
		hooks = append(hooks, more...)
		for _, m := range others {
			objects = append(objects, manifest{m.Name, m.Head.Kind, m.Content})
		}
	}
	slices.SortStableFunc(hooks, func(a, b *release.Hook) int { return byKind(a.Kind, b.Kind) })
	slices.SortStableFunc(objects, func(a, b manifest) int { return byKind(a.kind, b.kind) })
	return hooks, objects, nil
}

// installOrder are the positions of the kinds in Helm's order.
var installOrder = func() map[string]int {
	order := map[string]int{}
	for i, kind := range releaseutil.InstallOrder {
		order[kind] = i - len(releaseutil.InstallOrder)
	}
	return order
}()

// byKind compares kinds as Helm does: those that it does not know come last, by name
// (pkg/release/v1/util/kind_sorter.go@v4.3.1).
func byKind(a, b string) int {
	if order := cmp.Compare(installOrder[a], installOrder[b]); order != 0 || installOrder[a] < 0 {
		return order
	}
	return cmp.Compare(a, b)
}

// hookPrefix starts the annotations of hooks.
const hookPrefix = "helm.sh/hook"

// plainManifests returns the objects of a file without hooks. ok is false if Helm may see something else in it, or an
// error.
func plainManifests(template, text string) (objects []manifest, ok bool) {
	if strings.Contains(text, hookPrefix) {
		return nil, false
	}
	for _, document := range splitManifests(text) {
		kind, ok := plainKind(document)
		if !ok {
			return nil, false
		}
		objects = append(objects, manifest{template, kind, document})
	}
	return objects, true
}

// splitManifests splits a file as releaseutil.SplitManifests does, which searches with the expression (?m)^---[ \t]*.
func splitManifests(text string) []string {
	const separator = "---"
	var documents []string
	start, at := 0, 0
	add := func(end int) {
		if document := strings.TrimLeftFunc(text[start:end], unicode.IsSpace); document != "" {
			documents = append(documents, document)
		}
	}
	text = strings.TrimLeftFunc(text, unicode.IsSpace)
	for line := range strings.Lines(text) {
		if rest, found := strings.CutPrefix(line, separator); found {
			add(at)
			start = at + len(line) - len(strings.TrimLeft(rest, " \t"))
		}
		at += len(line)
	}
	add(len(text))
	return documents
}

var kindForm = regexp.MustCompile(`^[A-Z][A-Za-z0-9]{2,}$`)

func isKind(n *yamldoc.Node) bool { return isText(n) && kindForm.MatchString(n.Value) }

// plainKind returns the kind of an object. ok is false if it is not certain that Helm accepts the document.
func plainKind(document string) (kind string, ok bool) {
	tree, err := yamldoc.Parse([]byte(document))
	if err != nil || tree.Root == nil || tree.Root.Kind != yamldoc.Mapping || !hasPlainKeys(tree.Root) {
		return "", false
	}
	for _, entry := range tree.Root.Entries {
		switch name := entry.Key.Value; {
		case name == "kind" && isKind(entry.Value):
			kind = entry.Value.Value
		case name == "apiVersion" && isText(entry.Value):
		case name == "metadata" && isPlainMetadata(entry.Value):
		case isHead(name, "kind", "apiVersion", "metadata"):
			return "", false
		}
	}
	return kind, true
}

func isPlainMetadata(metadata *yamldoc.Node) bool {
	for _, entry := range metadata.Entries {
		switch name := entry.Key.Value; {
		case name == "name" && isText(entry.Value):
		case name == "annotations" && isTextMapping(entry.Value):
		case isHead(name, "name", "annotations"):
			return false
		}
	}
	return metadata.Kind == yamldoc.Mapping
}

// isHead reports whether Helm takes a key for one of the names: it ignores the case.
func isHead(key string, names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(key, name) })
}

// hasPlainKeys reports whether all keys below a node are strings, and none merges another mapping.
func hasPlainKeys(n *yamldoc.Node) bool {
	return !slices.ContainsFunc(n.Entries, func(entry yamldoc.Entry) bool {
		return !isText(entry.Key) || entry.Key.Value == "<<" || !hasPlainKeys(entry.Value)
	}) && !slices.ContainsFunc(n.Items, func(item *yamldoc.Node) bool { return !hasPlainKeys(item) })
}

// isText reports whether a node is a string, also in YAML 1.1, which Helm reads.
func isText(n *yamldoc.Node) bool {
	if n.Kind != yamldoc.Scalar {
		return false
	}
	value, ok := plain.Scalar(n.Tag(), n.Value, n.Style != yamldoc.Plain)
	_, isString := value.(string)
	return ok && isString
}

func isTextMapping(n *yamldoc.Node) bool {
	return n.Kind == yamldoc.Mapping && !slices.ContainsFunc(n.Entries, func(entry yamldoc.Entry) bool {
		return !isText(entry.Value)
	})
}
