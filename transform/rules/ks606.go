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

// pruning is the check of one object, or of one LoRA adapter in it.
type pruning struct {
	*pass
	types *schema.Types
	by    string          // who drops the fields
	taken map[string]bool // the places that edits fill, and the objects around them, which are false
}

func checkPruned(p *pass) {
	converted := []yamldoc.Path{}
	if framework := p.convertedFramework(); framework != nil {
		// KS601 says what becomes of them.
		converted = []yamldoc.Path{framework.With("modelFormat"), framework.With("runtime")}
	}
	pr := p.pruning()
	misplaced, moves := p.misplaced()
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
		isServer := misplaced != nil && slices.Equal(path, misplaced)
		if isServer && !moves {
			return // KS802 reports it
		}
		f := pr.finding(path, value)
		if isServer {
			f.Severity = transform.Error
		}
		p.Report(f)
	}
	pr.types.Walk(nil, p.Object.Node(), visit)
	if p.rewriter() == "" {
		return
	}
	pr.by = "KServe" // reads an adapter into the type of a model; the API server takes anything
	for _, at := range p.adapters() {
		pr.types.At(llmModel).Walk(at, p.Object.Get(at...), visit)
	}
}

func (p *pass) pruning() *pruning {
	return &pruning{p, p.types(), "the API server", map[string]bool{}}
}

// misplaced returns the place of a server that KServe misses where it belongs, nil if there is none, and whether the
// setting pruned-fields moves it there.
func (p *pass) misplaced() (at yamldoc.Path, moves bool) {
	if s := p.KServe.Service(p.Object); s != nil && !s.IsGraph() {
		at, _ = misplacedServer(s)
	}
	return at, at != nil && p.moves(at)
}

// moves reports whether the setting pruned-fields puts what is at a place where it belongs.
func (p *pass) moves(at yamldoc.Path) bool {
	return p.Options.PrunedFields == PrunedFieldsMove && len(p.pruning().finding(at, p.Object.Get(at...)).Edits) > 0
}

// finding is about a field that no release in question has.
func (p *pruning) finding(at yamldoc.Path, value *yamldoc.Node) transform.Report {
	older, newer := p.elsewhere(at)
	stored := p.allLLM(kserve.LLMConverted) && p.Schema.Types(kserve.LLMStored, p.Object.Kind).At(at).Kept
	f := transform.Report{At: at, AsStored: !p.Versions.Likened(),
		Message: fmt.Sprintf("%s, because %s has no field %s%s and %s drops it: ",
			p.symptom(at, value), p.release(), at, older, p.by)}
	switch {
	case stored:
		f.Message += fmt.Sprintf("write %s, which has it, or remove it", kserve.LLMStored)
		f.Unrepaired = "it would have an effect in v1alpha2"
	case newer != (transform.Release{}):
		f.Message += p.upgrade(newer) + ", which has it, or remove it"
		f.Unrepaired = "it would be missing after the upgrade"
	default:
		p.repair(&f, value)
	}
	return f
}

// repair says what to do about a field, and does what the setting pruned-fields asks for.
func (p *pruning) repair(f *transform.Report, value *yamldoc.Node) {
	a := p.advice(f.At, value)
	f.Message += a.text
	removes, moves := p.Options.PrunedFields == PrunedFieldsRemove, p.Options.PrunedFields == PrunedFieldsMove
	switch {
	case p.Versions.Likened():
		f.Unrepaired = "your release may have it"
	case !removes && !a.clear:
		f.Unrepaired = "only people know what it is for"
	case !p.Versions.Known() && (removes || moves):
		f.Needs = kserveVersion
	case removes:
		f.Message += "; pruned-fields is remove, which takes it out"
		f.Edits = p.Object.Edits(yamldoc.Delete(f.At))
	default:
		p.move(f, a.moves)
	}
}

// symptom says what people see of a field that is dropped.
func (p *pruning) symptom(at yamldoc.Path, value *yamldoc.Node) string {
	gpu, has := "", "has"
	if namesGPU(value) {
		gpu = "GPU "
	}
	if p.Versions.Likened() {
		has = "may have"
	}
	return fmt.Sprintf("this %s%s setting %s no effect", gpu, at[len(at)-1], has)
}

// namesGPU reports whether a key or a string in a value shows that it is about GPUs.
func namesGPU(value *yamldoc.Node) (found bool) {
	shows := func(s string) bool {
		s = strings.ToLower(s)
		return strings.Contains(s, "gpu") || strings.Contains(s, "nvidia")
	}
	value.Walk(nil, func(_ *yamldoc.Trail, n *yamldoc.Node) {
		found = found || slices.ContainsFunc(n.Entries, func(e yamldoc.Entry) bool {
			return shows(e.Key.Value) || shows(e.Value.Get().Str())
		})
	})
	return found
}

// release names the release in question, if it is one.
func (p *pass) release() string {
	if all := p.Versions.Releases(); len(all) == 1 {
		return "KServe " + all[0].String()
	}
	return "KServe"
}

