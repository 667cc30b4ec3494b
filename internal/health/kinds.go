package health

import (
	"slices"
	"strings"
)

// shortNames are the short names in KServe's CustomResourceDefinitions (config/crd/full@v0.20.0).
var shortNames = map[string]string{
	"InferenceService":    "isvc",
	"InferenceGraph":      "ig",
	"TrainedModel":        "tm",
	"LLMInferenceService": "llmisvc",
}

// KindNamed returns the kind with a check that kubectl knows by a name: singular, plural or short, also with the group.
func KindNamed(name string) (kind string, ok bool) {
	name = strings.TrimSuffix(strings.ToLower(name), "."+Group)
	i := slices.IndexFunc(Kinds, func(kind string) bool {
		singular := strings.ToLower(kind)
		return name == singular || name == singular+"s" || name == shortNames[kind] && name != ""
	})
	if i < 0 {
		return "", false
	}
	return Kinds[i], true
}

// KindNames lists the kinds with a check as a person would type them.
func KindNames() []string {
	var names []string
	for _, kind := range Kinds {
		name := shortNames[kind]
		if name == "" {
			name = strings.ToLower(kind)
		}
		names = append(names, name)
	}
	return names
}
