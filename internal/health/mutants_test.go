package health

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// replacements are what a mutant of a check puts in the place of a word. What stands in a comment stays.
var replacements = map[string][]string{
	"==": {"~="}, "~=": {"=="}, "<": {"<=", ">="}, ">": {">=", "<="}, "<=": {"<", ">"}, ">=": {">", "<"},
	"and": {"or"}, "or": {"and"}, "not": {""}, "true": {"false"}, "+": {"-"}, "-": {"+"}, "break": {""}, "nil": {"0"},
}

var luaWord = regexp.MustCompile(`--.*|"[^"]*"|'[^']*'|[A-Za-z_][\w.]*|\d+(?:e\d+)?|[=~<>]=|\.\.|.`)

// luaMutants returns mutants of a script by their names: what they change, and the line, with a number among equal ones.
// A message is for people: no mutant changes it.
func luaMutants(source string) map[string]string {
	all := map[string]string{}
	offset := 0
	for line := range strings.Lines(source) {
		for _, at := range luaWord.FindAllStringIndex(strings.TrimSuffix(line, "\n"), -1) {
			word := line[at[0]:at[1]]
			to := replacements[word]
			switch {
			case word[0] == '"' && !strings.Contains(word, " "):
				to = []string{`"~` + word[1:]}
			case word[0] >= '0' && word[0] <= '9':
				to = []string{word + "+1"}
			}
			for _, to := range to {
				start, end := offset+at[0], offset+at[1]
				name := fmt.Sprintf("%s for %s in: %s", to, word, strings.TrimSpace(line))
				for n := 2; all[name] != ""; n++ {
					name = fmt.Sprintf("%s for %s (%d) in: %s", to, word, n, strings.TrimSpace(line))
				}
				all[name] = source[:start] + to + source[end:]
			}
		}
		offset += len(line)
	}
	return all
}

// verdictAt is what a check has to say of an object at a time. An empty message stands for any.
type verdictAt struct {
	object Object
	now    time.Time
	Verdict
}

// verdicts returns the cases of health_test.yaml, and what is right about what KServe's controllers write.
func verdicts(t *testing.T, kind string) (all []verdictAt) {
	t.Helper()
	tree := os.DirFS(filepath.Join(checksDir, kind))
	var suite healthTests
	loadYAML(t, tree, "health_test.yaml", &suite)
	for _, test := range suite.Tests {
		var object Object
		loadYAML(t, tree, test.InputPath, &object)
		all = append(all, verdictAt{object, today, Verdict{test.HealthStatus.Status, test.HealthStatus.Message}})
	}
	if !slices.Contains(kindsWithStatuses(), kind) {
		return all
	}
	for _, s := range loadStatuses(t, kind) {
		object := s.object(t)
		created, _ := time.Parse(time.RFC3339, StringAt(object, "metadata", "creationTimestamp"))
		first, later, changes := strings.Cut(s.right, ", later ")
		if !changes {
			later = first
		}
		all = append(all, verdictAt{object, created.Add(time.Minute), Verdict{Status(first), ""}},
			verdictAt{object, today, Verdict{Status(later), ""}})
	}
	return all
}

// enough is more than the steps that a check takes. A mutant may never end.
const enough = 100_000

// TestMutants changes each operator, text and number of the checks, and wants a case of health_test.yaml that sees it.
// testdata/mutants.txt lists those that none can see, each with the reason.
func TestMutants(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute")
	}
	data, err := os.ReadFile("testdata/mutants.txt")
	if err != nil {
		t.Fatal(err)
	}
	reasons := map[string]bool{}
	for line := range strings.Lines(string(data)) {
		if name, reason, found := strings.Cut(strings.TrimSpace(line), "\t"); found && reason != "" {
			reasons[name] = true
		} else if line != "\n" && line[0] != '#' {
			t.Errorf("testdata/mutants.txt: no tab and reason in %q", line)
		}
	}
	for _, kind := range Kinds {
		cases := verdicts(t, kind)
		source, err := os.ReadFile(filepath.Join(checksDir, kind, "health.lua"))
		if err != nil {
			t.Fatal(err)
		}
		shared := 0
		if kind != "InferenceService" { // whose lines the other checks repeat
			shared = max(0, strings.Index(string(source), "-- End of the shared lines."))
		}
		if seenBy(t, string(source), cases) {
			t.Fatalf("%s: a case fails without a mutant", kind)
		}
		for name, mutated := range luaMutants(string(source)[shared:]) {
			seen := seenBy(t, string(source)[:shared]+mutated, cases)
			name = kind + ": " + name
			switch {
			case !seen && !reasons[name]:
				t.Errorf("no case sees %s", name)
			case seen && reasons[name]:
				t.Errorf("a case sees this now, so it leaves testdata/mutants.txt: %s", name)
			}
			delete(reasons, name)
		}
	}
	for name := range reasons {
		t.Errorf("testdata/mutants.txt has what is no mutant: %s", name)
	}
}

// seenBy reports whether a script is none, or a case sees that it says something else.
func seenBy(t *testing.T, script string, cases []verdictAt) bool {
	check, err := Compile("mutant", script, false)
	if err != nil {
		return true
	}
	m := newMachine(false)
	defer m.Close()
	return slices.ContainsFunc(cases, func(c verdictAt) bool {
		if At(c.object, "metadata", "deletionTimestamp") != nil {
			return false // no check is asked
		}
		m.SetContext(&stepCounter{Context: t.Context(), step: maxSteps - enough})
		got := check.run(m, c.object, c.now)
		return got.Status != c.Status || c.Message != "" && got.Message != c.Message
	})
}
