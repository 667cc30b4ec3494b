package transform

import _ "embed"

//go:embed notrepaired.md
var notRepairedDoc string

// NotRepaired is the rule of what [Run] itself finds: a document that it left as it came, because the repair could not
// be proved. It is part of no catalogue: nothing selects it or switches it off.
var NotRepaired = &Rule{
	ID:       "KS000",
	Name:     "not-repaired",
	Title:    "A document is left as it came, because its repair could not be proved",
	Doc:      notRepairedDoc,
	Severity: Error,
}
