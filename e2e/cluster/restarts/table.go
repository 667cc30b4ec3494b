// Package restarts collects which restarts the plugin predicts and which were measured, and keeps them as a page of the
// documentation.
package restarts

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// Case is what one golden case has shown with one release of KServe.
type Case struct {
	KServe string // release
	Rule   string
	Name   string

	Services  int      // whose pod templates were compared
	Predicted int      // those of them that the plugin says restart
	Measured  int      // those of them whose pods were replaced
	Misses    []string // those of which one is true and the other is not
	Left      []Left   // services that were not compared; a case without any service has one of them
}

// Left is why a case or a service was not compared: the kind of reason, and what was seen.
type Left struct{ Subject, Reason, Detail string }

// Unrepaired is the reason why most cases are not run.
const Unrepaired = "there is nothing to repair with this release"

// Skip returns the case as one that was not run.
func (c Case) Skip(reason, detail string) Case { return c.Leave("", reason, detail) }

// Leave adds a service that was not compared.
func (c Case) Leave(service, reason, detail string) Case {
	c.Left = append(c.Left, Left{service, reason, detail})
	return c
}

// Measure adds a service.
func (c Case) Measure(service string, predicted, measured bool) Case {
	c.Services++
	if predicted {
		c.Predicted++
	}
	if measured {
		c.Measured++
	}
	if predicted != measured {
		c.Misses = append(c.Misses, fmt.Sprintf("%s: predicted to restart: %t, restarts: %t", service, predicted, measured))
	}
	return c
}

// Table collects cases. The zero value is ready for use, also in parallel.
type Table struct {
	mu    sync.Mutex
	cases []Case
}

// Add adds a case.
func (t *Table) Add(c Case) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.cases = append(t.cases, c)
}

// Sections returns a section of the page for each release that was run, by the release.
func (t *Table) Sections() map[string]string {
	t.mu.Lock()
	defer t.mu.Unlock()
	releases := map[string][]Case{}
	for _, c := range t.cases {
		releases[c.KServe] = append(releases[c.KServe], c)
	}
	sections := map[string]string{}
	for release, cases := range releases {
		slices.SortFunc(cases, func(a, b Case) int { return strings.Compare(a.Name, b.Name) })
		sections[release] = section(cases)
	}
	return sections
}

// section is the part of the page about one release.
func section(cases []Case) string {
	rules := map[string][]Case{}
	for _, c := range cases {
		rules[c.Rule] = append(rules[c.Rule], c)
	}
	var b strings.Builder
	b.WriteString("| rule | cases | run | services | restarts predicted | restarts measured | misses | not run |\n" +
		"|---|---|---|---|---|---|---|---|\n")
	for _, rule := range slices.Sorted(maps.Keys(rules)) {
		fmt.Fprintf(&b, "| %s |%s\n", rule, row(rules[rule]))
	}
	fmt.Fprintf(&b, "| all |%s\n", row(cases))
	reasons := map[string][]string{}
	for _, c := range cases {
		for _, left := range c.Left {
			subject := c.Name
			if left.Subject != "" {
				subject += " (" + left.Subject + ")"
			}
			reasons[left.Reason] = append(reasons[left.Reason], subject)
		}
	}
	b.WriteString("\nNot run, or not with all services, because:\n")
	for _, reason := range slices.Sorted(maps.Keys(reasons)) {
		fmt.Fprintf(&b, "\n- %s: %d", reason, len(reasons[reason]))
		if reason != Unrepaired {
			b.WriteString(": " + strings.Join(reasons[reason], ", "))
		}
	}
	return b.String() + "\n"
}

// row is the sum of cases, as cells.
func row(cases []Case) string {
	var sum Case
	run, misses := 0, 0
	for _, c := range cases {
		sum.Services += c.Services
		sum.Predicted += c.Predicted
		sum.Measured += c.Measured
		misses += len(c.Misses)
		if c.Services > 0 {
			run++
		}
	}
	return fmt.Sprintf(" %d | %d | %d | %d | %d | %d | %d |",
		len(cases), run, sum.Services, sum.Predicted, sum.Measured, misses, len(cases)-run)
}
