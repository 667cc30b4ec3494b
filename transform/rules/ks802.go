package rules

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// collocation are the releases that admit containers beside a predictor's model. The older ones count each list of
// containers as a second server (GetImplementations in predictor.go@v0.14.1 and @v0.15.0).
var collocation = transform.Window{From: transform.Release{0, 15, 0}}

// modelUnnamed are the releases that refuse a name in a predictor's model
// (validatePredictor in inference_service_validation.go@v0.16.0).
var modelUnnamed = transform.Window{From: transform.Release{0, 16, 0}}

//go:embed ks802.md
var ks802Doc string

var refusedServer = &transform.Rule{
	ID:       "KS802",
	Name:     "refused-server",
	Title:    "A component has no server, or several, or its model has a name",
	Doc:      ks802Doc,
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{kserve.InferenceService},
	Example:  "0.20.0/model-name",
	Severity: transform.Error,
	Restarts: true,
	Run:      run(checkServers),
}

// checkServers counts the servers as they are after the defaulter, which lets the first framework take the place of the
// model (setPredictorModelDefaults in inference_service_defaults.go).
func checkServers(p *pass) {
	s := p.KServe.Service(p.Object)
	if _, version, _ := strings.Cut(s.APIVersion, "/"); !slices.Contains(kserve.KindVersions[s.Kind], version) {
		return // KS502 reports it
	}
	words := "spec.predictor: Required value"
	if !s.Get("spec", kserve.Predictor).IsNull() {
		words = withoutServer(kserve.Predictor)
	}
	misplaced, to := misplacedServer(s)
	switch {
	case misplaced != nil && !p.moves(misplaced):
		p.refuse(refusal{at: misplaced, words: words,
			advice: fmt.Sprintf("move %s to %s, by its indentation", misplaced, to)})
	case misplaced == nil && s.Get("spec", kserve.Predictor).IsNull():
		p.refuse(refusal{at: yamldoc.Path{"spec"}, words: words, advice: "add a predictor"})
	}
	components(s, func(name string, spec *yamldoc.Node) {
		if name == kserve.Predictor && misplaced != nil {
			return
		}
		var found []yamldoc.Path
		for _, release := range p.Versions.Releases() {
			found = servers(spec, yamldoc.Path{"spec", name}, release)
			if len(found) > 1 && found[0][2] == "model" && found[1][2] != "containers" && !p.keepsFramework() {
				found = found[1:]
			}
			if len(found) != 1 {
				continue
			}
			if name == kserve.Predictor {
				checkModelName(p, found[0].With("name"))
			}
			return
		}
		p.refuse(refuseServers(name, found))
	})
}

// predictorServers are the keys of a predictor, any of which is a server.
var predictorServers = append([]string{"containers"}, kserve.Frameworks[kserve.Predictor]...)

// misplacedPredictors are the places where a predictor is found that is indented too far or too little.
var misplacedPredictors = []yamldoc.Path{
	{kserve.Predictor}, {"metadata", kserve.Predictor}, {"spec", kserve.Transformer, kserve.Predictor},
	{"spec", kserve.Explainer, kserve.Predictor},
}

// misplacedServer returns the place of a predictor, or of its server, that is indented too far or too little, and where
// it belongs. Both are nil if there is none, or if the service has one where it belongs.
func misplacedServer(s *model.Service) (at, to yamldoc.Path) {
	spec, predictor := s.Get("spec"), s.Get("spec", kserve.Predictor)
	if predictor.IsNull() {
		for _, at := range misplacedPredictors {
			if !s.Get(at...).IsNull() {
				return at, yamldoc.Path{"spec", kserve.Predictor}
			}
		}
	}
	for _, server := range predictorServers {
		if !predictor.Get(server).IsNull() {
			return nil, nil
		}
		if at == nil && !spec.Get(server).IsNull() {
			at, to = yamldoc.Path{"spec", server}, yamldoc.Path{"spec", kserve.Predictor, server}
		}
	}
	return at, to
}

func withoutServer(component string) string {
	return fmt.Sprintf("exactly one of [...] must be specified in %sSpec", strings.ToUpper(component[:1])+component[1:])
}

// refuseServers is the refusal of a component with no server or several.
func refuseServers(component string, found []yamldoc.Path) refusal {
	r := refusal{
		at:     yamldoc.Path{"spec", component},
		words:  withoutServer(component),
		advice: "add containers",
	}
	switch {
	case len(found) > 1:
		r.at, r.advice = found[1], fmt.Sprintf("remove %s or %s", found[0], found[1])
	case component == kserve.Predictor:
		r.advice = "add a model, a framework or containers"
	case component == kserve.Explainer:
		r.advice = "add art or containers"
	}
	return r
}

// checkModelName reports a name at the path, unless the path is that of a custom container.
func checkModelName(p *pass, at yamldoc.Path) {
	if at[2] != "containers" && p.Object.Get(at...).Str() != "" {
		p.refuse(refusal{at: at, only: modelUnnamed, words: "the 'name' field is not allowed in standard predictor",
			advice: "remove it, since KServe names the container itself", edits: []yamldoc.Edit{yamldoc.Delete(at)}})
	}
}

// servers returns the fields that the release's webhook counts as servers of a component, which is the last step of the
// path (GetImplementations in predictor.go, transformer.go and explainer.go).
func servers(spec *yamldoc.Node, at yamldoc.Path, release transform.Release) (found []yamldoc.Path) {
	component := at[len(at)-1].(string)
	for _, field := range kserve.Frameworks[component] {
		if !spec.Get(field).IsNull() && kserve.FrameworkWindows[field].Contains(release) {
			found = append(found, at.With(field))
		}
	}
	containers := 0
	for step, container := range spec.Get("containers").Children() {
		containers++
		if component == kserve.Predictor && collocation.Contains(release) {
			if container.Get("name").Str() == kserve.ServingContainer {
				found = append(found, at.With("containers", step))
			}
		} else if containers == 1 {
			found = append(found, at.With("containers"))
		}
	}
	if found == nil && containers > 0 {
		return []yamldoc.Path{at.With("containers")}
	}
	return found
}
