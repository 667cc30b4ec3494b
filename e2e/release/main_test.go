// Package release_test starts Argo CD's own server in the image that a release publishes.
package release_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/argocd"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/install"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/stack"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/toolchain"
)

// imageVariable names the folder with the image, in the layout of OCI.
const imageVariable = "E2E_IMAGE"

func TestMain(m *testing.M) { stack.Main(m, prepare, nil) }

func prepare(ctx context.Context) error {
	if os.Getenv(imageVariable) == "" {
		return errors.New(imageVariable + " names no folder with an image: use make image-test, which makes one")
	}
	for _, version := range argocd.Versions {
		if _, err := version.Tool.Build(ctx); err != nil {
			return err
		}
		if _, err := version.Tool.Source(ctx); err != nil {
			return err
		}
	}
	return nil
}

// TestImage has each release of Argo CD start the container that install/ defines, in the root file system of the
// image, and render apps.
func TestImage(t *testing.T) {
	repository, err := toolchain.Repository()
	if err != nil {
		t.Fatal(err)
	}
	for _, version := range argocd.Versions {
		t.Run(version.Name(t), func(t *testing.T) {
			s := stack.New(t)
			manifests := version.Source(t, "manifests/base/repo-server/argocd-repo-server-deployment.yaml")
			deployment, err := install.Deployment(repository, manifests, t.TempDir(), "")
			if err != nil {
				t.Fatal(err)
			}
			container, err := install.Sidecar(deployment)
			if err != nil {
				t.Fatal(err)
			}
			root := s.Mkdir("image", 0)
			config := unpack(t, os.Getenv(imageVariable), root)
			if want := strconv.Itoa(argocd.User); config.User != want {
				t.Errorf("the image's user is %q, want %s as in Argo CD's image", config.User, want)
			}
			sidecar := argocd.StartSidecar(t, s, version, argocd.Image{Root: root}, container)
			for app, want := range map[string]string{
				"sklearn-logger":                    `"churn-predictor-external"`,
				"two-environments/overlays/staging": `"staging-recommender-predictor"`,
				"helm-chart":                        `"churn-predictor-external"`,
			} {
				objects, err := sidecar.Generate(t.Context(), argocd.Source{
					Repository: filepath.Join(repository, "examples"), Path: app,
					Env: []string{"ARGOCD_APP_NAME=demo", "ARGOCD_APP_NAMESPACE=shop", "ARGOCD_APP_SOURCE_PATH=" + app},
				})
				if err != nil || !strings.Contains(strings.Join(objects, "\n"), want) {
					t.Errorf("%s: %v, no %s in\n%s", app, err, want, strings.Join(objects, "\n"))
				}
			}
			out, err := sidecar.Command(t.Context(), append([]string{config.Entrypoint[0]}, "version")).Output()
			if err != nil || !strings.HasPrefix(string(out), fmt.Sprintf("argocd-kserve-plugin %s, commit ", config.version())) {
				t.Errorf("the entrypoint prints %q: %v", out, err)
			}
		})
	}
}
