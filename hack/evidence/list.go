package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"
)

const page = "docs/evidence/README.md"

const introduction = `# How old the evidence is

<!-- Written by make evidence, which make stale compares with the pages. -->

CI runs each test that [contract.md](contract.md) and [security.md](security.md) name, and compares
[health.md](health.md), but for its section Measured, and the rules' pages with what the program makes. It measures
[compatibility.md](compatibility.md) again for KServe %[2]s, except the table Scaling and the slow ones of
the table Drift. Everything else below was measured by hand, with the commit that is named, and nothing compares it.

An age is the number of commits of the product since then: those that change what people run. CI fails if a row about
KServe %[2]s is older than %[1]d, and if a page has no row. Of restarts.md, the rules that have changed since
are named: what the page says about them may be wrong. Of a row whose cells come from several commits, the oldest
counts.

`

func head(releases []string) string {
	return fmt.Sprintf(introduction, bound, strings.Join(releases, " and "))
}

// cells are those of a row that the pages give. The others depend on the history.
func (m measured) cells() string {
	return fmt.Sprintf("| [%s](%[1]s) | %s | %s |", m.page, m.release, m.commit)
}

func write(releases []string, all []measured) error {
	now, err := git("rev-parse", "--short=8", "HEAD")
	if err != nil {
		return err
	}
	var b bytes.Buffer
	b.WriteString(head(releases))
	fmt.Fprintf(&b, "| page | KServe | commit | age at %s | changed since |\n", strings.TrimSpace(now))
	b.WriteString("|---|---|---|---|---|\n")
	for _, m := range all {
		changed := strings.Join(m.changed, " ")
		if n := len(m.changed); n > 10 {
			changed = fmt.Sprintf("%d rules", n)
		}
		fmt.Fprintf(&b, "%s %s | %s |\n", m.cells(), m.age(), changed)
	}
	return os.WriteFile(page, b.Bytes(), 0o666)
}

// age is the cell with the age.
func (m measured) age() string {
	age := fmt.Sprint(m.ago)
	switch {
	case m.inCI:
		age = "measured by CI"
	case m.ago == unknown:
		age = "not in the history, **stale**"
	case m.ago > bound:
		age += ", **stale**"
	}
	if len(m.changed) > 0 {
		age += ", **stale** where a rule has changed"
	}
	return age
}

// compare returns an error if the list says something else above its table than write does, or has rows of something
// else than what was measured.
func compare(list string, releases []string, all []measured) error {
	table, found := strings.CutPrefix(list, head(releases))
	if !found {
		return fmt.Errorf("%s has another text above its table; make evidence writes it", page)
	}
	var rows []string
	for line := range strings.Lines(table) {
		if strings.HasPrefix(line, "| [") {
			rows = append(rows, line)
		}
	}
	for i := range max(len(rows), len(all)) {
		switch {
		case i >= len(all):
			return fmt.Errorf("%s has %q, and no page says so; make evidence takes it out", page, rows[i])
		case i >= len(rows) || !strings.HasPrefix(rows[i], all[i].cells()):
			return fmt.Errorf("%s lacks %q; make evidence writes it", page, all[i].cells())
		}
	}
	return nil
}
