package kserve

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/lazyregexp"
)

// The objects that show which release of KServe a cluster runs (config/manager/manager.yaml and
// config/configmap/inferenceservice.yaml, v0.11.0 to v0.20.0).
const (
	ControllerDeployment = "kserve-controller-manager"
	ControllerContainer  = "manager"
	ConfigMap            = "inferenceservice-config"
)

var releaseTag = lazyregexp.New(`^(?:release-)?v?(\d+\.\d+(?:\.\d+)?)(?:-.*)?$`)

// ImageVersion returns the version setting that the tag of the controller's image stands for: 0.15.2 for v0.15.2,
// 0.20.0 for v0.20.0-rc0, 0.14 for release-v0.14. It is empty if the image has no such tag.
func ImageVersion(image string) string {
	name, _, _ := strings.Cut(image, "@")
	_, tag, _ := strings.Cut(name[strings.LastIndex(name, "/")+1:], ":")
	if m := releaseTag().FindStringSubmatch(tag); m != nil {
		return m[1]
	}
	return ""
}

// ConfiguredMode returns the cluster's default mode from the key deploy of the ConfigMap inferenceservice-config, which
// is JSON with the field defaultDeploymentMode (pkg/apis/serving/v1beta1/configmap.go@v0.15.2).
func ConfiguredMode(deploy string) (Mode, error) {
	if deploy == "" {
		return "", errors.New("the key deploy is missing")
	}
	var config struct{ DefaultDeploymentMode string }
	if err := json.Unmarshal([]byte(deploy), &config); err != nil {
		return "", fmt.Errorf("the key deploy is not JSON: %w", err)
	}
	mode, ok := ParseMode(config.DefaultDeploymentMode)
	if !ok {
		return "", fmt.Errorf("defaultDeploymentMode is %q, not a deployment mode", config.DefaultDeploymentMode)
	}
	return mode, nil
}
