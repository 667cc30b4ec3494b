package cli

import (
	"cmp"
	"context"
	"errors"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/plan"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/upgrade"
)

// notKnown is what upgrade cannot say without KServe's own code.
const notKnown = "Not known without KServe's own code: which pods its upgrade alone restarts, and what else it changes, " +
	"breaks or refuses: "

// predict adds to the report what the programs of both releases know, or why they don't. Refused is what plan does not
// take of the manifests.
func (pl *planning) predict(
	ctx context.Context, report *upgrade.Report, from, to kserve.Versions,
) (refused, err error) {
	programs := pl.programs()
	old, _, noOld := newest(programs, from)
	is, _, noNew := newest(programs, to)
	mode, apart := pl.inputs.Agreed("default-deployment-mode", "default-deployment-mode", defaultMode)
	pl.mode = mode
	missing := errors.Join(noOld, noNew, apart)
	if missing == nil {
		refused = pl.readBoth(ctx, report.From, report.To)
	}
	if why := cmp.Or(missing, refused); why != nil {
		report.Unknown = notKnown + strings.Join(slices.Compact(strings.Split(why.Error(), "\n")), "; ")
		return refused, context.Cause(ctx)
	}
	told := map[int]bool{}
	for _, sources := range pl.runs() {
		source := joined(sources)
		p, err := pl.upgraded(ctx, programs, old, is, source)
		if err != nil {
			return nil, err
		}
		report.Changes = p.Changes(report.Changes, source.about(pl.namespace(), told))
		for _, m := range slices.Concat(source.previous, source.manifests) {
			told[m.Source] = true
		}
	}
	return nil, nil
}

// readBoth reads the manifests as generate writes them for either release.
func (pl *planning) readBoth(ctx context.Context, from, to string) error {
	for _, in := range pl.inputs.All {
		var source planned
		var old, is error
		options := in.Settings.Options
		options.KServeVersion = from
		source.previous, old = pl.decode(ctx, in, options)
		options.KServeVersion = to
		source.manifests, is = pl.decode(ctx, in, options)
		for _, manifests := range [][]plan.Manifest{source.previous, source.manifests} {
			for i := range manifests {
				m := &manifests[i]
				m.Source = len(pl.sources)
				if namespace := in.Settings.Namespace; namespace != "" {
					as, _ := m.Identity(namespace) // as the rules name it
					m.Given = as.String()
				}
			}
		}
		now, before := plan.Unique(source.manifests, pl.namespace()), plan.Unique(source.previous, pl.namespace())
		if err := cmp.Or(old, is, now, before); err != nil {
			return err
		}
		pl.sources = append(pl.sources, source)
	}
	return nil
}

// upgraded lets the old release make the objects, and the new one take them over.
func (pl *planning) upgraded(
	ctx context.Context, programs plan.Programs, old, is string, source planned,
) (p upgrade.Prediction, err error) {
	request := pl.request()
	request.Changed, request.Objects = false, objects(source.previous)
	left, err := programs.Run(ctx, old, request)
	if err != nil {
		return p, err
	}
	request.Changed, request.Stored = true, left.State.Objects
	request.Previous, request.Objects = request.Objects, objects(source.manifests)
	made, err := programs.Run(ctx, is, request)
	if err != nil {
		return p, err
	}
	alone := *made
	alone.Previous, alone.State = &plan.State{Objects: made.Stored}, *made.Previous
	return upgrade.Prediction{
		Before:    plan.New(left, nil, source.previous, request.Namespace),
		Alone:     plan.New(&alone, source.previous, source.previous, request.Namespace),
		Generated: plan.New(made, source.previous, source.manifests, request.Namespace),
		Unchanged: source.unchanged(request.Namespace),
	}, nil
}

// about returns how changes name and place the objects. Nothing is said of those of a source that has been told of.
func (p planned) about(namespace string, told map[int]bool) upgrade.About {
	index := plan.NewIndex(slices.Concat(p.manifests, p.previous), namespace)
	return func(r plan.Reference) (upgrade.Change, bool) {
		m := index.Find(r)
		if m == nil {
			return upgrade.Change{Object: r.String()}, true
		}
		c := upgrade.Change{Object: m.Given, Source: m.Source}
		c.File, c.Line = position(m.Place)
		return c, !told[m.Source]
	}
}

// unchanged returns which manifests are the same before and after.
func (p planned) unchanged(namespace string) func(plan.Reference) bool {
	before, after := plan.NewIndex(p.previous, namespace), plan.NewIndex(p.manifests, namespace)
	return func(r plan.Reference) bool {
		was, is := before.Find(r), after.Find(r)
		return was != nil && is != nil && reflect.DeepEqual(was.Object, is.Object)
	}
}

// position cuts a place into path and line, 0 for one without.
func position(place string) (path string, line int) {
	i := strings.LastIndexByte(place, ':')
	line, err := strconv.Atoi(place[i+1:])
	if err != nil {
		return place, 0
	}
	return place[:i], line
}
