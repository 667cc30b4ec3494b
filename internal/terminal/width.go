package terminal

import (
	"io"
	"os"

	"golang.org/x/term"
)

// Width returns the number of columns of the terminal w, or a default for what is no terminal or does not say.
func Width(w io.Writer, otherwise int) int {
	if f, ok := w.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			return width
		}
	}
	return otherwise
}
