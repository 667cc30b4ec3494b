package rules

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/lazyregexp"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// collocationStorage are the releases that refuse the variable STORAGE_URI of a collocated transformer, storageLogger
// those that log to a storage, and pythonPathBlocked those that refuse the variable PYTHONPATH
// (inference_service_validation.go@v0.12.1, component.go@v0.16.0, pkg/validation/env_policy.go@v0.18.0).
var (
	collocationStorage = transform.Window{From: transform.Release{0, 12, 0}}
	storageLogger      = transform.Window{From: transform.Release{0, 16, 0}}
	pythonPathBlocked  = transform.Window{From: transform.Release{0, 18, 0}}
)

//go:embed ks806.md
var ks806Doc string

var refusedSetting = &transform.Rule{
	ID:       "KS806",
	Name:     "refused-setting",
	Title:    "KServe refuses a logger, variable, storage or canary of a component",
	Doc:      ks806Doc,
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{kserve.InferenceService, kserve.ServingRuntime, kserve.ClusterServingRuntime},
	Example:  "0.20.0/settings",
	Severity: transform.Error,
	Run:      run(checkSettings),
}

func checkSettings(p *pass) {
	s := p.KServe.Service(p.Object)
	if s == nil {
		if !model.Disabled(p.Object) {
			checkPythonPath(p, p.Object.Get("spec"), yamldoc.Path{"spec"}, inRuntime)
		}
		return
	}
	components(s, func(name string, spec *yamldoc.Node) {
		at := yamldoc.Path{"spec", name}
		checkLogger(p, spec, at, transform.Window{})
		checkStorageURIs(p, s, name)
		checkPythonPath(p, spec, at, inComponent)
	})
	checkVariables(p, s)
	checkExplainerStorage(p)
	checkConfidential(p, s)
	checkCanaries(p, s)
}

// checkLogger looks at the logger of a component, which is at the path.
func checkLogger(p *pass, component *yamldoc.Node, at yamldoc.Path, only transform.Window) {
	logger := component.Get("logger")
	if logger.IsNull() {
		return
	}
	if mode := logger.Get("mode").Str(); !slices.Contains([]string{"all", "request", "response"}, mode) {
		p.refuse(refusal{at: at.With("logger", "mode"), only: only, words: "invalid logger type",
			advice: "set mode to all, request or response"})
	}
	storage := logger.Get("storage")
	if storage.IsNull() {
		return
	}
	for _, field := range []string{"path", "parameters", "key"} {
		if storage.Get(field).IsNull() {
			p.refuse(refusal{at: at.With("logger", "storage"), only: storageLogger,
				words: "invalid logger storage configuration", advice: "set path, parameters and key"})
			return
		}
	}
}

// The paths of what has containers that a webhook looks at (validateBlockedEnvVars in inference_service_validation.go
// and servingruntime_webhook.go@v0.18.0): lists of them, and the component itself, whose fields are frameworks.
var (
	inComponent = []yamldoc.Path{
		{"containers"}, {"initContainers"}, {"workerSpec", "containers"}, {"workerSpec", "initContainers"}, nil,
	}
	inRuntime = []yamldoc.Path{{"containers"}, {"workerSpec", "containers"}}
)

// checkPythonPath looks for the variable PYTHONPATH in containers below the spec, which is at the path.
func checkPythonPath(p *pass, spec *yamldoc.Node, at yamldoc.Path, containers []yamldoc.Path) {
	for _, below := range containers {
		for i, container := range spec.Get(below...).Children() {
			for j, variable := range container.Get("env").Children() {
				if variable.Get("name").Str() == "PYTHONPATH" {
					p.refuse(refusal{at: at.With(below...).With(i, "env", j), only: pythonPathBlocked,
						words: "setting PYTHONPATH ... is not allowed for security reasons", advice: "remove it"})
				}
			}
		}
	}
}

// checkVariables looks at variables of the predictor's containers that KServe gives a meaning.
func checkVariables(p *pass, s *model.Service) {
	at := yamldoc.Path{"spec", kserve.Predictor, "containers"}
	framework, _ := s.Framework(kserve.Predictor)
	for i, container := range s.Get(at...).Children() {
		for j, variable := range container.Get("env").Children() {
			r := refusal{at: at.With(i, "env", j)}
			switch name, value := variable.Get("name").Str(), variable.Get("value").Str(); {
			case name == "STORAGE_URI" && container.Get("name").Str() == kserve.TransformerContainer:
				r.only, r.words = collocationStorage, "storage uri should not be specified in transformer container"
				r.advice = "remove it"
			case name == "PROTOCOL" && framework == "" && i == 0 && value != "v1" && value != "v2":
				r.words = fmt.Sprintf("invalid protocol v1, v2. Must be one of [%s]", value)
				r.advice = "use v1 or v2"
			default:
				continue
			}
			p.refuse(r)
		}
	}
}

