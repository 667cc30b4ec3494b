package rules

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/schema"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/spelling"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks606.md
var ks606Doc string

var prunedFields = &transform.Rule{
	ID:       "KS606",
	Name:     "pruned-fields",
	Title:    "KServe does not know a field, so the setting is lost",
	Doc:      ks606Doc,
	Issues:   []string{"https://github.com/argoproj/argo-cd/issues/25064"},
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{{Group: kserve.Group, Kind: transform.AnyKind}},
	Example:  "0.20.0/misplaced",
	Severity: transform.Warning,
	Restarts: true,
	Run:      run(checkPruned),
}

func checkPruned(p *pass) {
	types, converted := p.types(), []yamldoc.Path{}
	if framework := p.convertedFramework(); framework != nil {
		// KS601 says what becomes of them.
		converted = []yamldoc.Path{framework.With("modelFormat"), framework.With("runtime")}
	}
	by := "the API server"
	visit := func(at *yamldoc.Trail, value *yamldoc.Node, field schema.Field) {
		if !field.Dropped {
			return
		}
		path := at.Path()
		if slices.Equal(path, yamldoc.Path{"status"}) || path[len(path)-1] == "$patch" {
			return // the API server takes no status, and $patch makes the document a patch for kustomize
		}
		if slices.ContainsFunc(converted, func(at yamldoc.Path) bool { return slices.Equal(at, path) }) {
			return
		}
		p.reportPruned(types, path, value, by)
	}
	types.Walk(nil, p.Object.Node(), visit)
	if p.rewriter() == "" {
		return
	}
	by = "KServe" // reads an adapter into the type of a model; the API server takes anything
	for _, at := range p.adapters() {
		types.At(llmModel).Walk(at, p.Object.Get(at...), visit)
	}
}

// reportPruned reports a field that no release in question has, and who drops it.
func (p *pass) reportPruned(types *schema.Types, at yamldoc.Path, value *yamldoc.Node, by string) {
	older, newer := p.elsewhere(at)
	stored := p.allLLM(kserve.LLMConverted) && p.kinds.Types(kserve.LLMStored, p.Object.Kind).At(at).Kept
	place, known := p.placeOf(types, at, value)
	free := known && p.Object.Get(place...) == nil
	f := transform.Finding{At: at, AsStored: !p.Versions.Likened(),
		Message: fmt.Sprintf("%s has no field %s, so %s drops it%s: ", p.release(), at, by, older)}
	switch {
	case stored:
		f.Message += fmt.Sprintf("remove it, or write %s, which has it", kserve.LLMStored)
	case newer != "":
		f.Message += fmt.Sprintf("remove it, or upgrade to %s, which has it", newer)
	case free:
		f.Message += fmt.Sprintf("it belongs to %s", place)
	case known:
		f.Message += fmt.Sprintf("remove it, because %s is there already", place)
	default:
		f.Message += "remove it"
	}
	switch {
	case stored:
		f.Unrepaired = "it would have an effect in v1alpha2"
	case newer != "":
		f.Unrepaired = "it would be missing after the upgrade"
	case !p.Versions.Known():
		f.Needs = kserveVersion
	case p.Versions.Likened():
		f.Unrepaired = "your release may have it"
	case p.options.PrunedFields == PrunedFieldsReport:
		f.Unrepaired = "pruned-fields is report"
	case free && p.options.PrunedFields == PrunedFieldsMove:
		p.move(&f, types, place, value)
		f.AsStored = len(f.Edits) == 0
	default:
		if free {
			f.Message += ", where pruned-fields: move puts it; the repair removes it"
		}
		f.Edits = p.Object.Edits(yamldoc.Delete(at))
	}
	p.Report(f)
}

// release names the release in question, if it is one.
func (p *pass) release() string {
	if all := p.Versions.Releases(); len(all) == 1 {
		return "KServe " + all[0].String()
	}
	return "KServe"
}

// elsewhere says which older release still has a field, and names the first newer one that has it.
func (p *pass) elsewhere(at yamldoc.Path) (older, newer string) {
	candidates := p.Versions.Releases()
	for _, r := range schema.Releases() {
		switch {
		case !schema.Of(r).Types(p.Object.APIVersion, p.Object.Kind).At(at).Kept:
		case r.Compare(candidates[0]) < 0:
			older = fmt.Sprintf(" (%s still had it)", r)
		case newer == "" && r.Compare(candidates[len(candidates)-1]) > 0:
			newer = r.String()
		}
	}
	return older, newer
}