// elsewhere says which older release still has a field, and names the first newer one that has it.
func (p *pass) elsewhere(at yamldoc.Path) (older string, newer transform.Release) {
	candidates := p.Versions.Releases()
	for _, r := range schema.Releases() {
		switch {
		case !schema.Of(r).Types(p.Object.APIVersion, p.Object.Kind).At(at).Kept:
		case r.Compare(candidates[0]) < 0:
			older = fmt.Sprintf(" (%s still had it)", r)
		case newer == (transform.Release{}) && r.Compare(candidates[len(candidates)-1]) > 0:
			newer = r
		}
	}
	return older, newer
}

// advice is what to do about a field.
type advice struct {
	text  string
	clear bool   // whether it needs no decision by people
	moves []move // what to do then, beside removing the field
}

// advice says what to do about a field.
func (p *pruning) advice(at yamldoc.Path, value *yamldoc.Node) advice {
	places := p.places(at, value)
	switch {
	case len(places) > 1:
		return advice{text: "move it to " + listed(places, "or")}
	case len(places) == 1:
		return p.adviceFor(move{at, places[0]})
	}
	if moves, all := p.unwrapped(at, value); len(moves) > 0 {
		to := make([]yamldoc.Path, len(moves))
		for i, m := range moves {
			to[i] = m.to
			all = all && p.Object.Get(m.to...) == nil
		}
		text := "move what is below it to " + listed(to, "and")
		if !all {
			return advice{text: text + ", and decide about the rest"}
		}
		return advice{text, true, moves}
	}
	if hasAnchor(value) {
		return advice{text: "write its anchors where their aliases are used first, and remove it"}
	}
	if hint := hintFor(p.Object.Kind, at[:len(at)-1], at[len(at)-1].(string)); hint != "" {
		return advice{text: hint}
	}
	if similar := p.similar(at, value); similar != nil {
		return p.adviceFor(move{at, similar})
	}
	return advice{text: "correct or remove it"}
}

// hasAnchor reports whether a value or one below it has an anchor, which others may be written with.
func hasAnchor(value *yamldoc.Node) (found bool) {
	value.Walk(nil, func(_ *yamldoc.Trail, n *yamldoc.Node) { found = found || n.Anchor() != "" })
	return found
}

// adviceFor says what to do about a field that belongs to one place.
func (p *pruning) adviceFor(m move) advice {
	own, parent := m.from[:len(m.from)-1], m.to[:len(m.to)-1]
	text := "move it to " + m.to.String()
	switch there := p.Object.Get(m.to...); {
	case there != nil && there.Equal(p.Object.Get(m.from...)):
		return advice{fmt.Sprintf("remove it, because %s says the same", m.to), true, nil}
	case there != nil:
		return advice{text: fmt.Sprintf("decide whether it or %s counts, and remove it here", m.to)}
	case slices.Equal(own, parent):
		text = fmt.Sprintf("it is misspelt, so write %s", m.to)
	case within(own, parent):
		text = "it is indented one level too far, so " + text
	case within(parent, own):
		text = "it is indented one level too little, so " + text
	}
	return advice{text, true, []move{m}}
}

// within reports whether an object is a field of another one.
func within(object, other yamldoc.Path) bool {
	return len(object) == len(other)+1 && slices.Equal(object[:len(other)], other)
}

// unwrapped returns where the table puts the fields of an object that KServe does not know, and whether it has one
// place for each of them.
func (p *pruning) unwrapped(at yamldoc.Path, value *yamldoc.Node) (moves []move, all bool) {
	all = true
	for step, child := range value.Get().Children() {
		name, isKey := step.(string)
		if !isKey {
			return nil, false
		}
		from := at.With(name)
		places := p.places(from, child)
		if len(places) == 1 {
			moves = append(moves, move{from, places[0]})
		}
		all = all && len(places) == 1
	}
	return moves, all
}

// places returns where the table puts a field: the places that all releases in question have and that take such a
// value.
func (p *pruning) places(at yamldoc.Path, value *yamldoc.Node) (found []yamldoc.Path) {
	own, name := at[:len(at)-1], at[len(at)-1].(string)
	for _, row := range places {
		for _, object := range row.objects(p.Object, own, name) {
			if fits(p.types.At(object), name, value) {
				found = append(found, object.With(name))
			}
		}
	}
	return found
}

// similar returns the field of the same object with the most similar name, nil if there is none.
func (p *pruning) similar(at yamldoc.Path, value *yamldoc.Node) yamldoc.Path {
	own, name := at[:len(at)-1], at[len(at)-1].(string)
	object := p.types.At(own)
	similar, distance := "", min(3, len(name)/2)
	for _, other := range object.Names() {
		if len(other)-len(name) >= distance || len(name)-len(other) >= distance {
			continue
		}
		d := spelling.Distance(strings.ToLower(name), strings.ToLower(other))
		if d < distance && fits(object, other, value) {
			similar, distance = other, d
		}
	}
	if similar == "" {
		return nil
	}
	return own.With(similar)
}

// fits reports whether an object has a field on all releases in question that takes such a value.
func fits(object schema.Field, name string, value *yamldoc.Node) bool {
	field := object.Field(name)
	differs := func(t schema.Type) bool { return t.Kind() != 0 && t.Kind() != value.Get().Kind }
	return field.Kept && !slices.ContainsFunc(field.All(), differs)
}