// checkStorageURIs looks at the list storageUris (validateMultipleStorageURIs).
func checkStorageURIs(p *pass, s *model.Service, component string) {
	list := s.Get("spec", component, "storageUris")
	if list.IsNull() {
		return
	}
	at := yamldoc.Path{"spec", component, "storageUris"}
	report := func(at yamldoc.Path, words, advice string) {
		p.refuse(refusal{at: at, only: kserve.StorageUris, words: words, advice: advice})
	}
	if storageURI(s, component) {
		report(at, "Setting both StorageURI and StorageURIs is not supported.", "keep one of them")
	}
	claims, tops := map[string]bool{}, []string{}
	claimedTwice := false
	for i, item := range list.Children() {
		path, uri := item.Get("mountPath").Str(), item.Get("uri").Str()
		if !item.Has("mountPath") {
			path = "/mnt/models"
		}
		switch {
		case uri == "":
			report(at.With(i), "storage URI cannot be empty", "set uri")
		case path == "/":
			report(at.With(i, "mountPath"), "storage path cannot be empty", "choose a directory")
		case !strings.HasPrefix(path, "/"):
			report(at.With(i, "mountPath"), "storage path must be absolute: "+path, "start it with /")
		case strings.Contains(path, ".."):
			report(at.With(i, "mountPath"), "storage path cannot contain '..' for security reasons: "+path, "write it without")
		}
		if strings.HasPrefix(uri, "pvc://") {
			claimedTwice = claimedTwice || claims[path]
			claims[path] = true
		} else {
			top, _, _ := strings.Cut(strings.Trim(path, "/"), "/")
			tops = append(tops, top)
		}
	}
	switch {
	case len(tops) < 2:
	case claimedTwice:
		report(at, "PVC storage paths must be unique", "give each its own mountPath")
	case len(slices.Compact(tops)) > 1:
		report(at, "storage paths must have a common parent directory", "choose directories below one parent")
	}
}

// storageURI reports whether a component has one storage: in its model, or in a variable of its serving container.
func storageURI(s *model.Service, component string) bool {
	framework, _ := s.Framework(component)
	if framework != "" {
		return !s.Get("spec", component, framework, "storageUri").IsNull()
	}
	for i, container := range s.Get("spec", component, "containers").Children() {
		if i != 0 && container.Get("name").Str() != kserve.ServingContainer {
			continue
		}
		for _, variable := range container.Get("env").Children() {
			if variable.Get("name").Str() == "STORAGE_URI" {
				return true
			}
		}
	}
	return false
}

// checkExplainerStorage looks at the storage of the explainer art (validateStorageSpec in component.go). That of a
// model is not validated.
func checkExplainerStorage(p *pass) {
	art := p.Object.Get("spec", kserve.Explainer, "art")
	if art.IsNull() {
		return
	}
	at := yamldoc.Path{"spec", kserve.Explainer, "art"}
	kind := art.Get("storage", "parameters", "type")
	const prefixes = "s3://, hdfs://, webhdfs://"
	supported := func(uri string) bool {
		return slices.ContainsFunc(strings.Split(prefixes, ", "), func(p string) bool { return strings.HasPrefix(uri, p) })
	}
	switch uri := art.Get("storageUri").Str(); {
	case art.Get("storage").IsNull():
	case uri != "" && !supported(uri):
		p.refuse(refusal{at: at.With("storageUri"), advice: "choose another storage, or remove storage", words: fmt.Sprintf(
			"storageUri, must be one of: [%s] ... StorageUri [%s] is not supported", prefixes, uri)})
	case uri == "" && !kind.IsNull() && !supported(kind.Str()+"://"):
		p.refuse(refusal{at: at.With("storage", "parameters", "type"), advice: "choose another storage", words: fmt.Sprintf(
			"storage.spec.type, must be one of: [%s]. storage.spec.type [%s] is not supported", prefixes, kind.Str())})
	}
}

// resourceID is the form of a key in the key broker (confidential.go@v0.20.0).
var resourceID = lazyregexp.New(`^kbs:///[a-zA-Z0-9_.-]+/[a-zA-Z0-9_.-]+/[a-zA-Z0-9_.-]+$`)

