package main

import (
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// allPlatforms are those that a release has archives for. The image is for the Linux ones.
var allPlatforms = []string{
	"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64",
}

// goEnviron keeps the settings of this machine and its user out of the programs.
var goEnviron = []string{
	"CGO_ENABLED=0", "GOFLAGS=-trimpath", "GOWORK=off", "GOAMD64=v1", "GOARM64=v8.0", "GOEXPERIMENT=",
}

// platform is an operating system and an architecture, as Go names them.
type platform struct{ os, arch string }

func parsePlatforms(list string) ([]platform, error) {
	var all []platform
	for name := range strings.SplitSeq(list, ",") {
		if !slices.Contains(allPlatforms, name) {
			return nil, fmt.Errorf("%q is none of the platforms %s", name, strings.Join(allPlatforms, ", "))
		}
		system, arch, _ := strings.Cut(name, "/")
		all = append(all, platform{system, arch})
	}
	return all, nil
}

// base is how the names of a platform's files start. action.yml and install/gitlab build the same name.
func (r *release) base(p platform) string {
	return fmt.Sprintf("%s_%s_%s_%s", program, strings.TrimPrefix(r.version, "v"), p.os, p.arch)
}

// build writes the release into the folder dir, which must be absent or empty.
func (r *release) build(ctx context.Context, platforms []platform, imageOnly bool, dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		return errors.Join(err, fmt.Errorf("%s is not empty", dir))
	}
	documents, err := r.documents(ctx)
	if err != nil {
		return err
	}
	var images []platformImage
	for _, p := range platforms {
		programs, err := r.compile(ctx, p)
		if err != nil {
			return err
		}
		bill, err := r.bill(p, programs)
		if err != nil {
			return err
		}
		notices, err := r.notices(ctx, programs)
		if err != nil {
			return err
		}
		legal := append(slices.Clone(documents.legal), notices)
		if p.os == "linux" {
			one, err := r.image(p, slices.Concat(imageFiles(programs, legal), documents.config), bill)
			if err != nil {
				return err
			}
			images = append(images, one)
		}
		if imageOnly {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, r.base(p)+".spdx.json"), bill, 0o644); err != nil {
			return err
		}
		if err := r.archive(p, slices.Concat(programs, legal, documents.archive), dir); err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "%s\n", r.base(p))
	}
	if len(images) > 0 {
		if err := r.writeImages(images, filepath.Join(dir, "image")); err != nil {
			return err
		}
	}
	if imageOnly {
		return nil
	}
	return writeChecksums(dir)
}

// compile builds the program for a platform and checks that it says which release it is of.
func (r *release) compile(ctx context.Context, p platform) ([]file, error) {
	dir := filepath.Join(r.work, p.os+"_"+p.arch)
	if err := os.Mkdir(dir, 0o777); err != nil {
		return nil, err
	}
	environ := append(slices.Clone(goEnviron), "GOOS="+p.os, "GOARCH="+p.arch)
	_, err := outputWith(ctx, r.source, environ, "go", "build", "-buildvcs=true", "-ldflags", "-s -w",
		"-o", dir+string(filepath.Separator), "./cmd/"+program)
	if err != nil {
		return nil, err
	}
	built, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var programs []file
	for _, entry := range built {
		path := filepath.Join(dir, entry.Name())
		info, err := buildinfo.ReadFile(path)
		if err != nil {
			return nil, err
		}
		if info.Main.Version != r.version {
			return nil, fmt.Errorf("%s says that it is version %q and not %s", entry.Name(), info.Main.Version, r.version)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		programs = append(programs, file{entry.Name(), 0o755, data})
	}
	return programs, nil
}

// writeChecksums writes what sha256sum prints for the files in dir into checksums.txt.
func writeChecksums(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var lines strings.Builder
	for _, entry := range entries {
		if entry.IsDir() {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&lines, "%x  %s\n", sha256.Sum256(data), entry.Name())
	}
	return os.WriteFile(filepath.Join(dir, "checksums.txt"), []byte(lines.String()), 0o644)
}
