// Package unified makes unified diffs whose hunks name the right lines.
package unified

import "github.com/aymanbagabas/go-udiff"

// contextLines is how many unchanged lines stand around a change, as with diff and git.
const contextLines = 3

// Diff returns the unified diff between a text and what the edits make of it. The error is about edits that overlap or
// lie outside of the text.
//
// It corrects the first line that a hunk has in the new text: go-udiff v0.4.1 does not count the unchanged lines
// between two changes of one hunk, so all hunks after it are off.
func Diff(from, to, before string, edits []udiff.Edit) (udiff.UnifiedDiff, error) {
	diff, err := udiff.ToUnifiedDiff(from, to, before, edits, contextLines)
	added := 0
	for _, hunk := range diff.Hunks {
		hunk.ToLine = hunk.FromLine + added
		for _, line := range hunk.Lines {
			switch line.Kind {
			case udiff.Insert:
				added++
			case udiff.Delete:
				added--
			}
		}
	}
	return diff, err
}
