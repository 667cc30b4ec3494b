package main

import (
	"io"
	"log"
	"maps"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

// serve starts a registry that prints nothing.
func serve(options ...registry.Option) *httptest.Server {
	quiet := registry.Logger(log.New(io.Discard, "", 0))
	return httptest.NewServer(registry.New(append(options, quiet)...))
}

// TestPush pushes a release to a registry, and looks at what others get from there.
func TestPush(t *testing.T) {
	repository(t, stub)
	dir := built(t)
	for kind, server := range map[string]*httptest.Server{
		"a registry":                    serve(registry.WithReferrersSupport(true)),
		"a registry of OCI before v1.1": serve(),
	} {
		t.Run(kind, func(t *testing.T) {
			defer server.Close()
			repository := strings.TrimPrefix(server.URL, "http://") + "/owner/argocd-kserve-plugin"
			pushed, err := push(t.Context(), dir, repository)
			if err != nil {
				t.Fatal(err)
			}
			byDigest, err := name.NewDigest(pushed)
			if err != nil {
				t.Fatal(err)
			}
			tagged, err := remote.Head(byDigest.Context().Tag("v0.2.0"))
			if err != nil || tagged.Digest.String() != byDigest.DigestStr() {
				t.Fatalf("the tag is %v, want %s: %v", tagged, byDigest, err)
			}
			index, err := remote.Index(byDigest)
			if err != nil {
				t.Fatal(err)
			}
			if err := validate.Index(index); err != nil {
				t.Error(err)
			}
			checkIndex(t, byDigest.Context(), index)
			if again, err := push(t.Context(), dir, repository); err != nil || again != pushed {
				t.Errorf("pushed again: %s, %v", again, err)
			}
		})
	}
}

func checkIndex(t *testing.T, repository name.Repository, index v1.ImageIndex) {
	t.Helper()
	manifest, err := index.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	var platforms []string
	for _, entry := range manifest.Manifests {
		platforms = append(platforms, entry.Platform.String())
		if entry.ArtifactType != "" {
			t.Errorf("the index says that the image for %s is an artifact, %s", entry.Platform, entry.ArtifactType)
		}
		image, err := index.Image(entry.Digest)
		if err != nil {
			t.Fatal(err)
		}
		checkImage(t, image, entry.Platform.Architecture)
		checkReferrers(t, repository.Digest(entry.Digest.String()), entry.Platform.Architecture)
	}
	if want := []string{"linux/amd64", "linux/arm64"}; !slices.Equal(platforms, want) {
		t.Errorf("platforms %v", platforms)
	}
	if got := manifest.Annotations["org.opencontainers.image.version"]; got != "v0.2.0" {
		t.Errorf("version %q", got)
	}
}

func checkImage(t *testing.T, image v1.Image, arch string) {
	t.Helper()
	config, err := image.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	if c := config.Config; config.OS != "linux" || config.Architecture != arch || c.User != "999" ||
		!slices.Equal(c.Entrypoint, []string{"/usr/local/bin/argocd-kserve-plugin"}) {
		t.Errorf("config %+v", config)
	}
	labels := strings.Join(slices.Sorted(maps.Keys(config.Config.Labels)), " ")
	keys := strings.ReplaceAll(labels, "org.opencontainers.image.", "")
	if keys != "created description documentation licenses revision source title url version" {
		t.Errorf("labels %s", keys)
	}
	layers, err := image.Layers()
	if err != nil || len(layers) != 1 {
		t.Fatalf("%d layers: %v", len(layers), err)
	}
	layer, err := layers[0].Compressed()
	if err != nil {
		t.Fatal(err)
	}
	defer layer.Close()
	var files []string
	for _, entry := range listed(t, layer) {
		if !strings.Contains(entry, " d") {
			files = append(files, entry)
		}
	}
	want := []string{
		"home/argocd/cmp-server/config/plugin.yaml -rw-r--r--", "licenses/LICENSE -rw-r--r--",
		"licenses/THIRD-PARTY-LICENSES.txt -rw-r--r--", "usr/local/bin/argocd-kserve-plugin -rwxr-xr-x",
	}
	if !slices.Equal(files, want) {
		t.Errorf("the image has\n%s", strings.Join(files, "\n"))
	}
}

// checkReferrers checks that the list of contents is found from the image.
func checkReferrers(t *testing.T, image name.Digest, arch string) {
	t.Helper()
	referrers, err := remote.Referrers(image)
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := referrers.IndexManifest()
	if err != nil || len(manifest.Manifests) != 1 {
		t.Fatalf("referrers %+v, %v", manifest, err)
	}
	attached, err := remote.Image(image.Context().Digest(manifest.Manifests[0].Digest.String()))
	if err != nil {
		t.Fatal(err)
	}
	if m, err := attached.Manifest(); err != nil || m.ArtifactType != "application/spdx+json" {
		t.Errorf("manifest %+v, %v", m, err)
	}
	layers, err := attached.Layers()
	if err != nil || len(layers) != 1 {
		t.Fatalf("%d layers: %v", len(layers), err)
	}
	reader, err := layers[0].Compressed()
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	name := decode(t, reader).Name
	if want := "argocd-kserve-plugin_0.2.0_linux_" + arch; name != want {
		t.Errorf("the list of contents is of %s, want %s", name, want)
	}
}

// TestPushTwice checks that a version that users may have stays what it is.
func TestPushTwice(t *testing.T) {
	server := serve()
	defer server.Close()
	target := strings.TrimPrefix(server.URL, "http://") + "/owner/argocd-kserve-plugin"
	repository(t, stub)
	if _, err := push(t.Context(), built(t), target); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("LICENSE", []byte("another\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	git(t, "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "--quiet", "--all", "--message=second")
	_, err := push(t.Context(), built(t), target)
	if err == nil || !strings.Contains(err.Error(), "a version is never replaced") {
		t.Errorf("another image was pushed as the same version: %v", err)
	}
}
