package origin

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// unknownSource is where to repair an object if its renderer does not name the file that it comes from.
const unknownSource = "edit the source it is rendered from"

// Advice says where a repair of rendered objects can be made: in their sources, or in a patch of the overlay when the
// source has another value or serves other overlays too. For a name that the overlay makes it is what the overlay has to
// start from. It is empty for a finding without a repair, unless overlays want different things there or one adds what it
// is about.
func (p *Places) Advice(f transform.Finding) string {
	disputed := p.disputed[spotOf(f, f.Source())]
	if len(f.Edits) == 0 && (disputed || p.added(f)) {
		return fmt.Sprintf("patch %s in %s", f.At, f.Object.File.Path)
	}
	var advice, patches []string
	for _, e := range f.Edits {
		file, source, next := e.Object.File, e.Source(), unknownSource
		if original := p.original(e.Object); original != nil {
			is, was := objectIn(objects(file.Data), e.Object).Get(e.Path...), original.Get(e.Path...)
			switch {
			case is.Equal(was) && !disputed && !overlaid(e, original),
				!is.Equal(was) && source.Line > 0 && source.Path != file.Origin(): // a patch
				next = "edit " + source.String()
			case was.Str() != "" && strings.Contains(is.Str(), was.Str()) && !is.Equal(was):
				return fmt.Sprintf("%s in %s, from which %s makes %s%s",
					inPlaceOf(e.Value, is.Str(), was.Str()), file.Origin(), file.Path, e.Path, renamed(e))
			default:
				next = fmt.Sprintf("patch %s in %s", e.Path, file.Path)
			}
		} else if source.Path != "" {
			next = "edit " + source.String()
			if source.Value != "" {
				next += ", or set the value " + source.Value
			}
		}
		i := slices.Index(advice, next)
		if i < 0 {
			i, advice, patches = len(advice), append(advice, next), append(patches, "")
		}
		patches[i] = cmp.Or(patches[i], renamed(e))
	}
	for i := range advice {
		advice[i] += patches[i]
	}
	return strings.Join(advice, ", ")
}

// renamed says which patches no longer match when the edit gives a rendered object another name.
func renamed(e transform.Edit) string {
	if file := e.Object.File; file.FindPatches != nil && isName(e.Path) {
		if files := file.FindPatches(); len(files) > 0 {
			return ", and its name in the patches in " + strings.Join(files, " and ")
		}
	}
	return ""
}

func isName(path yamldoc.Path) bool { return slices.Equal(path, yamldoc.Path{"metadata", "name"}) }

// inPlaceOf says what to write into a source, so that the value is made of it as is was made of was.
func inPlaceOf(value any, is, was string) string {
	text, _ := value.(string)
	prefix, suffix, _ := strings.Cut(is, was)
	if from, ok := strings.CutPrefix(text, prefix); ok && strings.HasSuffix(from, suffix) {
		return fmt.Sprintf("write %q in place of %q", strings.TrimSuffix(from, suffix), was)
	}
	return fmt.Sprintf("write another value in place of %q", was)
}

// added reports whether an overlay adds what the finding is about, in no file of its own.
func (p *Places) added(f transform.Finding) bool {
	original, file := p.original(f.Object), f.Object.File
	return original != nil && f.Source().Path == file.Origin() && original.Get(f.At...) == nil &&
		objectIn(objects(file.Data), f.Object).Get(f.At...) != nil
}

// spot is what a rule is about in a source file.
type spot struct {
	source   transform.Source
	rule, at string
}

func spotOf(f transform.Finding, source transform.Source) spot {
	return spot{source, f.Rule.ID, f.At.String()}
}

