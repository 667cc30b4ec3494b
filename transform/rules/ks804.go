package rules

import (
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/schema"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks804.md
var ks804Doc string

var invalidField = &transform.Rule{
	ID:       "KS804",
	Name:     "invalid-field",
	Title:    "The definition of the kind refuses a field",
	Doc:      ks804Doc,
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{{Group: kserve.Group, Kind: transform.AnyKind}},
	Example:  "unknown/fields",
	Severity: transform.Error,
	Run:      run(checkFields),
}

// definedField is a field that a definition wants or restricts. A step "*" of its path stands for each child.
type definedField struct {
	kinds    []string
	path     string
	required bool
	object   bool // whose type the definition does not say
	values   []string
	bounds   []int // of an integer: the least and, if there is one, the greatest
	only     transform.Window
	steps    []string // of the path; see fieldsByKind
}

// definedFields are those that people get wrong (config/crd/full at v0.14.1, v0.15.2 and v0.20.0). llmFields has those
// of LLM services.
var definedFields = slices.Concat(llmFields, []definedField{
	{kinds: []string{"ServingRuntime", "ClusterServingRuntime"}, path: "spec containers", required: true},
	{kinds: []string{"ServingRuntime", "ClusterServingRuntime"}, path: "spec workerSpec containers", required: true},
	{kinds: []string{"TrainedModel"}, path: "spec inferenceService", required: true},
	{kinds: []string{"TrainedModel"}, path: "spec model framework", required: true},
	{kinds: []string{"TrainedModel"}, path: "spec model memory", required: true},
	{kinds: []string{"LocalModelCache"}, path: "spec modelSize", required: true},
	{kinds: []string{"LocalModelCache"}, path: "spec nodeGroups", required: true},
	{kinds: []string{"LocalModelCache"}, path: "spec sourceModelUri", required: true},
	{kinds: []string{"LocalModelNode"}, path: "spec localModels", required: true},
	{kinds: []string{"LocalModelNodeGroup"}, path: "spec storageLimit", required: true},
	{kinds: []string{"LocalModelNodeGroup"}, path: "spec persistentVolumeSpec", required: true},
	{kinds: []string{"LocalModelNodeGroup"}, path: "spec persistentVolumeClaimSpec", required: true},
	{kinds: []string{"ClusterStorageContainer"}, path: "spec container name", required: true},
	{kinds: []string{"ClusterStorageContainer"}, path: "spec supportedUriFormats", required: true},
	{
		kinds: []string{"InferenceGraph"}, path: "spec nodes * routerType", required: true,
		values: []string{"Sequence", "Splitter", "Ensemble", "Switch"},
	},
	{kinds: []string{"InferenceService"}, path: "spec * scaleMetric", values: scaleMetrics},
	{
		kinds: []string{"InferenceService"}, path: "spec * autoScaling metrics * type", only: scalingByClass,
		required: true, values: []string{"Resource", "External", "PodMetric"},
	},
	{
		kinds: []string{"InferenceService"}, path: "spec * autoScaling metrics * resource name", only: scalingByClass,
		required: true, values: hpaMetrics,
	},
})

// fieldsByKind are the definedFields of each kind.
var fieldsByKind = sync.OnceValue(func() map[string][]*definedField {
	byKind := map[string][]*definedField{}
	for i := range definedFields {
		d := &definedFields[i]
		d.steps = strings.Fields(d.path)
		for _, kind := range d.kinds {
			byKind[kind] = append(byKind[kind], d)
		}
	}
	return byKind
})

func checkFields(p *pass) {
	p.types().Walk(nil, p.Object.Node(), func(at *yamldoc.Trail, value *yamldoc.Node, f schema.Field) {
		got, want := f.Refuses(value)
		if want != "" && !isPlaceholder(value.Str()) && (got != schema.Number || !isQuantity(f)) { // KS809 has those
			p.refuseType(at.Path(), value, got, want)
		}
	})
	for _, key := range []string{"name", "namespace"} {
		value := p.Object.Get("metadata", key)
		if got := schema.JSONOf(value); got != "" && got != schema.String {
			p.refuseType(yamldoc.Path{"metadata", key}, value, got, schema.String)
		}
	}
	yamldoc.AlongTrail(nil, func(at *yamldoc.Trail) {
		for _, field := range fieldsByKind()[p.Object.Kind] {
			field.check(p, at, p.Object.Node(), field.steps)
		}
	})
}

// refuseType reports a value of another type than the definition wants. A webhook that reads the object into a Go type
// comes before the definition, and so does the API server itself with the metadata.
func (p *pass) refuseType(at yamldoc.Path, value *yamldoc.Node, got, want string) {
	r, it := refusal{at: at, words: at.String() + " in body must be of type " + want}, "it"
	if at[0] == "metadata" || p.Object.GroupKind() == kserve.InferenceService ||
		p.Object.GroupKind() == kserve.LLMInferenceService && p.allLLM(kserve.LLMDefaulted) {
		r.words, it = "json: cannot unmarshal "+goWords[got], at.String()
	}
	number, err := strconv.ParseFloat(value.Str(), 64)
	switch {
	case want == schema.String && value.Get().Kind == yamldoc.Scalar:
		r.advice = fmt.Sprintf("write %s in quotes, as %q", it, value.Get().Value)
	case want == schema.Integer && got == schema.String && err == nil && number == math.Trunc(number),
		want == schema.Boolean && (value.Str() == "true" || value.Str() == "false"):
		r.advice = fmt.Sprintf("write %s without quotes, as %s", it, value.Str())
	default:
		r.advice = "write " + it + " as " + typeWords[want]
	}
	p.refuse(r)
}

// goWords are the types of JSON as Go's decoder names them.
var goWords = map[string]string{
	schema.String: "string", schema.Integer: "number", schema.Number: "number", schema.Boolean: "bool",
	schema.Array: "array", schema.Object: "object",
}

// typeWords are the types that a definition wants.
var typeWords = map[string]string{
	schema.String: "a string", schema.Integer: "a whole number", schema.Boolean: "true or false", schema.Array: "a list",
	schema.Object: "a mapping", schema.IntegerOrString: "a whole number or a string",
}

// check looks at the fields that the rest of the path leads to from the node.
func (d *definedField) check(p *pass, at *yamldoc.Trail, node *yamldoc.Node, rest []string) {
	switch {
	case len(rest) == 0:
		d.checkValue(p, at.Path(), node)
	case rest[0] == "*":
		at.Each(node, func(child *yamldoc.Node) {
			if !child.IsNull() {
				d.check(p, at, child.Get(), rest[1:])
			}
		})
	default:
		child := node.Get(rest[0])
		if child.IsNull() && (len(rest) > 1 || !d.required) {
			return
		}
		at.Key(rest[0])
		d.check(p, at, child, rest[1:])
		at.Up()
	}
}

func (d *definedField) checkValue(p *pass, at yamldoc.Path, node *yamldoc.Node) {
	r := refusal{at: at, only: d.only}
	f := p.types().At(at)
	n, exact := node.Int()
	switch _, wrong := f.Refuses(node); {
	case !f.Kept, wrong != "", isPlaceholder(node.Str()): // the API server drops it, or nobody knows it
		return
	case connected(p.Object) && at.String() == llmModel.With("uri").String(): // a webhook writes it before
		return
	case node.IsNull():
		r.words, r.advice = at.String()+": Required value", "add it"
	case d.object && node.Get().Kind != yamldoc.Mapping:
		r.words, r.advice = at.String()+" in body must be of type object", "write a mapping"
	case d.values != nil && !slices.Contains(d.values, node.Str()):
		r.words = fmt.Sprintf("%s: Unsupported value: %q", at, node.Str())
		r.advice = "use " + joined(d.values, "or")
	case exact && len(d.bounds) > 0 && n < d.bounds[0]:
		r.words = fmt.Sprintf("%s in body should be greater than or equal to %d", at, d.bounds[0])
		r.advice = "raise it"
	case exact && len(d.bounds) > 1 && n > d.bounds[1]:
		r.words = fmt.Sprintf("%s in body should be less than or equal to %d", at, d.bounds[1])
		r.advice = "lower it"
	default:
		return
	}
	p.refuse(r)
}
