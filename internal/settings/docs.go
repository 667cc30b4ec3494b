package settings

import (
	"fmt"
	"strings"
)

// Markdown returns the table of all settings for the documentation.
func Markdown() string {
	var b strings.Builder
	b.WriteString("| setting | accepts | default | description |\n|---|---|---|---|\n")
	for _, row := range Table {
		unset := row.Unset
		if row.Default != "" {
			unset = "`" + row.Default + "`"
		}
		accepts := row.Accepts
		if accepts == "" {
			accepts = "`" + strings.Join(row.Values, "`, `") + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", row.Name, accepts, unset, row.Help)
	}
	return b.String()
}
