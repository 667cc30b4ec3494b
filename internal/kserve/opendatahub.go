package kserve

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// The annotations by which the webhooks of OpenShift AI and OpenDataHub change a service: its connections, whose storage
// they write into it, and its hardware profile, for which they write tolerations, nodeSelector, requests and limits, or
// the label QueueLabel (internal/webhook/connectionapi/annotations.go and
// internal/webhook/serving/hardwareprofile/resolver.go of opendatahub-io/odh-model-controller@57b43aad).
const (
	ConnectionsAnnotation     = "opendatahub.io/connections"
	ConnectionPathAnnotation  = "opendatahub.io/connection-path" // of the model, in a bucket
	HardwareProfileAnnotation = "opendatahub.io/hardware-profile-name"
)

// QueueLabel names the queue of Kueue.
const QueueLabel = "kueue.x-k8s.io/queue-name"

// openDataHub lists the releases of OpenDataHub from which on it ships another KServe, oldest first. Its KServe is a
// fork: it backports some changes, and its 0.15.2 has LLMInferenceService and stricter validation
// (charts/kserve-crd/Chart.yaml at the tags odh-v2.21 to odh-v3.5 of https://github.com/opendatahub-io/kserve).
var openDataHub = []struct {
	major, minor int
	release      transform.Release
}{
	{2, 21, transform.Release{0, 14, 0}},
	{2, 29, transform.Release{0, 15, 0}},
	{2, 30, transform.Release{0, 15, 2}},
	{3, 4, transform.Release{0, 17, 0}},
	{3, 5, transform.Release{0, 20, 0}}, // a release candidate
}

// parseOpenDataHub parses x.y, a release of OpenDataHub. One that is newer than the known ones counts as the newest.
func parseOpenDataHub(s string) (transform.Release, error) {
	majorText, minorText, _ := strings.Cut(s, ".")
	major, err := strconv.ParseUint(majorText, 10, 16)
	minor, err2 := strconv.ParseUint(minorText, 10, 16)
	if err != nil || err2 != nil {
		return transform.Release{}, fmt.Errorf("%q is not a release of OpenDataHub: want x.y, for example odh-2.30", s)
	}
	var found transform.Release
	for _, row := range openDataHub {
		if int(major) > row.major || int(major) == row.major && int(minor) >= row.minor {
			found = row.release
		}
	}
	if found == (transform.Release{}) {
		return transform.Release{}, fmt.Errorf("odh-%s is too old: supported are odh-%d.%d and later",
			s, openDataHub[0].major, openDataHub[0].minor)
	}
	return found, nil
}
