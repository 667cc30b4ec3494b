package transform

import (
	_ "embed"
	"slices"
)

//go:embed unused.md
var unusedDoc string

// UnusedIgnore is the rule of comments and annotations that accept a finding which is not there. It is part of no
// catalogue: nothing selects it or switches it off.
var UnusedIgnore = &Rule{
	ID:       "KS001",
	Name:     "unused-ignore",
	Title:    "A comment or annotation accepts a finding that is not there",
	Doc:      unusedDoc,
	Severity: Warning,
}

// unused reports what accepts nothing. It says nothing about rules that did not run, about documents where one failed,
// and where nothing can be accepted.
func (e *engine) unused(documents []*document, failed failures) []Finding {
	if e.ForbidSuppressions {
		return nil
	}
	var found []Finding
	for _, d := range documents {
		if _, broken := failed[d]; broken {
			continue
		}
		for _, i := range d.ignores {
			if i.used || !slices.ContainsFunc(e.rules, func(r *Rule) bool { return r.ID == i.rule && e.judges(r) }) {
				continue
			}
			found = append(found, Finding{
				Rule: UnusedIgnore, Object: i.object, Severity: UnusedIgnore.Severity, Line: i.Line, Col: i.Col,
				Message: "this " + i.By + " accepts " + i.rule + ", which finds nothing here: remove it",
			})
		}
	}
	return found
}

// judges reports whether the rule has looked at everything that it can find.
func (e *engine) judges(r *Rule) bool { return r.Removed == nil || len(e.Previous) > 0 }
