package kserve

import "testing"

func TestImageVersion(t *testing.T) {
	for image, want := range map[string]string{
		"kserve/kserve-controller:v0.15.2":                                "0.15.2",
		"registry.example.com:5000/kserve/kserve-controller:v0.20.0-rc0":  "0.20.0",
		"docker.io/kserve/kserve-controller:v0.14.1@sha256:0123456789abc": "0.14.1",
		"quay.io/opendatahub/kserve-controller:release-v0.14":             "0.14",
		"quay.io/opendatahub/kserve-controller:v0.15-latest":              "0.15",
		"quay.io/opendatahub/kserve-controller:latest":                    "",
		"registry.example.com:5000/kserve-controller":                     "",
		"registry.example.com/kserve-controller@sha256:0123456789abc":     "",
	} {
		if got := ImageVersion(image); got != want {
			t.Errorf("%s: %q, want %q", image, got, want)
		}
	}
}

func TestConfiguredMode(t *testing.T) {
	for deploy, want := range map[string]Mode{
		`{"defaultDeploymentMode": "RawDeployment"}`:                            Standard,
		"{\n  \"defaultDeploymentMode\": \"Knative\",\n  \"deploymentX\": 1\n}": Knative,
		`{"defaultDeploymentMode": "ModelMesh"}`:                                ModelMesh,
	} {
		if got, err := ConfiguredMode(deploy); got != want || err != nil {
			t.Errorf("%s: %q, %v", deploy, got, err)
		}
	}
	for _, deploy := range []string{"", "{}", `{"defaultDeploymentMode": "raw"}`, "defaultDeploymentMode: Standard"} {
		if got, err := ConfiguredMode(deploy); err == nil {
			t.Errorf("%q: %q without an error", deploy, got)
		}
	}
}