func checkConfidential(p *pass, s *model.Service) {
	framework, _ := s.Framework(kserve.Predictor)
	if framework == "" || s.Get("spec", kserve.Predictor, framework, "confidential", "enabled").Str() != "true" {
		return
	}
	at := yamldoc.Path{"spec", kserve.Predictor, framework, "confidential"}
	if s.Get("spec", kserve.Predictor, framework, "storageUri").Str() == "" {
		p.refuse(refusal{at: at, only: kserve.NamedPredictor,
			words: "confidential model serving requires storageUri to be set", advice: "set storageUri"})
	}
	if id := s.Get(at.With("resourceId")...).Str(); id != "" && !resourceID().MatchString(id) {
		p.refuse(refusal{at: at.With("resourceId"), only: kserve.NamedPredictor,
			words: "must be in the format kbs:///<repo>/<type>/<tag>", advice: "write it in this form"})
	}
}

// checkCanaries looks at the list canary (validateCanarySpecs).
func checkCanaries(p *pass, s *model.Service) {
	canaries := s.Get("spec", "canary")
	if canaries.IsNull() {
		return
	}
	at := yamldoc.Path{"spec", "canary"}
	report := func(at yamldoc.Path, words, advice string) {
		p.refuse(refusal{at: at, only: kserve.NamedPredictor, words: words, advice: advice})
	}
	names := map[string]bool{}
	traffic := 0
	for i, canary := range canaries.Children() {
		predictor := canary.Get(kserve.Predictor)
		name := predictor.Get("name").Str()
		here := at.With(i, kserve.Predictor)
		switch {
		case name == "":
			report(here, fmt.Sprintf("canary[%v] predictor.name is required", i), "name it")
		case names[name]:
			report(here.With("name"), fmt.Sprintf("canary predictor.name %q is duplicated", name), "choose another name")
		case name == s.Get("spec", kserve.Predictor, "name").Str():
			report(here.With("name"), fmt.Sprintf("canary predictor.name %q conflicts with stable predictor name", name),
				"choose another name")
		}
		names[name] = true
		percent, _ := canary.Get("trafficPercent").Int()
		traffic += percent
		if percent < 0 || percent > 100 {
			report(at.With(i, "trafficPercent"), fmt.Sprintf(
				"canary %q trafficPercent must be between 0 and 100, got %d", name, percent), "give a percentage")
		}
		if found := servers(predictor, here, kserve.NamedPredictor.From); len(found) != 1 {
			report(here, "exactly one of [...] must be specified in PredictorSpec", "give it one model or one server")
		}
		checkLogger(p, predictor, here, kserve.NamedPredictor)
		checkCanaryScaling(report, predictor, here, name)
		checkCanaryReplicas(report, s, predictor, here, name)
	}
	switch mode := p.validatedMode(s); {
	case len(names) == 0:
	case mode != "" && mode != kserve.Standard:
		report(at, "canary is only supported in Standard deployment mode", fmt.Sprintf(
			"remove it, or choose the mode Standard: now it is %s (%s)", mode, s.ModeEvidence))
	case traffic > 100:
		report(at, fmt.Sprintf("sum of canary trafficPercent values (%d) must be <= 100", traffic), "lower them")
	}
	if framework, _ := s.Framework(kserve.Predictor); len(names) > 0 && framework == "" &&
		!storageURI(s, kserve.Predictor) {
		report(at, "canary requires a stable predictor with a model", "use a model, or remove canary")
	}
}

func checkCanaryScaling(report func(yamldoc.Path, string, string), spec *yamldoc.Node, at yamldoc.Path, name string) {
	if !spec.Get("workerSpec").IsNull() {
		report(at.With("workerSpec"), fmt.Sprintf("canary %q must not set workerSpec", name), "remove it")
	}
	for _, field := range []string{"maxReplicas", "scaleTarget", "scaleMetric", "autoScaling"} {
		if node := spec.Get(field); !node.IsNull() && (field != "maxReplicas" || node.Str() != "0") {
			report(at.With(field), fmt.Sprintf("canary %q must not set %s (canary uses fixed replicas)", name, field),
				"remove it")
		}
	}
}

func checkCanaryReplicas(report func(yamldoc.Path, string, string), s *model.Service, spec *yamldoc.Node,
	at yamldoc.Path, name string) {
	stable, given := s.Get("spec", kserve.Predictor, "minReplicas").Int()
	if !given {
		stable = 1
	}
	switch n, _ := spec.Get("minReplicas").Int(); {
	case n < 0:
		report(at.With("minReplicas"), fmt.Sprintf("canary %q predictor: 'MinReplicas' cannot be less than 0", name),
			"raise it")
	case n > stable:
		report(at.With("minReplicas"), fmt.Sprintf(
			"canary %q minReplicas (%d) must not exceed stable predictor minReplicas (%d)", name, n, stable), "lower it")
	}
}
