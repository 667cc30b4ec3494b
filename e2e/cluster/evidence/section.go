package evidence

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// GroupSize is how many cases are compared together. What KServe fails to do it does again later and later, and it does
// ten things a second again, of all that fail.
const GroupSize = 100

// Section is the part of the page about a release of KServe. The zero value is ready for use.
type Section struct {
	Cases               int
	Predicted, Measured int // the objects with pods that restart

	phases []phase
	also   []string            // further kinds of which something has to be compared
	left   map[string][]string // the cases that were not run, by the reason
}

// phase is what was compared at one time.
type phase struct {
	name        string
	kinds       map[string]int // the objects that are equal or differ, by kind
	refused     int
	differences int
}

// Leave adds a case that was not run.
func (s *Section) Leave(name, reason string) {
	if s.left == nil {
		s.left = map[string][]string{}
	}
	s.left[reason] = append(s.left[reason], name)
}

// Add adds what was compared of some of the cases.
func (s *Section) Add(name string, real, planned State, refused, foretold Refusals) {
	i := slices.IndexFunc(s.phases, func(p phase) bool { return p.name == name })
	if i < 0 {
		i, s.phases = len(s.phases), append(s.phases, phase{name: name, kinds: map[string]int{}})
	}
	p := &s.phases[i]
	p.refused += len(refused)
	p.differences += len(Compare(real, planned)) + len(CompareRefusals(refused, foretold))
	for k := range real {
		p.kinds[k.Kind]++
	}
}

// expected are the kinds of which something has to be compared, with every release.
var expected = []string{"InferenceService", "Deployment", "Service", "HorizontalPodAutoscaler", "Ingress", "Pod",
	"InferenceGraph", "ConfigMap"}

// Expect adds kinds to those.
func (s *Section) Expect(kinds ...string) { s.also = append(s.also, kinds...) }

// Nothing returns what has to be there and was not.
func (s *Section) Nothing() (all []string) {
	for _, p := range s.phases {
		for _, kind := range slices.Concat(expected, s.also) {
			if p.kinds[kind] == 0 {
				all = append(all, kind+", "+p.name)
			}
		}
		if p.refused == 0 {
			all = append(all, "a refusal, "+p.name)
		}
	}
	if s.Measured == 0 {
		all = append(all, "a restart")
	}
	return all
}

// String returns the section as Markdown.
func (s *Section) String() string {
	var b strings.Builder
	header, rule := "| of %d cases |", "|---|"
	kinds := map[string]bool{}
	for _, p := range s.phases {
		header, rule = header+" "+p.name+" |", rule+"---|"
		for kind := range p.kinds {
			kinds[kind] = true
		}
	}
	fmt.Fprintf(&b, header+"\n%s\n", s.Cases, rule)
	row := func(name string, count func(phase) int) {
		fmt.Fprintf(&b, "| %s |", name)
		for _, p := range s.phases {
			fmt.Fprintf(&b, " %d |", count(p))
		}
		b.WriteString("\n")
	}
	row("objects compared", func(p phase) (sum int) {
		for _, n := range p.kinds {
			sum += n
		}
		return sum
	})
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		row("of them "+kind, func(p phase) int { return p.kinds[kind] })
	}
	row("refused", func(p phase) int { return p.refused })
	row("differences", func(p phase) int { return p.differences })
	fmt.Fprintf(&b, "\nWorkloads whose pods restart because of the repairs: %d predicted, %d measured.\n",
		s.Predicted, s.Measured)
	b.WriteString("\nNot run, because:\n")
	for _, reason := range slices.Sorted(maps.Keys(s.left)) {
		cases := s.left[reason]
		slices.Sort(cases)
		fmt.Fprintf(&b, "\n- %s: %d", reason, len(cases))
		if len(cases) <= 40 {
			b.WriteString(": " + strings.Join(cases, ", "))
		}
	}
	return b.String() + "\n"
}
