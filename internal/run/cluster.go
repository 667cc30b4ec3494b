package run

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/panics"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/rules"
)

// clusters returns the sources of Applications by the cluster that these deploy to, where there are several with the same
// settings and a change: a service of one may need what another one deletes, and what moves to another source is not
// deleted.
func (all *Inputs) clusters() (groups [][]*Input) {
	type key struct{ cluster, settings string }
	found := map[key][]*Input{}
	var keys []key
	for _, in := range all.All {
		if in.Application == "" {
			continue
		}
		options := in.Settings.Options
		options.Namespace, options.AppliedByServer = "", false
		at := key{in.cluster, fmt.Sprint(options, in.Settings.FailOn)}
		if found[at] == nil {
			keys = append(keys, at)
		}
		found[at] = append(found[at], in)
	}
	for _, at := range keys {
		group := found[at]
		if len(group) > 1 && slices.ContainsFunc(group, func(in *Input) bool { return len(in.previous) > 0 }) {
			groups = append(groups, group)
			for _, in := range group {
				in.apart = true
			}
		}
	}
	return groups
}

// deleted adds what goes wrong because a change deletes objects of the sources to the outcome of one of them.
func deleted(ctx context.Context, group []*Input, out *Outcome) error {
	config, _, err := out.Settings.Options.Config()
	if err != nil {
		return err
	}
	var files []transform.File
	for _, in := range group {
		files = append(files, in.inNamespace(in.source.Files)...)
		config.Previous = append(config.Previous, in.inNamespace(in.previous)...)
	}
	config.Rules = rules.All
	config.MaxExpanded = int(out.Settings.MaxCopied())
	found, err := panics.Await(ctx, func() (*transform.Result, error) { return transform.Deleted(ctx, files, config) })
	if fault := (*transform.InputError)(nil); errors.As(err, &fault) {
		return nil // its source has told of it
	}
	if err != nil {
		return err
	}
	out.Result.Add(found)
	return nil
}

// inNamespace returns the files of the source with the namespace of what names none.
func (in *Input) inNamespace(files []transform.File) []transform.File {
	files = slices.Clone(files)
	for i := range files {
		files[i].Namespace = in.Settings.Namespace
	}
	return files
}
