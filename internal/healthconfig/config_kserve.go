package healthconfig

import (
	"encoding/json"
	"fmt"
	"io"
)

// disallowedList is the field of the key inferenceService that KServe adds to its own list of annotations that it does
// not copy to pods (pkg/apis/serving/v1beta1/configmap.go@v0.20.0).
const disallowedList = "serviceAnnotationDisallowedList"

// metadataOfArgoCD are the annotations of Argo CD and of this plugin that pods have no use for.
var metadataOfArgoCD = []string{
	"argocd.argoproj.io/tracking-id",
	"argocd.argoproj.io/installation-id",
	"argocd.argoproj.io/sync-wave",
	"argocd.argoproj.io/sync-options",
	"argocd.argoproj.io/compare-options",
	"argocd.argoproj.io/hook",
	"argocd.argoproj.io/hook-delete-policy",
	"argocd.argoproj.io/ignore-healthcheck",
	"argocd-kserve-plugin/health-conditions",
	"argocd-kserve-plugin/progress-deadline-seconds",
	"argocd-kserve-plugin/ignore",
}

// kserveConfigMap writes the list that keeps annotations off the pods. KServe adds it to its own one. It is no
// ConfigMap, because the key inferenceService holds one JSON document: a patch would replace the rest of it. It is an
// error if the release of KServe has no such list.
func kserveConfigMap(w io.Writer, c Configuration) error {
	if !c.versions.Any(sinceDisallowedList) {
		return fmt.Errorf("this KServe copies every annotation to the pods: serviceAnnotationDisallowedList exists in %s",
			sinceDisallowedList)
	}
	_, err := fmt.Fprintf(w, "%s%s\n", listHeader, ourList())
	return err
}

// ourList is the part of the JSON document that holds the list.
func ourList() string {
	list, _ := json.MarshalIndent(map[string][]string{disallowedList: metadataOfArgoCD}, "", "  ") // strings can always be written
	return string(list)
}

const listHeader = `# Merge the list into the JSON document that is already under the key inferenceService of the
# ConfigMap inferenceservice-config. This does it, in KServe's namespace:
#   kubectl --namespace kserve get configmap inferenceservice-config -o yaml |
#     argocd-kserve-plugin health config compare -o inferenceservice-config - | kubectl replace -f -
# Changing the list restarts, once, the pods of every service that has one of these annotations; if the list is in place
# first, adding them restarts nothing.
`