// placeOf returns where an unknown field may belong: to the next object around its own that has a field of that name,
// to the metadata if it is at the top, to the only object beside it that has one, or to the field of its own object
// with the most similar name.
func (p *pass) placeOf(types *schema.Types, at yamldoc.Path, value *yamldoc.Node) (place yamldoc.Path, known bool) {
	own, name := at[:len(at)-1], at[len(at)-1].(string)
	has := func(object yamldoc.Path) bool { return fits(types.At(object), name, value) }
	for i := len(own) - 1; i > 0; i-- {
		if has(at[:i]) {
			return at[:i].With(name), true
		}
	}
	if metadata := (yamldoc.Path{"metadata"}); len(own) == 0 && has(metadata) {
		return metadata.With(name), true
	}
	var beside []yamldoc.Path
	for step := range p.Object.Get(own...).Children() {
		if object := own.With(step); has(object) {
			beside = append(beside, object)
		}
	}
	if len(beside) == 1 {
		return beside[0].With(name), true
	}
	similar, distance := "", min(3, len(name)/2)
	for _, other := range types.At(own).Names() {
		d := spelling.Distance(strings.ToLower(name), strings.ToLower(other))
		if d < distance && fits(types.At(own), other, value) {
			similar, distance = other, d
		}
	}
	return own.With(similar), similar != ""
}

// fits reports whether an object has a field on all releases in question that takes such a value.
func fits(object schema.Field, name string, value *yamldoc.Node) bool {
	differs := func(t schema.Type) bool { return t.Kind() != 0 && t.Kind() != value.Get().Kind }
	return slices.Contains(object.Names(), name) && !slices.ContainsFunc(object.Field(name).All(), differs)
}

// move lets the edits put a field where it belongs.
func (p *pass) move(f *transform.Finding, types *schema.Types, place yamldoc.Path, value *yamldoc.Node) {
	if kind := p.Object.GroupKind(); kind == kserve.ServingRuntime || kind == kserve.ClusterServingRuntime {
		if !p.mayEdit() {
			f.Unrepaired = runtimeShared
			return
		}
		f.Restarts = p.restarted()
	}
	own, last := f.At[:len(f.At)-1], len(place)-1
	content, ok := contentOf(value.Get())
	switch {
	case !ok || !settled(types.At(place), value):
		f.Unrepaired = "move it by hand, because its value has faults of its own"
	case place[0] == "metadata" && value.Get().Kind == yamldoc.Mapping:
		edits := []yamldoc.Edit{yamldoc.Delete(f.At)}
		for _, entry := range content.(yamldoc.Map) { // one by one, because other rules add annotations
			edits = append(edits, yamldoc.Set(place.With(entry.Key), entry.Value))
		}
		f.Edits = p.Object.Edits(edits...)
	case slices.Equal(place[:last], own):
		f.Edits = p.Object.Edits(yamldoc.Rename(f.At, place[last].(string)))
	default:
		f.Edits = p.Object.Edits(yamldoc.Delete(f.At), yamldoc.Set(place, content))
	}
}

// settled reports whether a value is stored as it is, if it gets the place of a field.
func settled(field schema.Field, value *yamldoc.Node) bool {
	asIs := func(value *yamldoc.Node, f schema.Field) bool {
		_, differs := storedQuantity(value.Get(), f)
		return f.Kept && ofType(f, value.Get()) && !differs && emptiness(value.Get()) == ""
	}
	all := asIs(value, field)
	field.Walk(nil, value, func(_ *yamldoc.Trail, value *yamldoc.Node, f schema.Field) { all = all && asIs(value, f) })
	return all
}

// contentOf returns a node as the value of an edit. ok is false for what edits cannot write, such as a fraction.
func contentOf(n *yamldoc.Node) (content any, ok bool) {
	switch {
	case n.Kind == yamldoc.Mapping:
		fields := yamldoc.Map{}
		for _, e := range n.Entries {
			value, ok := contentOf(e.Value.Get())
			if !ok || e.Key.Tag() == "!!merge" {
				return nil, false
			}
			fields = append(fields, yamldoc.Field{Key: e.Key.Value, Value: value})
		}
		return fields, true
	case n.Kind == yamldoc.Sequence:
		items := []any{}
		for _, item := range n.Items {
			value, ok := contentOf(item.Get())
			if !ok {
				return nil, false
			}
			items = append(items, value)
		}
		return items, true
	case n.Tag() == "!!str":
		return n.Value, true
	case n.Tag() == "!!bool":
		return strings.EqualFold(n.Value, "true"), true
	}
	return n.Int()
}
