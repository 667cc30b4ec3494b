package release_test

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// descriptor and manifest have fields of the OCI image specification v1.1 (image-spec/descriptor.md, manifest.md and
// image-index.md). An index and a manifest of an image are told apart by their fields.
type descriptor struct {
	MediaType string
	Digest    string
	Platform  struct{ OS, Architecture string }
}

type manifest struct {
	Manifests []descriptor
	Config    descriptor
	Layers    []descriptor
}

// imageConfig is what a container gets from its image.
type imageConfig struct {
	User       string
	Entrypoint []string
	Labels     map[string]string
}

func (c imageConfig) version() string { return c.Labels["org.opencontainers.image.version"] }

// unpack writes the file system of this machine's platform from an image in the layout of OCI into the folder root.
func unpack(t *testing.T, layout, root string) imageConfig {
	t.Helper()
	var top, index, image manifest
	read(t, filepath.Join(layout, "index.json"), &top)
	for _, entry := range top.Manifests {
		if strings.HasSuffix(entry.MediaType, ".index.v1+json") {
			read(t, blob(layout, entry), &index)
		}
	}
	for _, entry := range index.Manifests {
		if entry.Platform.OS == "linux" && entry.Platform.Architecture == runtime.GOARCH {
			read(t, blob(layout, entry), &image)
		}
	}
	if len(image.Layers) == 0 {
		t.Fatalf("%s has no image for linux/%s: %+v", layout, runtime.GOARCH, index)
	}
	for _, layer := range image.Layers {
		extract(t, blob(layout, layer), root)
	}
	var file struct{ Config imageConfig }
	read(t, blob(layout, image.Config), &file)
	return file.Config
}

func blob(layout string, d descriptor) string {
	return filepath.Join(layout, "blobs", strings.Replace(d.Digest, ":", "/", 1))
}

func read(t *testing.T, path string, into any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// extract writes a layer of files and folders.
func extract(t *testing.T, layer, root string) {
	t.Helper()
	file, err := os.Open(layer)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	for reader := tar.NewReader(unzipped); ; {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		path, mode := filepath.Join(root, header.Name), header.FileInfo().Mode()
		if mode.IsDir() {
			err = os.Mkdir(path, mode.Perm())
		} else {
			err = write(path, mode.Perm(), reader)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func write(path string, mode os.FileMode, from io.Reader) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, from)
	return errors.Join(err, file.Close())
}
