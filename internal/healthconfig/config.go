// Package healthconfig writes the configuration that gives Argo CD the checks of package health, and merges it into
// what people have.
package healthconfig

import (
	"cmp"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/health"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	customizations "github.com/argocd-kserve-plugin/argocd-kserve-plugin/resource_customizations"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// Override is one resource customization of Argo CD, for a kind.
type Override struct {
	Type  string // health, actions, knownTypeFields or ignoreDifferences
	Group string // "" for serving.kserve.io
	Kind  string
	Value string // what stands under the key in argocd-cm
}

// Key is the override's key in argocd-cm.
func (o Override) Key() string {
	return "resource.customizations." + o.Type + "." + cmp.Or(o.Group, health.Group) + "_" + o.Kind
}

// Without says what people see without the override with a key in argocd-cm.
func Without(key string) string {
	switch kind := key[strings.LastIndexByte(key, '_')+1:]; {
	case strings.Contains(key, ".health.") && !strings.Contains(key, health.Group):
		return fmt.Sprintf("Argo CD shows no health of %ss", kind)
	case strings.Contains(key, ".health."):
		return fmt.Sprintf("Argo CD does not wait until %ss are ready", kind)
	case strings.Contains(key, ".actions."):
		return fmt.Sprintf("Argo CD offers no stop and resume for %ss", kind)
	case strings.Contains(key, ".knownTypeFields."):
		return fmt.Sprintf("Argo CD shows %ss with 1000m for 1 as OutOfSync", kind)
	default:
		return fmt.Sprintf("Argo CD shows %ss whose deployment mode KServe rewrites as OutOfSync", kind)
	}
}

// Configuration is what Argo CD needs for a release of KServe.
type Configuration struct {
	Overrides []Override
	Notes     []string // what is left out or replaced, and why

	versions kserve.Versions
}

// Limits are the times after which a service that makes no progress is Degraded, unless its annotation says otherwise.
type Limits struct {
	Grace    time.Duration // for what another app may bring, such as a serving runtime
	Deadline time.Duration // for everything else; 0 is no limit
}

// DefaultLimits are those that the scripts contain.
var DefaultLimits = Limits{Grace: 5 * time.Minute}

// buildInto replaces the limits in a script. A script that never waits has none.
func (l Limits) buildInto(script string) string {
	deadline := "nil"
	if l.Deadline > 0 {
		deadline = fmt.Sprint(int64(l.Deadline / time.Second))
	}
	return strings.NewReplacer(
		"\nlocal grace = 300", fmt.Sprintf("\nlocal grace = %d", l.Grace/time.Second),
		"\nlocal progress_deadline = nil", "\nlocal progress_deadline = "+deadline,
	).Replace(script)
}

// The KServe releases from which on a kind or a feature exists.
var (
	sinceKind = map[string]transform.Window{
		"LocalModelCache":          {From: transform.Release{0, 14, 1}}, // local_model_cache_types.go@v0.14.1
		"LLMInferenceService":      kserve.LLM["v1alpha1"],
		"LocalModelNamespaceCache": {From: transform.Release{0, 18, 0}}, // local_model_namespace_cache_types.go@v0.18.0
	}
	sinceStop = map[string]transform.Window{ // serving.kserve.io/stop
		"InferenceService":    {From: transform.Release{0, 15, 1}},
		"InferenceGraph":      {From: transform.Release{0, 16, 0}}, // inferencegraph/controller.go@v0.16.0, not @v0.15.2
		"LLMInferenceService": {From: transform.Release{0, 17, 0}}, // llmisvc/workload.go@v0.17.0, not @v0.16.0
	}
	sinceDisallowedList = transform.Window{From: transform.Release{0, 15, 0}}
	sinceRespelling     = transform.Window{From: transform.Release{0, 17, 0}}
)

// Configure lists the overrides for KServe and a release of Argo CD (x.y.z, x.y or unknown). All releases of Argo CD
// need all of them: what they bundle, if anything, is wrong with all releases of KServe (docs/health.md).
func Configure(versions kserve.Versions, argocd string, limits Limits) (Configuration, error) {
	c := Configuration{versions: versions}
	note := func(format string, args ...any) { c.Notes = append(c.Notes, fmt.Sprintf(format, args...)) }
	missing := func(kind string) bool { return !versions.Any(sinceKind[kind]) }

	for _, kind := range health.Kinds {
		if missing(kind) {
			note("left out: health of %s: only KServe %s have the kind", kind, sinceKind[kind])
			continue
		}
		source, err := fs.ReadFile(customizations.Lua, health.Group+"/"+kind+"/health.lua")
		if err != nil {
			return c, err
		}
		c.add("health", kind, limits.buildInto(string(source)))
	}

	for _, kind := range health.Kinds {
		since, obeys := sinceStop[kind]
		if !obeys || missing(kind) {
			continue
		}
		if !versions.Any(since) {
			note("left out: actions stop and resume of %s: they do nothing, because only KServe %s obey "+
				"serving.kserve.io/stop", kind, since)
			continue
		}
		actions, err := stopAndResume(kind)
		if err != nil {
			return c, err
		}
		c.add("actions", kind, actions)
	}

	switch {
	case !versions.Known():
		c.add("ignoreDifferences", "InferenceService", deploymentMode)
	case versions.Any(sinceRespelling):
		note("left out: ignoreDifferences of InferenceService: generate writes the deployment mode as KServe stores it " +
			"(KS501); for an Application that does not use the plugin, drift prints them")
	default:
		note("left out: ignoreDifferences of InferenceService: nothing differs, because only KServe %s rewrite the "+
			"deployment mode", sinceRespelling)
	}
	c.add("knownTypeFields", "InferenceService", inferenceServiceTypes)
	if !missing("LLMInferenceService") {
		c.add("knownTypeFields", "LLMInferenceService", llmInferenceServiceTypes)
		c.add("knownTypeFields", "LLMInferenceServiceConfig", llmInferenceServiceTypes)
		if argocd != "unknown" && !health.Before(argocd, "v3.6.0") {
			note("replaced: health of LLMInferenceService: the check of Argo CD 3.6 and later calls a service that starts " +
				"Degraded, which ends a sync")
		}
	}
	return c, nil
}

func (c *Configuration) add(of, kind, value string) {
	c.Overrides = append(c.Overrides, Override{Type: of, Kind: kind, Value: value})
}

// KServe >= 0.17 writes Standard over RawDeployment and Knative over Serverless
// (inference_service_defaults.go@v0.17.0).
const deploymentMode = `jqPathExpressions:
- .metadata.annotations."serving.kserve.io/deploymentMode"
`

// KServe's webhooks decode the object into Go types and encode it again, which rewrites quantities. Argo CD does the
// same to both sides of a comparison for the fields whose types it knows.
const (
	inferenceServiceTypes = `- field: spec.predictor.model.resources
  type: core/v1/ResourceRequirements
- field: spec.predictor.containers
  type: core/v1/Container
- field: spec.transformer.containers
  type: core/v1/Container
- field: spec.explainer.containers
  type: core/v1/Container
`
	llmInferenceServiceTypes = `- field: spec.template
  type: core/v1/PodSpec
- field: spec.worker
  type: core/v1/PodSpec
- field: spec.prefill.template
  type: core/v1/PodSpec
- field: spec.prefill.worker
  type: core/v1/PodSpec
- field: spec.router.scheduler.template
  type: core/v1/PodSpec
`
)

// stopAndResume is the actions override of a kind.
func stopAndResume(kind string) (string, error) {
	directory := health.Group + "/" + kind + "/actions/"
	discovery, err := fs.ReadFile(customizations.Lua, directory+"discovery.lua")
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "discovery.lua: |\n%sdefinitions:\n", indent(string(discovery), "  "))
	for _, name := range []string{"stop", "resume"} {
		action, err := fs.ReadFile(customizations.Lua, directory+name+"/action.lua")
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "- name: %s\n  action.lua: |\n%s", name, indent(string(action), "    "))
	}
	return b.String(), nil
}

// indent puts prefix before every line that is not empty.
func indent(text, prefix string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if line != "\n" {
			b.WriteString(prefix)
		}
		b.WriteString(line)
	}
	return b.String()
}
