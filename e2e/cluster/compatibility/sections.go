package compatibility

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
)

// heading starts the section of a page about a release of KServe.
const heading = "\n## KServe "

// measuredWith starts the line of a section that names the commit. It does not count as a difference.
const measuredWith = "Measured with commit "

// SyncSections compares a page, which has a section for each release of KServe, with what the run has measured, or
// brings it up to date. What the run left out stays.
func SyncSections(path, introduction, commit string, sections map[string]string, update bool) error {
	if update && commit == "" {
		return errNoCommit
	}
	before, err := os.ReadFile(path)
	if err != nil && !(update && errors.Is(err, fs.ErrNotExist)) {
		return err
	}
	_, rest, _ := strings.Cut(string(before), heading)
	all := map[string]string{}
	for section := range strings.SplitSeq(rest, heading) {
		if release, text, found := strings.Cut(section, "\n\n"); found {
			all[release] = text
		}
	}
	for release, text := range sections {
		all[release] = measuredWith + commit + ".\n\n" + text
	}
	var page bytes.Buffer
	page.WriteString(introduction)
	for _, release := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(&page, "%s%s\n\n%s", heading, release, all[release])
	}
	if update {
		return os.WriteFile(path, page.Bytes(), 0o644)
	}
	if bytes.Equal(withoutCommit(page.Bytes()), withoutCommit(before)) {
		return nil
	}
	return fmt.Errorf("%s: %w:\n%s", path, ErrStale, difference(before, page.Bytes()))
}

func withoutCommit(page []byte) []byte {
	var kept []byte
	for line := range bytes.Lines(page) {
		if !bytes.HasPrefix(line, []byte(measuredWith)) {
			kept = append(kept, line...)
		}
	}
	return kept
}
