package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/plan"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/run"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/rules"
)

// planned is a source of a plan.
type planned struct{ previous, manifests []plan.Manifest }

// joined returns several sources as one.
func joined(sources []planned) (all planned) {
	for _, s := range sources {
		all.previous, all.manifests = append(all.previous, s.previous...), append(all.manifests, s.manifests...)
	}
	return all
}

// claim is an object, now or before the change, that only one source of a run can have.
type claim struct {
	plan.Reference
	before bool
}

// claims are those of a source.
func (p planned) claims(namespace string) (all []claim) {
	for i, m := range slices.Concat(p.previous, p.manifests) {
		if r, unique := m.Identity(namespace); unique {
			all = append(all, claim{r, i < len(p.previous)})
		}
	}
	return all
}

// hasMode reports whether the source has something with a deployment mode.
func (p planned) hasMode() bool {
	return slices.ContainsFunc(p.manifests, func(m plan.Manifest) bool {
		kind, _ := m.Object["kind"].(string)
		return kind == kserve.InferenceService.Kind || kind == kserve.InferenceGraph.Kind
	})
}

// read reads the manifests, those before the change, and the objects of the cluster.
func (pl *planning) read(ctx context.Context, cluster string) error {
	err := pl.inputs.Each(ctx, func(in *run.Input) (err error) {
		var source planned
		if source.manifests, err = pl.decode(ctx, in, in.Settings.Options); err != nil {
			return err
		}
		if pl.changed {
			source.previous, err = pl.decode(ctx, in.Before(), in.Settings.Options)
			if err = cmp.Or(err, plan.Unique(source.previous, pl.namespace())); err != nil {
				source.previous = nil
				pl.warnings = append(pl.warnings, run.Lost(in.Path, err)...)
			}
		}
		if err := cmp.Or(context.Cause(ctx), plan.Unique(source.manifests, pl.namespace())); err != nil {
			return err // no run can have it
		}
		pl.sources = append(pl.sources, source)
		return nil
	})
	if err != nil {
		return err
	}
	if cluster == "" {
		return pl.checkMode()
	}
	data, name, err := pl.env.readInput(cluster, pl.inputs.All[0].Settings.MaxInput)
	if err != nil {
		return fmt.Errorf("flag --cluster: %w", err)
	}
	if pl.cluster, err = plan.ReadLive(data, name); errors.Is(err, plan.ErrNoObjects) {
		err = fmt.Errorf("flag --cluster: %w; this prints those of a cluster: %s", err, clusterCommand)
	}
	return cmp.Or(err, pl.inKServe(), pl.checkMode())
}

// decode returns the objects of a source, repaired unless that is not wanted, or its Application does not name the plugin.
func (pl *planning) decode(ctx context.Context, in *run.Input, options rules.Options) ([]plan.Manifest, error) {
	repaired, err := in.Repair(ctx, options, rules.All)
	if err != nil {
		return nil, err
	}
	repair := pl.repair && !in.Unplugged
	if err := contradictions(repaired); repair && err != nil {
		return nil, err
	}
	pl.warnings = append(pl.warnings, repaired.Warnings...)
	var all []plan.Manifest
	for _, file := range repaired.Files() {
		data := file.After
		if !repair {
			data = file.Before
		}
		pl.unrepaired = pl.unrepaired || pl.repair && !bytes.Equal(data, file.After)
		found, broken, err := plan.Read(data, file.Before, pl.env.caller.Dir.Shown(file.File.Path))
		if err != nil {
			return nil, err
		}
		pl.warnings = append(pl.warnings, broken...)
		if file.File.Values != "" {
			for i := range found {
				found[i].Place += " (with " + file.File.Values + ")"
			}
		}
		all = append(all, found...)
	}
	if len(pl.inputs.All) > 1 { // each is for a namespace of its own
		for _, m := range all {
			m.PutInto(cmp.Or(in.Settings.Namespace, "default"))
		}
	}
	return all, nil
}

// runs puts the sources together, so that a service sees the runtimes of other sources. There is one run for each of
// several sources with the same object, as two overlays of a base for two clusters have it.
func (pl *planning) runs() (all [][]planned) {
	var claims [][]claim
	for _, source := range pl.sources {
		claims = append(claims, source.claims(pl.namespace()))
	}
	shown := make([]bool, len(pl.sources))
	for slices.Contains(shown, false) {
		var run []planned
		taken := map[claim]bool{}
		before := slices.Clone(shown)
		for _, again := range []bool{false, true} {
			for i, source := range pl.sources {
				if before[i] != again || slices.ContainsFunc(claims[i], func(c claim) bool { return taken[c] }) {
					continue
				}
				for _, c := range claims[i] {
					taken[c] = true
				}
				run, shown[i] = append(run, source), true
			}
		}
		all = append(all, run)
	}
	return all
}

// namespace is that of objects that name none.
func (pl *planning) namespace() string { return cmp.Or(pl.inputs.All[0].Settings.Namespace, "default") }
