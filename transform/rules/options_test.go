package rules_test

import (
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/rules"
)

func TestOptions(t *testing.T) {
	for _, tc := range []struct {
		name string
		opts rules.Options
		want string
	}{
		{"no such version", rules.Options{KServeVersion: "latest"}, `"latest"`},
		{"too old a version", rules.Options{KServeVersion: "0.10.2"}, "too old"},
		{"no such mode", rules.Options{DefaultDeploymentMode: "raw"}, `default-deployment-mode: "raw" is not`},
		{"a finalizer that would not help",
			rules.Options{KServeVersion: "0.15.2", Autoscaler: rules.AutoscalerFinalizer}, "0.13.0 to 0.15.0"},
		{"a finalizer for an unknown release",
			rules.Options{Autoscaler: rules.AutoscalerFinalizer}, "0.13.0 to 0.15.0"},
		{"a finalizer on a minor that has both",
			rules.Options{KServeVersion: "0.15", Autoscaler: rules.AutoscalerFinalizer}, "0.13.0 to 0.15.0"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if _, _, err := tc.opts.Config(); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want one with %s", err, tc.want)
			}
		})
	}
}
