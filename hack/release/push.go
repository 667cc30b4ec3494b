package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"
)

// push sends the image of the release in the folder dir to a repository such as ghcr.io/owner/name, tagged with its
// version, and the lists of contents that refer to it. It returns the image's name with its digest. It signs in with
// what docker login has stored. A version that is there already is not replaced.
func push(ctx context.Context, dir, repository string) (string, error) {
	index, err := layout.ImageIndexFromPath(filepath.Join(dir, "image"))
	if err != nil {
		return "", err
	}
	manifest, err := index.IndexManifest()
	if err != nil {
		return "", err
	}
	target, err := name.NewRepository(repository)
	if err != nil {
		return "", err
	}
	options := []remote.Option{remote.WithContext(ctx), remote.WithAuthFromKeychain(authn.DefaultKeychain)}
	var pushed string
	for _, entry := range manifest.Manifests {
		version := entry.Annotations[versionAnnotation]
		if version == "" {
			attached, err := index.Image(entry.Digest)
			if err == nil {
				err = remote.Write(target.Digest(entry.Digest.String()), attached, options...)
			}
			if err != nil {
				return "", err
			}
			continue
		}
		tag := target.Tag(version)
		if err := absent(tag, entry.Digest, options); err != nil {
			return "", err
		}
		images, err := index.ImageIndex(entry.Digest)
		if err == nil {
			err = remote.WriteIndex(tag, images, options...)
		}
		if err != nil {
			return "", err
		}
		pushed = target.Digest(entry.Digest.String()).String()
	}
	return pushed, nil
}

// absent returns an error if the registry has another image under the tag.
func absent(tag name.Tag, digest v1.Hash, options []remote.Option) error {
	there, err := remote.Head(tag, options...)
	var answer *transport.Error
	if errors.As(err, &answer) && answer.StatusCode == http.StatusNotFound {
		return nil
	}
	if err != nil {
		return err
	}
	if there.Digest != digest {
		return fmt.Errorf("%s is %s already; a version is never replaced", tag, there.Digest)
	}
	return nil
}
