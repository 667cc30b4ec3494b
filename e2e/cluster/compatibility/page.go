package compatibility

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// SyncPage compares the page in the file with what a function makes of it, or brings it up to date.
func SyncPage(path string, update bool, makePage func(before []byte) ([]byte, error)) error {
	before, err := os.ReadFile(path)
	if err != nil && !(update && errors.Is(err, fs.ErrNotExist)) {
		return err
	}
	page, err := makePage(before)
	if err != nil || bytes.Equal(page, before) {
		return err
	}
	if update {
		return os.WriteFile(path, page, 0o644)
	}
	return fmt.Errorf("%s: %w:\n%s", path, ErrStale, difference(before, page))
}
