package rules

import (
	_ "embed"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/schema"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks813.md
var ks813Doc string

var refusedLLMSetting = &transform.Rule{
	ID:       "KS813",
	Name:     "refused-llm-setting",
	Title:    "KServe refuses a setting of an LLMInferenceService or LLMInferenceServiceConfig",
	Doc:      ks813Doc,
	Windows:  []transform.Window{kserve.LLM["v1alpha1"]},
	Since:    transform.Release{0, 2},
	Kinds:    model.LLMKinds,
	Example:  "0.20.0/settings",
	Severity: transform.Error,
	Run:      run(checkLLMSettings),
}

// loraNames are the releases that want names of LoRA adapters. Like the other checks of services here, they do so only
// in the API version v1alpha2 (llm_inference_service_validation.go in pkg/apis/serving/v1alpha2, in v0.19.0 and
// v0.20.0; v0.17.0 has none of them).
var loraNames = transform.Window{From: transform.Release{0, 19, 0}}

func checkLLMSettings(p *pass) {
	for _, at := range append(p.adapters(), llmModel) {
		at = at.With("uri")
		if _, err := url.Parse(p.Object.Get(at...).Str()); err != nil {
			p.refuse(refusal{at: at, words: err.Error(), advice: "write a URI, such as hf://org/model"})
		}
	}
	switch {
	case p.KServe.LLMService(p.Object) == nil:
		checkConfigOnly(p)
	case p.Object.APIVersion == kserve.LLMStored:
		checkAsStored(p, p.refuse)
	}
}

// checkAsStored calls refuse for what KServe refuses of a service only in the API version v1alpha2.
func checkAsStored(p *pass, refuse func(refusal)) {
	checkAdapters(p, refuse)
	checkResourceID(p, refuse)
	checkDevices(p, refuse)
	for _, part := range llmParts {
		checkCache(p, part.With("kvCacheOffloading"), refuse)
	}
}

// checkConfigOnly reports what only a Config may not have (llm_inference_service_config_validation.go @v0.17.0 to
// @v0.20.0, and config_validator.go @v0.16.0).
func checkConfigOnly(p *pass) {
	if refs := (yamldoc.Path{"spec", "baseRefs"}); len(p.Object.Get(refs...).List()) > 0 {
		p.refuse(refusal{at: refs, words: "baseRefs is not a permitted field in LLMInferenceServiceConfig",
			advice: "name the Configs in the baseRefs of the services"})
	}
	p.types().Walk(nil, p.Object.Node(), func(at *yamldoc.Trail, value *yamldoc.Node, f schema.Field) {
		if err := templateFault(value.Str()); f.Kept && err != nil {
			p.refuse(refusal{at: at.Path(), words: err.Error(), advice: templateAdvice})
		}
	})
}

// checkAdapters looks at the LoRA adapters (validateLoRAAdapters).
func checkAdapters(p *pass, refuse func(refusal)) {
	base := p.Object.Get(llmModel.With("name")...)
	baseName := p.Object.Name
	if !base.IsNull() {
		baseName = base.Str()
	}
	seen := map[string]bool{}
	for _, at := range p.adapters() {
		name := p.Object.Get(at.With("name")...).Str()
		r := refusal{at: at, only: loraNames, advice: "choose another name"}
		switch {
		case name == "":
			r.words, r.advice = "adapter name is required", "add name"
		case name == "." || name == "..":
			r.words = `adapter name must not include "." or ".." (path traversal risk)`
		case seen[name]:
			r.words = "duplicate name"
		case name == baseName:
			r.words = fmt.Sprintf("adapter name must differ from base model name %q", baseName)
		default:
			seen[name] = true
			continue
		}
		refuse(r)
	}
}

// checkResourceID looks at the key of a confidential model (validateConfidential @v0.20.0).
func checkResourceID(p *pass, refuse func(refusal)) {
	at := llmModel.With("confidential")
	confidential := p.Object.Get(at...)
	id := confidential.Get("resourceId").Str()
	if confidential.Get("enabled").Str() == "true" && id != "" && !resourceID().MatchString(id) {
		refuse(refusal{at: at.With("resourceId"), only: since20,
			words: "must be in the format kbs:///<repo>/<type>/<tag>", advice: "write it in this form"})
	}
}

// The annotations of managed devices (pkg/constants/constants.go@v0.20.0).
const (
	deviceClassKey     = "serving.kserve.io/exp-dra-device-class"
	deviceCountKey     = "serving.kserve.io/exp-dra-device-count"
	deviceSelectorKey  = "serving.kserve.io/exp-dra-cel-selector"
	deviceContainerKey = "serving.kserve.io/exp-dra-container-name"
)

// checkDevices looks at the annotations of managed devices (validateManagedDRAAnnotations @v0.20.0).
func checkDevices(p *pass, refuse func(refusal)) {
	at := yamldoc.Path{"metadata", "annotations"}
	report := func(key, words, advice string) {
		refuse(refusal{at: at.With(key), only: since20, words: words, advice: advice})
	}
	annotation := func(key string) (text string, given bool) {
		node := p.Object.Get(at.With(key)...)
		return strings.TrimSpace(node.Str()), node != nil
	}
	class, hasClass := annotation(deviceClassKey)
	if hasClass && !dns1123().MatchString(class) {
		report(deviceClassKey, "device class must be a DNS subdomain", "name a DeviceClass")
	}
	for _, key := range []string{deviceCountKey, deviceSelectorKey, deviceContainerKey} {
		text, given := annotation(key)
		if !given {
			continue
		}
		if !hasClass {
			refuse(refusal{at: at.With(key), category: "device-class", only: since20, advice: "add it",
				words: deviceClassKey + " is required to enable managed DRA"})
		}
		count, err := strconv.Atoi(text)
		switch {
		case key == deviceCountKey && text != "" && (err != nil || count < 1):
			report(key, fmt.Sprintf("invalid %s value %q", key, text), "write a number from 1 on")
		case key == deviceSelectorKey && text == "":
			report(key, "cel selector must contain at least one non-empty CEL expression", "add one")
		case key == deviceContainerKey && (!dns1123().MatchString(text) || strings.Contains(text, ".")):
			report(key, "container name must be a DNS label", "name the container")
		}
	}
}

// checkCache looks at where the cache overflows to (validateKVCacheOffloadingSpec @v0.20.0).
func checkCache(p *pass, at yamldoc.Path, refuse func(refusal)) {
	cache := p.Object.Get(at...)
	tiers := cache.Get("secondary").List()
	if len(tiers) == 0 {
		return
	}
	report := func(at yamldoc.Path, words, advice string) {
		refuse(refusal{at: at, only: since20, words: words, advice: advice})
	}
	if cpu := cache.Get("cpu").Str(); strings.Trim(cpu, "0.") == "" {
		report(at, "cpu must be set when secondary tiers are configured", "set cpu to an amount of memory")
	}
	for i, tier := range tiers {
		here := at.With("secondary", i)
		files := tier.Get("fileSystem")
		claim := files.Get("pvc")
		inPod, inClaim := !files.Get("emptyDir").IsNull(), !claim.IsNull()
		spec, ref := !claim.Get("spec").IsNull(), !claim.Get("ref").IsNull()
		switch {
		case files.IsNull():
			report(here, "only fileSystem tiers are supported; fileSystem must be set", "add it")
		case inPod == inClaim:
			report(here.With("fileSystem"), "exactly one of emptyDir or pvc must be set", "keep one of them, or add one")
		case inClaim && spec == ref:
			report(here.With("fileSystem", "pvc"), "exactly one of spec or ref must be set", "keep one of them, or add one")
		case ref && claim.Get("ref", "name").Str() == "":
			report(here.With("fileSystem", "pvc", "ref"), "name is required", "name the PersistentVolumeClaim")
		}
	}
}
