package cli

import (
	"errors"
	"fmt"
	"slices"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/install"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/plan"
)

// inKServe returns an error if the configuration of the cluster is in another namespace than KServe's own programs look for it.
func (pl *planning) inKServe() error {
	for _, m := range pl.cluster {
		metadata := m.Object["metadata"].(map[string]any)
		if m.Object["kind"] == "ConfigMap" && metadata["name"] == kserve.ConfigMap && metadata["namespace"] != "kserve" {
			return fmt.Errorf("%s: the ConfigMap %s is in the namespace %v, and plan reads that in kserve: correct the namespaces "+
				"of what the file has of KServe's own", m.PlaceOf("metadata", "namespace"), kserve.ConfigMap, metadata["namespace"])
		}
	}
	return nil
}

// checkMode returns an error if the configuration of the cluster has another default mode than the setting: the repairs
// would be for one, and KServe would work with the other. It warns if neither is known.
func (pl *planning) checkMode() error {
	setting, set := kserve.ParseMode(pl.mode)
	mode, place := pl.configuredMode()
	if set && mode != "" && mode != setting {
		return fmt.Errorf("%s: the cluster's default deployment mode is %s, and the setting default-deployment-mode says %s: "+
			"correct one of them", place, mode, setting)
	}
	if !set && mode == "" && slices.ContainsFunc(pl.sources, planned.hasMode) {
		pl.warnings = append(pl.warnings, "default-deployment-mode is unknown, so plan takes Knative, which KServe ships: "+
			install.DetectFileCommand)
	}
	return nil
}

// configuredMode is the default mode that the configuration of the cluster has, and its place; empty if it has none.
func (pl *planning) configuredMode() (mode kserve.Mode, place string) {
	for _, m := range pl.cluster {
		data, _ := m.Object["data"].(map[string]any)
		deploy, _ := data["deploy"].(string)
		if m.Object["kind"] != "ConfigMap" || m.Object["metadata"].(map[string]any)["name"] != kserve.ConfigMap {
			continue
		}
		if mode, err := kserve.ConfiguredMode(deploy); err == nil {
			return mode, m.PlaceOf("data", "deploy")
		}
	}
	return "", ""
}

// notInstalled returns an error for the objects of the cluster that the release does not accept.
func (pl *planning) notInstalled(answer *plan.Answer) error {
	var all []error
	for _, r := range answer.Cluster {
		place := pl.cluster[r.Index].Place
		if r.Key != "" {
			place = pl.cluster[r.Index].PlaceOf("data", r.Key)
		}
		all = append(all, fmt.Errorf("%s: KServe %s does not take %s of the cluster: %s", place, answer.Release, r.Object, r.Message))
	}
	return errors.Join(all...)
}
