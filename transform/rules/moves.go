package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/schema"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// move is the place of a field, and the place where it belongs.
type move struct{ from, to yamldoc.Path }

// move makes the edits that put a field where it belongs, if the settings ask for that.
func (p *pruning) move(f *transform.Report, moves []move) {
	edits := []yamldoc.Edit{yamldoc.Delete(f.At)}
	for _, m := range moves {
		value := p.Object.Get(m.from...)
		content, ok := contentOf(value)
		name := m.to[len(m.to)-1].(string)
		renamed := slices.Equal(m.to[:len(m.to)-1], m.from[:len(m.from)-1])
		switch {
		case !ok || !settled(p.types.At(m.to), value) || m.to[0] == "metadata" && !ofMetadata(m.to, value):
			f.Unrepaired = "KServe stores the value in another form, or refuses it: move it by hand"
			return
		case name == "labels" && p.KServe.LLMService(p.Object) != nil && m.to[0] == "spec":
			f.Unrepaired = "KServe copies labels" + inSelector + "move it by hand, and delete a Deployment that is there"
			return
		case !p.take(m.to):
			f.Unrepaired = fmt.Sprintf("another field belongs to %s too", m.to)
			return
		case value.Kind == yamldoc.Mapping && (name == "annotations" || m.to[0] == "metadata" && !renamed):
			for _, entry := range content.(yamldoc.Map) { // one by one, because other rules add annotations
				edits = append(edits, yamldoc.Set(m.to.With(entry.Key), entry.Value))
			}
		case renamed:
			edits = []yamldoc.Edit{yamldoc.Rename(f.At, name)}
		default:
			edits = append(edits, yamldoc.Set(m.to, content))
		}
	}
	kind := p.Object.GroupKind()
	isRuntime := kind == kserve.ServingRuntime || kind == kserve.ClusterServingRuntime
	switch {
	case p.Options.PrunedFields != PrunedFieldsMove:
		f.Unrepaired = "the setting pruned-fields is report, and only move " + writes(moves)
		return
	case slices.ContainsFunc(moves, p.behindFeature):
		if p.KServe.Service(p.Object).Mode == kserve.Knative {
			f.Unrepaired = "Knative refuses it, unless its ConfigMap config-features allows it: move it by hand then"
		} else {
			f.Needs = defaultDeploymentMode
		}
		return
	case isRuntime && !p.mayEdit():
		f.Unrepaired = runtimeShared
		return
	case isRuntime:
		f.Restarts = p.restarted()
	}
	f.Edits, f.AsStored = p.Object.Edits(edits...), len(moves) == 0
	f.PodsStay = !slices.ContainsFunc(moves, p.reachesPods)
}

// behindFeature reports whether Knative, which makes the pods of a service that is not in Standard mode for certain, does
// not take a field of a component as it is installed (PodSpecMask in pkg/apis/serving/fieldmask.go, and defaultFeaturesConfig
// in pkg/apis/config/features.go, of knative.dev/serving@v0.39.3 to @v0.48.1).
func (p *pruning) behindFeature(m move) bool {
	s := p.KServe.Service(p.Object)
	return s != nil && (s.Mode == kserve.Knative || s.Mode == "") && len(m.to) == 3 &&
		slices.Contains(knativeFeatures, m.to[2].(string))
}

var knativeFeatures = []string{
	"affinity", "dnsConfig", "dnsPolicy", "hostAliases", "hostIPC", "hostNetwork", "hostPID", "initContainers", "nodeSelector",
	"priorityClassName", "runtimeClassName", "schedulerName", "securityContext", "shareProcessNamespace", "tolerations",
	"topologySpreadConstraints",
}

// reachesPods reports whether pods may depend on the field that a move writes. In Standard mode KServe makes a part of a
// route of a component's timeout, and a part of a ScaledObject of an external metric (resolveTimeout in
// reconcilers/ingress/httproute_reconciler.go and getKedaMetrics in reconcilers/keda/keda_reconciler.go@v0.20.0).
func (p *pruning) reachesPods(m move) bool {
	s := p.KServe.Service(p.Object)
	return s == nil || s.Mode != kserve.Standard ||
		m.to[len(m.to)-1] != "timeout" && !slices.Contains(m.to, "external")
}

// writes says what the moves of a field do.
func writes(moves []move) string {
	if len(moves) == 0 {
		return "takes it out"
	}
	places := make([]yamldoc.Path, len(moves))
	for i, m := range moves {
		places[i] = m.to
	}
	return "writes it to " + listed(places, "and")
}

// take reports whether no move of this object goes to a place, into it or around it, and notes that one does now.
func (p *pruning) take(place yamldoc.Path) bool {
	for i := range place {
		if p.taken[place[:i+1].String()] {
			return false
		}
	}
	if _, around := p.taken[place.String()]; around {
		return false
	}
	for i := range place {
		p.taken[place[:i+1].String()] = i == len(place)-1
	}
	return true
}

// settled reports whether KServe stores a value unchanged in the field.
func settled(field schema.Field, value *yamldoc.Node) bool {
	asIs := func(value *yamldoc.Node, f schema.Field) bool {
		_, differs := storedQuantity(value.Get(), f)
		return f.Kept && ofType(f, value.Get()) && !differs && emptiness(value.Get()) == ""
	}
	all := asIs(value, field)
	field.Walk(nil, value, func(_ *yamldoc.Trail, value *yamldoc.Node, f schema.Field) { all = all && asIs(value, f) })
	return all
}

// ofMetadata reports whether a value may move to a path of metadata: labels and annotations are mappings of strings,
// and names are strings. A finalizer would begin to block the deletion, which nobody has missed so far.
func ofMetadata(at yamldoc.Path, value *yamldoc.Node) bool {
	isString := func(n *yamldoc.Node) bool { return n.Get().Tag() == "!!str" }
	switch at[1] {
	case "labels", "annotations":
		return len(at) > 2 && isString(value) || value.Kind == yamldoc.Mapping &&
			!slices.ContainsFunc(value.Entries, func(e yamldoc.Entry) bool { return !isString(e.Value) })
	case "name", "namespace", "generateName":
		return isString(value)
	}
	return false
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
