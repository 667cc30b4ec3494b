package run

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render/discover"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/terminal"
)

// addParts adds what only sources use that can't be rendered. A part that can't be rendered either is no error, since it
// may need what uses it, and a file alone may be a patch: notes name them.
func (f *finder) addParts(ctx context.Context) error {
	for _, in := range f.All {
		delete(f.unread, f.Dir.Real(in.Path))
	}
	unread := func(path string) bool { return f.unread[f.Dir.Real(path)] }
	hidden := func(part discover.Source) bool {
		return !unread(part.Path) && !slices.ContainsFunc(part.Users, func(user string) bool { return !unread(user) })
	}
	for {
		i := slices.IndexFunc(f.parts, hidden)
		if i < 0 {
			return nil
		}
		part := f.parts[i]
		f.parts = slices.Delete(f.parts, i, i+1)
		if f.claimed[f.Dir.Real(part.Path)] {
			continue
		}
		if part.Kind == render.Directory {
			f.note(fmt.Sprintf("not rendered: %s: only %s has its files; name the folder to render them",
				part.Path, strings.Join(part.Users, ", ")))
			continue
		}
		for _, u := range f.withValues(part) {
			in, err := f.read(ctx, u)
			switch {
			case err == nil:
				f.All = append(f.All, in)
			case ctx.Err() != nil:
				return err
			default:
				f.unread[f.Dir.Real(part.Path)] = true
				for _, line := range Joined(err) {
					f.note("not rendered: " + line.Error())
				}
			}
		}
	}
}

// skipped adds a note for each reason for which folders are not rendered, unless Applications have rendered them.
func (f *finder) skipped() {
	has := map[string]bool{}
	for _, in := range f.All {
		for _, component := range in.options.Kustomize.Components {
			has[f.Dir.Real(filepath.Join(in.Path, component))] = true
		}
		for _, file := range in.source.Files {
			if file.Renderer == "" {
				has[filepath.Dir(f.Dir.Real(file.Path))] = true
			}
		}
	}
	byReason := map[string][]string{}
	for _, skip := range f.skips {
		if dir := f.Dir.Real(skip.Path); has[dir] || f.claimed[dir] {
			continue
		}
		byReason[skip.Reason] = append(byReason[skip.Reason], skip.Path)
	}
	for _, reason := range slices.Sorted(maps.Keys(byReason)) {
		f.note("not rendered: " + terminal.Some(byReason[reason], most) + ": " + reason)
	}
}
