package run

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// gone adds a source without manifests for each that only the checkout before the change has.
func (f *finder) gone(ctx context.Context, args []string) error {
	if f.Previous == "" {
		return nil
	}
	for _, arg := range orHere(args) {
		old, before, err := f.before(arg)
		if err != nil {
			return err
		}
		if info, err := os.Stat(before); err != nil || !info.IsDir() {
			continue
		}
		found, err := f.discover(ctx, before, f.locked)
		if err != nil {
			return err
		}
		for _, source := range found.Sources {
			rel, err := filepath.Rel(before, f.Dir.Absolute(source.Path))
			if err != nil {
				return err
			}
			path := filepath.Join(arg, rel)
			if _, err := os.Stat(f.Dir.Absolute(path)); err == nil {
				continue
			}
			set, err := f.loaded(f.From(source.Path))
			if err != nil {
				return err
			}
			set.AllowEmpty = true
			in := &Input{Path: path, Settings: set, options: f.options(set), caller: f.Caller, gone: true}
			if err := in.renderBefore(ctx, old, f.Dir.Absolute(source.Path)); err != nil {
				f.fail(fmt.Errorf("%s: the change takes this source away, and what it had is not known: %w", path, err))
				continue
			}
			f.All = append(f.All, in)
			f.note(path + ": the change takes this source away, with all that it has")
		}
	}
	if !slices.ContainsFunc(f.All, func(in *Input) bool { return len(in.previous) > 0 }) {
		f.note(fmt.Sprintf("flag --previous: %s has none of the sources, so all of them count as new; "+
			"it is the top of the other checkout, or the same folder in it", f.Previous))
	}
	return nil
}
