package healthconfig

import (
	"fmt"
	"io"
	"strings"
)

// luaOf returns the function that writes the health check of a kind.
func luaOf(kind string) func(io.Writer, Configuration) error {
	return func(w io.Writer, c Configuration) error {
		var kinds []string
		for _, o := range c.of("health") {
			if o.Kind == kind {
				_, err := io.WriteString(w, o.Value)
				return err
			}
			kinds = append(kinds, o.Kind)
		}
		return fmt.Errorf("there is no health check for the kind %q in this KServe; the kinds are %s",
			kind, strings.Join(kinds, ", "))
	}
}
