package run

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render/discover"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// findOfFlag adds the sources of the Applications in the files and folders that the flags name.
func (f *finder) findOfFlag(ctx context.Context, args []string) error {
	if len(args) > 1 {
		return errors.New("--application takes one PATH, a folder of the checkout")
	}
	options := f.options(f.locked)
	options.Source, options.Recurse, options.Include, options.Exclude = render.Auto, false, "", ""
	read := map[string]bool{}
	for _, named := range f.Applications {
		sources, err := f.ofFlag(ctx, named, options)
		if err != nil {
			return err
		}
		for _, path := range sources {
			result, err := render.Render(ctx, path, options)
			switch {
			case err != nil && ctx.Err() != nil:
				return err
			case err != nil:
				f.fail(err)
				continue
			}
			f.fail(result.Unread...)
			result.Files = slices.DeleteFunc(result.Files, func(file transform.File) bool {
				real := f.Dir.Real(file.Path)
				again := file.Renderer == "" && path != "-" && read[real]
				read[real] = true
				return again
			})
			if err := f.follow(ctx, result.Files); err != nil {
				return err
			}
		}
	}
	f.skipped()
	return nil
}

// ofFlag returns the sources with Applications that a value of the flag stands for: a file, or of a folder itself and what
// is found below it.
func (f *finder) ofFlag(ctx context.Context, named string, options render.Options) (paths []string, err error) {
	if named == "" {
		return nil, errors.New("flag --application: the path is empty; . is the working directory")
	}
	if err := f.Dir.Present(named); err != nil {
		return nil, err
	}
	if info, err := os.Stat(f.Dir.Absolute(named)); err != nil || !info.IsDir() {
		return []string{named}, nil
	}
	found, err := discover.Sources(ctx, named, options, f.discovering(nil))
	if err != nil {
		return nil, err
	}
	for _, source := range found.Sources {
		if source.Applications || filepath.Clean(source.Path) == filepath.Clean(named) {
			paths = append(paths, source.Path)
		}
	}
	for _, skip := range found.Skipped {
		if found.HasApplications(f.Dir.Real(skip.Path)) {
			f.skips = append(f.skips, skip)
		}
	}
	return paths, nil
}
