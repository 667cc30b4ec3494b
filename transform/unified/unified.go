// Package unified makes unified diffs whose hunks name the right lines.
package unified

import (
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// contextLines is how many unchanged lines stand around a change, as with diff and git.
const contextLines = 3

// Diff returns the unified diff between a text and what the edits make of it. The error is about edits that overlap or
// lie outside of the text.
//
// It gives go-udiff v0.4.1 the edits far from others one by one: for each edit, go-udiff counts the lines of the text
// before it. And it corrects the first line that a hunk has in the new text: go-udiff does not count the unchanged
// lines between two changes of one hunk, so all hunks after it are off.
func Diff(from, to, before string, edits []udiff.Edit) (udiff.UnifiedDiff, error) {
	diff := udiff.UnifiedDiff{From: from, To: to}
	edits = slices.Clone(edits)
	udiff.SortEdits(edits)
	counted, lines, added := 0, 0, 0
	for len(edits) > 0 {
		start, end, n := cluster(before, edits)
		near := edits[:n]
		edits = edits[n:]
		for i := range near {
			near[i].Start -= start
			near[i].End -= start
		}
		part, err := udiff.ToUnifiedDiff(from, to, before[start:end], near, contextLines)
		if err != nil {
			return diff, err
		}
		lines += strings.Count(before[counted:start], "\n")
		counted = start
		for _, hunk := range part.Hunks {
			hunk.FromLine += lines
			hunk.ToLine = hunk.FromLine + added
			added += growth(hunk)
		}
		diff.Hunks = append(diff.Hunks, part.Hunks...)
	}
	return diff, nil
}

// cluster returns the number of edits that may share hunks with the first one, and the lines that their hunks are made
// of.
func cluster(text string, edits []udiff.Edit) (start, end, n int) {
	start = min(max(0, edits[0].Start), len(text))
	for range contextLines + 1 {
		start = strings.LastIndexByte(text[:max(0, start-1)], '\n') + 1
	}
	for n < len(edits) && (n == 0 || edits[n].Start <= end) {
		end = min(max(end, edits[n].End, start), len(text))
		for range 2*contextLines + 1 {
			line := strings.IndexByte(text[end:], '\n')
			if line < 0 {
				end = len(text)
				break
			}
			end += line + 1
		}
		n++
	}
	return start, end, n
}

// growth returns by how many lines the hunk makes the text longer.
func growth(hunk *udiff.Hunk) (lines int) {
	for _, line := range hunk.Lines {
		switch line.Kind {
		case udiff.Insert:
			lines++
		case udiff.Delete:
			lines--
		}
	}
	return lines
}
