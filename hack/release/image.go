package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/partial"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

const (
	// user is the repo-server's, which connects to the sidecar's socket.
	user = "999"

	// versionAnnotation names an image in a layout.
	versionAnnotation = "org.opencontainers.image.ref.name"

	spdxType types.MediaType = "application/spdx+json"
)

// platformImage is the image of a platform with what it consists of.
type platformImage struct {
	platform platform
	image    v1.Image
	bill     []byte
}

// imageFiles returns the files of the image: the programs, and the licences where scanners look for them.
func imageFiles(programs, legal []file) []file {
	var all []file
	for _, f := range programs {
		all = append(all, file{"usr/local/bin/" + f.name, f.mode, f.data})
	}
	for _, f := range legal {
		all = append(all, file{"licenses/" + f.name, f.mode, f.data})
	}
	return all
}

// labels are the annotations of the OCI image specification v1.1.
func (r *release) labels() map[string]string {
	const key = "org.opencontainers.image."
	return map[string]string{
		key + "title":         program,
		key + "description":   "Config Management Plugin for Argo CD that repairs KServe manifests",
		key + "version":       r.version,
		key + "revision":      r.commit,
		key + "created":       r.created(),
		key + "url":           home,
		key + "source":        home,
		key + "documentation": home + "/tree/" + r.version + "/docs",
		key + "licenses":      "Apache-2.0",
	}
}

func (r *release) created() string { return r.date.Format("2006-01-02T15:04:05Z") }

// image makes the image of a platform: the files in one layer, on no base.
func (r *release) image(p platform, files []file, bill []byte) (platformImage, error) {
	packed, err := r.tar(files)
	if err != nil {
		return platformImage{}, err
	}
	layer, err := tarball.LayerFromOpener(
		func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(packed)), nil },
		tarball.WithCompressedCaching, tarball.WithCompressionLevel(gzip.BestCompression),
		tarball.WithMediaType(types.OCILayer))
	if err != nil {
		return platformImage{}, err
	}
	created := v1.Time{Time: r.date}
	image, err := mutate.ConfigFile(empty.Image, &v1.ConfigFile{
		OS: p.os, Architecture: p.arch, Created: created, RootFS: v1.RootFS{Type: "layers"},
		Config: v1.Config{User: user, Entrypoint: []string{"/usr/local/bin/" + program}, Labels: r.labels()},
	})
	if err != nil {
		return platformImage{}, err
	}
	image = mutate.ConfigMediaType(mutate.MediaType(image, types.OCIManifestSchema1), types.OCIConfigJSON)
	image, err = mutate.Append(image, mutate.Addendum{
		Layer: layer, MediaType: types.OCILayer, History: v1.History{Created: created, CreatedBy: "hack/release"},
	})
	if err != nil {
		return platformImage{}, err
	}
	image = mutate.Annotations(image, r.labels()).(v1.Image)
	return platformImage{p, image, bill}, nil
}

// writeImages writes a folder in the layout of OCI: an index of the images, and the list of contents of each as an
// artifact that refers to it.
func (r *release) writeImages(images []platformImage, dir string) error {
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, one := range images {
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: noArtifact{one.image}, Descriptor: v1.Descriptor{
			Platform: &v1.Platform{OS: one.platform.os, Architecture: one.platform.arch},
		}})
	}
	index = mutate.Annotations(index, r.labels()).(v1.ImageIndex)
	written, err := layout.Write(dir, empty.Index)
	if err != nil {
		return err
	}
	name := map[string]string{versionAnnotation: r.version}
	if err := written.AppendIndex(index, layout.WithAnnotations(name)); err != nil {
		return err
	}
	for _, one := range images {
		attached, err := attach(one)
		if err != nil {
			return err
		}
		if err := written.AppendImage(attached); err != nil {
			return err
		}
	}
	digest, err := index.Digest()
	if err == nil {
		fmt.Fprintln(os.Stderr, "image", digest)
	}
	return err
}

// noArtifact is an image that an index lists without an artifact type, which only artifacts have
// (descriptor.md of the OCI image specification v1.1).
type noArtifact struct{ v1.Image }

func (noArtifact) ArtifactType() (string, error) { return "", nil }

// attach returns an artifact with the list of contents, whose subject is the image.
func attach(one platformImage) (v1.Image, error) {
	subject, err := partial.Descriptor(one.image)
	if err != nil {
		return nil, err
	}
	config, err := partial.Descriptor(emptyConfig)
	if err != nil {
		return nil, err
	}
	bill := static.NewLayer(one.bill, spdxType)
	content, err := partial.Descriptor(bill)
	if err != nil {
		return nil, err
	}
	manifest, err := json.Marshal(v1.Manifest{
		SchemaVersion: 2, MediaType: types.OCIManifestSchema1, ArtifactType: string(spdxType),
		Config: *config, Layers: []v1.Descriptor{*content},
		Subject: &v1.Descriptor{MediaType: subject.MediaType, Size: subject.Size, Digest: subject.Digest},
	})
	if err != nil {
		return nil, err
	}
	return partial.CompressedToImage(artifact{manifest, bill})
}

// emptyConfig is the config of an artifact that has none.
var emptyConfig = static.NewLayer([]byte("{}"), "application/vnd.oci.empty.v1+json")

// artifact is a partial.CompressedImageCore with one blob.
type artifact struct {
	manifest []byte
	blob     v1.Layer
}

func (a artifact) MediaType() (types.MediaType, error) { return types.OCIManifestSchema1, nil }
func (a artifact) RawManifest() ([]byte, error)        { return a.manifest, nil }
func (a artifact) RawConfigFile() ([]byte, error)      { return []byte("{}"), nil }

func (a artifact) LayerByDigest(wanted v1.Hash) (partial.CompressedLayer, error) {
	for _, blob := range []v1.Layer{a.blob, emptyConfig} {
		if digest, err := blob.Digest(); err != nil || digest == wanted {
			return blob, err
		}
	}
	return nil, fmt.Errorf("the artifact has no blob %s", wanted)
}
