package compatibility

import (
	"bytes"
	"fmt"
	"maps"
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
	return SyncPage(path, update, func(before []byte) ([]byte, error) {
		_, rest, _ := strings.Cut(string(before), heading)
		all := map[string]string{}
		for section := range strings.SplitSeq(rest, heading) {
			if release, text, found := strings.Cut(section, "\n\n"); found {
				all[release] = text
			}
		}
		for release, text := range sections {
			if _, old, _ := strings.Cut(all[release], "\n\n"); update || old != text {
				all[release] = measuredWith + commit + ".\n\n" + text
			}
		}
		var page bytes.Buffer
		page.WriteString(introduction)
		for _, release := range slices.Sorted(maps.Keys(all)) {
			fmt.Fprintf(&page, "%s%s\n\n%s", heading, release, all[release])
		}
		return page.Bytes(), nil
	})
}
