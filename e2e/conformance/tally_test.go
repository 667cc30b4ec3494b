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
	objects                                      int // judged ones
	drift, left                                  int // of those that KServe takes, before and after repair
	refused, foreseen, falseAlarms, newly, moved int
	kinds                                        map[string]*kind // of drift
	unforeseen                                   map[string]*kind // of refusals
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
	sum.objects++
	if before.refused() {
		sum.refused++
		if s.refusal != "" {
			sum.foreseen++
		} else {
			for _, r := range before.Refused {
				counted(sum.unforeseen, r.By+": "+value.ReplaceAllString(r.Message, "_"), s.where).before++
			}
		}
	}
	was, is := driftKinds(before), driftKinds(after)
	sum.drift += min(1, len(was))
	sum.left += min(1, len(is))
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
	fmt.Fprintln(w, "KServe\tdefault\tobjects\tdrift\tafter repair\trefused\tof these foreseen\tfalse alarms\t"+
		"newly refused after repair\tdrift repairs that change the stored object")
	for _, sum := range ts.all {
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\n", sum.release, sum.mode, sum.objects, sum.drift, sum.left,
			sum.refused, sum.foreseen, sum.falseAlarms, sum.newly, sum.moved)
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
