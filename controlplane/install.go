package controlplane

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// kserveConfig is the ConfigMap with the configuration of KServe.
var kserveConfig = key{schema.GroupKind{Kind: "ConfigMap"}, "kserve", "inferenceservice-config"}

// install puts into the cluster what a release has, and what the request says is there without the manifests. It returns
// what of that is not accepted.
func (c *Cluster) install(release Release, request Request) ([]Refusal, error) {
	all, err := installed(release.Manifests)
	if err != nil {
		return nil, err
	}
	mode, err := release.mode(request.Mode)
	if err != nil {
		return nil, err
	}
	given, kinds := map[key]bool{}, map[string]bool{}
	for _, o := range request.Cluster {
		given[keyOf(o)], kinds[keyOf(o).Kind] = true, keyOf(o).Group == KServe("").Group
	}
	ours := map[key]bool{} // to be applied
	for _, o := range slices.Concat(request.Previous, request.Objects) {
		if t, found := c.server.targetOf(o, request.Namespace); found {
			ours[t.key()] = true
		}
	}
	var refused []Refusal
	put := func(configMaps bool) {
		for i, o := range request.Cluster {
			k := keyOf(o)
			if (k.Kind == "ConfigMap") != configMaps || ours[k] && !configMaps {
				continue
			}
			if err := c.put(o); err != nil {
				version, _ := o["apiVersion"].(string)
				refused = append(refused, Refusal{
					Index: i, Object: Reference{version, k.Kind, k.namespace, k.name}, Message: statusOf(err).Message,
				})
			}
		}
	}
	// KServe reads its configuration when it looks at presets.
	if put(true); len(refused) > 0 {
		return refused, nil
	}
	presets := request.has("LLMInferenceService")
	for _, o := range all {
		k := keyOf(o)
		if given[k] || kinds[k.Kind] || k.Kind == "LLMInferenceServiceConfig" && !presets {
			continue // to read the definition of presets takes time
		}
		if err := setMode(o, mode); err != nil {
			return nil, err
		}
		if err := c.put(o); err != nil {
			return c.blame(request, fmt.Errorf("KServe %s does not take its own %s: %w", release.Version, k, err))
		}
	}
	put(false)
	c.server.label(all)
	c.server.label(request.Cluster)
	for _, k := range c.configuredGateway() {
		c.add(k)
	}
	for _, o := range request.Cluster {
		for _, k := range classOf(o) {
			c.add(k)
		}
	}
	return refused, nil
}

// mode is how the release spells a mode: Standard, Knative, ModelMesh, or empty for its own default.
func (r Release) mode(name string) (string, error) {
	mode, known := map[string]string{"": "", "Standard": r.Standard, "Knative": r.Knative, "ModelMesh": "ModelMesh"}[name]
	if !known {
		return "", fmt.Errorf("mode %q is neither Standard, Knative nor ModelMesh", name)
	}
	return mode, nil
}

// put creates an object, if the server has its kind. A version that the kind does not have is an error.
func (c *Cluster) put(o object) error {
	t, found := c.server.targetOf(o, "")
	if kind := c.server.kinds[keyOf(o).GroupKind]; !found && kind != nil {
		return apierrors.NewBadRequest(fmt.Sprintf("no matches for kind %q in version %q, only in %s", kind.Kind,
			metaOf(o).GetAPIVersion(), strings.Join(kind.versions, ", ")))
	}
	if !found {
		return nil
	}
	o = runtime.DeepCopyJSON(o)
	metaOf(o).SetResourceVersion("") // that it has in the user's cluster
	_, err := c.server.create(t, o, false)
	return err
}

// setMode sets the default mode, unless it is empty.
func setMode(config object, mode string) error {
	if mode == "" {
		return nil
	}
	return Configure(config, "deploy", "defaultDeploymentMode", mode)
}

// Configure sets a value of the JSON in a part of KServe's configuration. It leaves other objects alone.
func Configure(config map[string]any, part, field string, value any) error {
	if keyOf(config).name != kserveConfig.name {
		return nil
	}
	data, _ := config["data"].(object)
	text, _ := data[part].(string)
	settings := map[string]any{}
	if err := json.Unmarshal([]byte(text), &settings); err != nil {
		return fmt.Errorf("%s: %s: %w", kserveConfig.name, part, err)
	}
	if settings == nil {
		return fmt.Errorf("%s: %s is null", kserveConfig.name, part)
	}
	settings[field] = value
	changed, err := json.Marshal(settings)
	data[part] = string(changed)
	return err
}