// findDisputed returns the spots at which several overlays of one base want different things.
func (p *Places) findDisputed(findings []transform.Finding) map[spot]bool {
	type demand struct{ renders, wants string }
	first, disputed := map[spot]demand{}, map[spot]bool{}
	several := func(f transform.Finding) bool { return f.Object.File.Path != findings[0].Object.File.Path }
	if !slices.ContainsFunc(findings, several) {
		return nil
	}
	for _, f := range findings {
		if f.Object.File.Renderer == "" {
			continue
		}
		source := f.Source()
		if source.Line == 0 {
			continue
		}
		at, is := spotOf(f, source), demand{f.Object.File.Path, wants(f)}
		if was, found := first[at]; !found {
			first[at] = is
		} else if was.renders != is.renders && was.wants != is.wants {
			disputed[at] = true
		}
	}
	return disputed
}

// wants returns what a finding wants as a text. What the overlay adds to names is left out of the reason, and of another
// name: the base can have that without it.
func wants(f transform.Finding) string {
	switch {
	case len(f.Edits) > 0 && isName(f.At):
		return unaffixed(f.Object, changes(f))
	case len(f.Edits) > 0:
		return changes(f)
	}
	end := max(strings.LastIndex(f.Message, ": "), 0)
	return unaffixed(f.Object, f.Message[:end]) + f.Message[end:]
}

// unaffixed returns a text without the namespace of an object, and without what a renderer put around its name.
func unaffixed(o *transform.Object, text string) string {
	affixes := o.File.Affixes()
	if o.Namespace != "" {
		text = strings.ReplaceAll(text, " "+o.Namespace+"/", " ")
	}
	for _, affix := range []string{affixes.Prefix, affixes.Suffix} {
		if affix != "" {
			text = strings.ReplaceAll(text, affix, "")
		}
	}
	return text
}

// changes returns the edits of a finding as a text.
func changes(f transform.Finding) string {
	var edits strings.Builder
	for _, e := range f.Edits {
		fmt.Fprintln(&edits, e.Op, e.Path, e.To, e.Value)
	}
	return edits.String()
}

// overlaid reports whether the edit sets a text with what the overlay adds to the name of the original object.
func overlaid(e transform.Edit, original *yamldoc.Node) bool {
	text, _ := e.Value.(string)
	prefix, suffix, _ := strings.Cut(e.Object.Name, original.Get("metadata", "name").Str())
	return prefix != "" && strings.Contains(text, prefix) || suffix != "" && strings.Contains(text, suffix)
}

// original returns the object in the source file that a rendered one comes from, or nil if that is not certain.
func (p *Places) original(o *transform.Object) *yamldoc.Node {
	path := o.File.Origin()
	found, known := p.objects[path]
	if !known {
		if data, err := os.ReadFile(p.dir.Absolute(path)); err == nil {
			found = objects(data)
		}
		p.objects[path] = found
	}
	return objectIn(found, o)
}

// named is an object in a source file.
type named struct {
	*yamldoc.Node
	name string
}

// objects returns the objects in the data by their kind, those of Lists too. There are none if it is not YAML.
func objects(data []byte) map[string][]named {
	documents, err := yamldoc.Split(data)
	if err != nil {
		return nil
	}
	found := map[string][]named{}
	for _, d := range documents {
		tree, err := yamldoc.Parse(d.Body)
		if err != nil {
			return nil
		}
		for _, node := range append([]*yamldoc.Node{tree.Root}, tree.Root.Get("items").List()...) {
			if name := node.Get("metadata", "name").Str(); name != "" {
				kind := node.Get("kind").Str()
				found[kind] = append(found[kind], named{node, name})
			}
		}
	}
	return found
}

// objectIn returns the object with the kind and name of the given one, else the only one of its kind whose name is part
// of that name, else nil.
func objectIn(objects map[string][]named, o *transform.Object) *yamldoc.Node {
	var found []*yamldoc.Node
	for _, n := range objects[o.Kind] {
		if n.name == o.Name {
			return n.Node
		}
		if strings.Contains(o.Name, n.name) {
			found = append(found, n.Node)
		}
	}
	if len(found) != 1 {
		return nil
	}
	return found[0]
}
