package conformance

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
)

// tally is what a release, with a default mode, says of the subjects.
type tally struct {
	release, mode                                string
	all, services                                drifting // services are InferenceServices
	refused, foreseen, falseAlarms, newly, moved int
	unnamed                                      int              // differences left that the command drift does not name
	kinds                                        map[string]*kind // of drift
	unforeseen                                   map[string]*kind // of refusals
}

// drifting counts judged objects, and those of them that drift before and after repair although KServe takes them.
type drifting struct{ objects, before, after int }

func (d *drifting) count(before, after map[string]bool) {
	d.objects++
	d.before += min(1, len(before))
	d.after += min(1, len(after))
}

// kind counts objects, before and after repair, and names one of them.
type kind struct {
	before, after int
	example       string
}

func (sum *tally) count(s subject, before, after judgement) {
	if sum.kinds == nil {
		sum.kinds, sum.unforeseen = map[string]*kind{}, map[string]*kind{}
	}
	if before.refused() {
		sum.refused++
		if s.announced {
			sum.foreseen++
		} else {
			for _, r := range before.Refused {
				counted(sum.unforeseen, r.By+": "+value.ReplaceAllString(r.Message, "_"), s.where).before++
			}
		}
	}
	was, is := driftKinds(before), driftKinds(after)
	sum.all.count(was, is)
	if before.Kind == service {
		sum.services.count(was, is)
	}
	for name := range was {
		counted(sum.kinds, name, s.where).before++
	}
	for name := range is {
		k := counted(sum.kinds, name, s.where)
		k.after++
		k.example = s.where
	}
}

func counted(kinds map[string]*kind, name, where string) *kind {
	if kinds[name] == nil {
		kinds[name] = &kind{example: where}
	}
	return kinds[name]
}

var (
	index = regexp.MustCompile(`\[\d+\]`)
	value = regexp.MustCompile(`"[^"]*"|'[^']*'|\[[^]]*\]|\b\d+\b`)
)

// driftKinds are the kinds of drift of an object that KServe takes: its kind and the path, and what happens there.
func driftKinds(j judgement) map[string]bool {
	kinds := map[string]bool{}
	for _, change := range j.Changes {
		if change.Drifts && !j.refused() {
			kinds[j.Kind+" "+index.ReplaceAllString(change.Path, "[]")+" "+change.what(j.Pruned)] = true
		}
	}
	return kinds
}

// quoted is a key as the judge writes it if it has dots or slashes.
var quoted = regexp.MustCompile(`\["([^"]*)"\]`)

// unnamed returns the paths of an object that drift after every repair, without those that the command drift names, or
// a field above or below them. An object with an error is left out, since people have to settle that first. So is an
// empty mapping in the metadata: no rule looks at it, because other rules fill it.
func (s subject) unnamed(after judgement) (paths []string) {
	if s.announced {
		return nil
	}
	for _, change := range after.Changes {
		path := quoted.ReplaceAllString(change.Path, ".$1")
		named := slices.ContainsFunc(s.left, func(field string) bool {
			return strings.HasPrefix(path, field) || strings.HasPrefix(field, path)
		})
		empty := strings.HasPrefix(path, "metadata.") && string(change.Before) == "{}"
		if change.Drifts && !after.refused() && !named && !empty {
			paths = append(paths, path)
		}
	}
	return paths
}

func (c driftChange) what(pruned []string) string {
	switch {
	case slices.Contains(pruned, c.Path):
		return "pruned"
	case c.Before == nil:
		return "added"
	case c.After == nil:
		return "removed"
	}
	return "changed"
}

// tallies gathers those of a run.
type tallies struct {
	mu  sync.Mutex
	all []tally
}

func (ts *tallies) add(sum tally) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.all = append(ts.all, sum)
}

// print writes what drifts and is refused in which way, and then the table of all releases and modes.
func (ts *tallies) print() {
	slices.SortFunc(ts.all, func(a, b tally) int {
		return cmp.Or(strings.Compare(a.release, b.release), strings.Compare(b.mode, a.mode))
	})
	for _, sum := range ts.all {
		fmt.Printf("\nKServe %s %s: objects that drift before and after repair, for example\n", sum.release, sum.mode)
		printKinds(sum.kinds, func(k *kind) string { return fmt.Sprintf("%5d %5d", k.before, k.after) })
		fmt.Printf("\nKServe %s %s: objects refused without an error of the plugin, for example\n", sum.release, sum.mode)
		printKinds(sum.unforeseen, func(k *kind) string { return fmt.Sprintf("%5d", k.before) })
	}
	fmt.Println()
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "KServe\tdefault\tservices\tdrift\tafter repair\tall objects\tdrift\tafter repair\t"+
		"refused\tof these foreseen\tfalse alarms\tnewly refused after repair\tdrift repairs that change the stored object\tdrift left that the command drift does not name")
	for _, sum := range ts.all {
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\n", sum.release, sum.mode,
			sum.services.objects, sum.services.before, sum.services.after, sum.all.objects, sum.all.before, sum.all.after,
			sum.refused, sum.foreseen, sum.falseAlarms, sum.newly, sum.moved, sum.unnamed)
	}
	w.Flush()
}

func printKinds(kinds map[string]*kind, numbers func(*kind) string) {
	names := slices.SortedFunc(maps.Keys(kinds), func(a, b string) int {
		x, y := kinds[a], kinds[b]
		return cmp.Or(cmp.Compare(y.after, x.after), cmp.Compare(y.before, x.before), strings.Compare(a, b))
	})
	for _, name := range names {
		fmt.Printf("%s  %s (%s)\n", numbers(kinds[name]), name, kinds[name].example)
	}
}

// driftChange is a place at which a stored object differs from its manifest.
type driftChange struct {
	Path          string
	Before, After json.RawMessage
	Drifts        bool
}
