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

//go:embed ks713.md
var ks713Doc string

var unusableModel = &transform.Rule{
	ID:       "KS713",
	Name:     "unusable-model",
	Title:    "KServe accepts the model of an LLMInferenceService, and then can't load it",
	Doc:      ks713Doc,
	Windows:  []transform.Window{kserve.LLM["v1alpha1"]},
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{kserve.LLMInferenceService},
	Example:  "unknown/models",
	Severity: transform.Error,
	Run:      run(checkModel),
}

// The protocols that KServe can load a model by, and those for LoRA adapters (attachModelArtifacts in
// workload_storage.go of pkg/controller/v1alpha1/llmisvc@v0.16.0 and of pkg/controller/v1alpha2/llmisvc at v0.17.0,
// v0.19.0 and v0.20.0, and enumerateLoRAAdapters in workload_lora.go at v0.19.0 and v0.20.0).
var (
	modelProtocols   = []string{"hf", "s3", "pvc", "oci"}
	nativeProtocols  = append(modelProtocols, "oci+native")
	adapterProtocols = []string{"hf", "s3", "pvc"}
)

// cachedModels are the releases that load a model with any protocol if a LocalModelCache has it. storageOptional are
// those that load nothing if storageInitializer is off (the same files).
var (
	cachedModels    = transform.Window{From: transform.Release{0, 19, 0}}
	storageOptional = kserve.LLM["v1alpha2"]
)

func checkModel(p *pass) {
	s, versions := p.KServe.LLMService(p.Object), p.KServe.LLMVersions(p.Object)
	if len(versions.Releases()) == 0 {
		return
	}
	loads := true
	if enabled, _ := s.Value("spec", "storageInitializer", "enabled"); enabled.Str() == "false" {
		loads = !versions.Any(storageOptional)
	}
	uri, layer := mergedURI(s)
	protocol, isURI := protocolOf(uri)
	known := modelProtocols
	if versions.Any(since20) {
		known = nativeProtocols
	}
	f := transform.Report{Object: layer, At: llmModel.With("uri")}
	_, to := p.connection(s.Object)
	switch {
	case uri == "" && len(s.Missing) > 0, isPlaceholder(protocol), connected(s.Object) && to != "oci":
		// a Config, what replaces the placeholder, or the connection may have it
	case uri == "":
		f.Object, f.At = p.Object, yamldoc.Path{"spec"}
		f.Message = "the service never gets ready (invalid model URI), because neither it nor a Config of baseRefs has " +
			"model.uri: set it"
		if to == "oci" {
			f.Message += ", because a connection to an OCI registry does not bring it"
		}
		p.reportModel(f)
	case namesNone(uri):
		f.Message = fmt.Sprintf("the service never gets ready (invalid model URI), because %s names no model: add one", uri)
		p.reportModel(f)
	case !isURI:
		f.Message = fmt.Sprintf("the service never gets ready (invalid model URI), because %q has no protocol: use %s", uri,
			protocols(known))
		p.reportModel(f)
	case loads && !slices.Contains(known, protocol):
		f.Message = fmt.Sprintf("the service never gets ready (unsupported schema in model URI), because KServe can't load "+
			"a model by %s: use %s", protocol, protocols(known))
		if versions.Any(cachedModels) {
			f.Severity = transform.Warning
			f.Message += ", or make a LocalModelCache of it"
		}
		p.reportModel(f)
	}
	if versions.All(loraNames) {
		checkAdapterURIs(p, loads)
	}
}

// modelsOfStopped are the releases that look at the model of a service that is stopped, and fail before they delete its
// pods (reconcileSingleNodeMainWorkload in workload_single_node.go of pkg/controller/v1alpha2/llmisvc@v0.17.0).
var modelsOfStopped = transform.Window{Before: transform.Release{0, 19, 0}}

// reportModel reports a model that KServe can't load.
func (p *pass) reportModel(f transform.Report) {
	if stops(p.Object) && !p.KServe.LLMVersions(p.Object).Any(modelsOfStopped) {
		fineWhileStopped(&f)
	}
	p.Report(f)
}

// mergedURI returns the URI that counts after the merge, and the layer that has it. An empty one takes nothing away.
func mergedURI(s *model.LLMService) (uri string, layer *transform.Object) {
	for _, layer := range slices.Backward(s.Layers) {
		if uri := layer.Get(llmModel.With("uri")...).Str(); uri != "" {
			return uri, layer
		}
	}
	return "", nil
}

// checkAdapterURIs looks at the adapters. Loads says whether KServe loads anything (enumerateLoRAAdapters in
// workload_lora.go of pkg/controller/v1alpha2/llmisvc at v0.19.0 and v0.20.0).
func checkAdapterURIs(p *pass, loads bool) {
	for _, at := range p.adapters() {
		uri := p.Object.Get(at.With("uri")...).Str()
		protocol, isURI := protocolOf(uri)
		fault := ""
		switch {
		case isPlaceholder(protocol):
		case namesNone(uri):
			fault = fmt.Sprintf("%s of the LoRA adapter names no model: add one", uri)
		case !isURI || !slices.Contains(adapterProtocols, protocol):
			fault = fmt.Sprintf("KServe can't load the LoRA adapter %q: use %s", uri, protocols(adapterProtocols))
		case !loads:
			fault = "KServe loads no LoRA adapter if storageInitializer.enabled is false: set that to true, or " +
				"remove the adapter"
		}
		if fault != "" {
			p.reportModel(transform.Report{At: at, Message: "the service never gets ready, because " + fault})
		}
	}
}

// namesNone reports whether a URI ends behind its protocol. KServe stores such a one without the slashes, and takes it
// for none (see storedURI).
func namesNone(uri string) bool { return strings.HasSuffix(uri, "://") }

// protocolOf returns the protocol of a URI in lower case, as KServe stores it (KS610). Ok is false when it has none.
func protocolOf(uri string) (protocol string, ok bool) {
	protocol, _, ok = strings.Cut(uri, "://")
	return strings.ToLower(protocol), ok
}

// protocols lists protocols as the starts of URIs.
func protocols(all []string) string {
	texts := make([]string, len(all))
	for i, protocol := range all {
		texts[i] = protocol + "://"
	}
	return joined(texts, "or")
}
