package conformance

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
)

// counts are what a run saw.
type counts struct {
	files, unreadable, refused, documents, touched int
	rules, left                                    map[string]int // touched documents, and findings without a repair
	schema                                         verdict
}

// table gathers counts by source and settings.
type table struct {
	mu   sync.Mutex
	rows map[[2]string]*counts
}

func (t *table) add(source, setting string, c counts) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.rows == nil {
		t.rows = map[[2]string]*counts{}
	}
	key := [2]string{source, setting}
	row, known := t.rows[key]
	if !known {
		row = &counts{rules: map[string]int{}, left: map[string]int{}}
		t.rows[key] = row
	}
	row.files += c.files
	row.unreadable += c.unreadable
	row.refused += c.refused
	row.documents += c.documents
	row.touched += c.touched
	for rule, n := range c.rules {
		row.rules[rule] += n
	}
	for rule, n := range c.left {
		row.left[rule] += n
	}
	row.schema.objects += c.schema.objects
	row.schema.valid += c.schema.valid
	row.schema.worse += c.schema.worse
	row.schema.better += c.schema.better
}

// print writes the table. The last columns are how often a touched object was validated, and with what result.
func (t *table) print() {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "source\tsettings\tfiles\tunreadable\trefused\tdocuments\t"+
		"touched\tby rule\tfound only\tvalidated\tvalid\tbetter\tworse")
	for _, source := range sources {
		for _, s := range settings {
			if row, known := t.rows[[2]string{source.name, s.name}]; known {
				fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%d\t%d\t%s\t%s\t%d\t%d\t%d\t%d\n",
					source.name, s.name, row.files, row.unreadable, row.refused, row.documents, row.touched,
					byRule(row.rules), byRule(row.left), row.schema.objects, row.schema.valid, row.schema.better, row.schema.worse)
			}
		}
	}
	w.Flush()
}

func byRule(counts map[string]int) string {
	var all []string
	for _, rule := range slices.Sorted(maps.Keys(counts)) {
		all = append(all, fmt.Sprintf("%s %d", rule, counts[rule]))
	}
	return strings.Join(all, ", ")
}
