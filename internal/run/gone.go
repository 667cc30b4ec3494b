package run

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render/discover"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/terminal"
)

// gone adds a source without manifests for each that only the manifests before the change have.
func (f *finder) gone(ctx context.Context, args []string) error {
	if f.Previous == "" {
		return nil
	}
	matched := slices.ContainsFunc(f.All, func(in *Input) bool { return in.compared })
	for _, arg := range orHere(args) {
		before, err := f.counterpart.of(f.Dir, arg)
		if err != nil {
			continue // so has the source
		}
		top := f.Dir.Absolute(before)
		if info, err := os.Stat(top); err != nil || !info.IsDir() {
			continue
		}
		found, err := f.discover(ctx, before, f.locked)
		if err != nil {
			return err
		}
		switch {
		case !f.counterpart.assumed || matched || len(found.Sources) == 0:
		case len(f.failed) > 0:
			continue // it may be of those that can't be rendered
		default:
			return f.unlike(arg, found.Sources)
		}
		for _, source := range found.Sources {
			rel, err := filepath.Rel(top, f.Dir.Absolute(source.Path))
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
			matched, set.AllowEmpty = true, true
			in := &Input{Path: path, Settings: set, options: f.options(set), caller: f.Caller, gone: true}
			if err := in.renderBefore(ctx, f.counterpart.there, source.Path); err != nil {
				for _, line := range Joined(err) {
					f.note(fmt.Sprintf("%s: the change takes this source away, and what it had can't be read: %v", path, line))
				}
				continue
			}
			f.All = append(f.All, in)
			f.note(path + ": the change takes this source away, with all that it has")
		}
	}
	if err := f.dropped(ctx); err != nil {
		return err
	}
	if !matched {
		f.note(fmt.Sprintf("flag --previous: %s has none of the sources, so all of them count as new; "+
			"it is the top of the other checkout, or the same folder in it", f.Previous))
	}
	return nil
}

// dropped adds a source without manifests for each that an Application had before the change and has no more, also where
// the folder is still there.
func (f *finder) dropped(ctx context.Context) error {
	old, units := f.applicationsBefore(ctx)
	for _, u := range units {
		rel, err := filepath.Rel(old, f.Dir.Real(u.paths[0]))
		if err != nil || !f.has[appSource{u.application, ""}] || f.has[appSource{u.application, rel}] {
			continue
		}
		path := f.Dir.Shown(filepath.Join(f.checkout.Dir, rel))
		if !f.asked(path) {
			continue
		}
		set, err := f.loaded(u.from)
		if err != nil {
			return err
		}
		set.AllowEmpty = true
		in := &Input{
			Path: path, Application: u.application, cluster: u.cluster, Settings: set, options: f.options(set), caller: f.Caller,
			gone: true,
		}
		if err := u.adjust(set, &in.options); err != nil {
			return err
		}
		if err := in.renderBefore(ctx, old, u.paths[0]); err != nil {
			continue // who repairs it compares with nothing
		}
		for i := range in.previous {
			in.previous[i].Application = u.application
		}
		isGone := func(other *Input) bool { return other.gone && f.Dir.Real(other.Path) == f.Dir.Real(path) }
		if i := slices.IndexFunc(f.All, isGone); i >= 0 { // with its folder
			f.All[i] = in
			continue
		}
		f.All = append(f.All, in)
		f.note(fmt.Sprintf("%s: the change takes this source away from Application %s, with all that it has", path, u.application))
	}
	return context.Cause(ctx)
}

// applicationsBefore returns the sources of the Applications before the change, and the top of their checkout.
func (f *finder) applicationsBefore(ctx context.Context) (top string, units []unit) {
	l := *f.Loader
	l.Previous, l.Applications, l.Repos = "", nil, slices.Concat(f.Repos, f.checkout.Remotes)
	for _, path := range f.Applications { // the whole checkout, if all of them are new
		before, err := f.counterpart.of(f.Dir, path)
		if path == "-" || err != nil {
			return "", nil
		}
		if f.Dir.Present(before) == nil {
			l.Applications = append(l.Applications, before)
		}
	}
	old := newFinder(&l, f.locked, nil, map[string]discover.Result{})
	if err := old.open(ctx, []string{f.counterpart.there}); err != nil {
		f.unknown(err)
		return "", nil
	}
	defer old.checkout.Close()
	defer old.others.Close()
	old.within = func(string) bool { return false }
	var faults []error
	unread := map[string]error{}
	if len(l.Applications) == 0 {
		for _, u := range old.withApplications(ctx) {
			in, err := old.read(ctx, u)
			if err != nil {
				unread[f.Dir.Real(u.paths[0])] = err
				continue
			}
			faults = append(faults, old.follow(ctx, in.source.Files))
		}
	} else {
		faults = append(faults, old.findOfFlag(ctx, nil))
	}
	for _, dir := range slices.Sorted(maps.Keys(unread)) {
		if !old.claimed[dir] {
			faults = append(faults, unread[dir])
		}
	}
	for _, note := range old.notes {
		f.note(note)
	}
	if err := errors.Join(append(faults, old.failed...)...); err != nil {
		f.unknown(err)
	}
	return old.checkout.Dir, old.met
}

// unlike is the error for a PATH of which the manifests before the change have none of the sources, but others.
func (f *finder) unlike(arg string, others []discover.Source) error {
	var is, were []string
	for _, in := range f.All {
		is = append(is, in.Path)
	}
	for _, source := range others {
		were = append(were, source.Path)
	}
	return fmt.Errorf("flag --previous: nothing stands for %s, only for other sources: %s; name the folder that %s was",
		terminal.Some(is, most), terminal.Some(were, most), arg)
}
