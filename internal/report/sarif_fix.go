package report

import (
	"bytes"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/secret"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

type (
	sarifFix struct { // 3.55
		Description sarifMessage  `json:"description"`
		Changes     []sarifChange `json:"artifactChanges"`
	}
	sarifChange struct { // 3.56
		Artifact     sarifArtifact      `json:"artifactLocation"`
		Replacements []sarifReplacement `json:"replacements"`
	}
	sarifReplacement struct { // 3.57
		Deleted  sarifRegion   `json:"deletedRegion"`
		Inserted *sarifContent `json:"insertedContent,omitempty"`
	}
	sarifContent struct { // 3.3
		Text string `json:"text"`
	}
)

// maxPatched is the number of bytes of documents that are repaired for the fixes of a log. Each finding repairs its
// document once more, which takes too long for thousands of findings in a large List.
const maxPatched = 8 << 20

// sarifFixes returns the repair of a finding as replacements in files, and takes the bytes of its documents off the
// budget. There is none for what a renderer made, for documents with Secrets, whose values must not be shown, and once
// the budget is used up.
func (r Report) sarifFixes(f transform.Finding, budget *int) []sarifFix {
	if *budget <= 0 {
		return nil
	}
	patches, err := f.Patches()
	if err != nil || len(patches) == 0 {
		return nil
	}
	var changes []sarifChange
	for _, p := range patches {
		*budget -= len(p.Before)
		if p.File.Renderer != "" || !bytes.Equal(secret.Redact(p.Before), p.Before) {
			return nil
		}
		change := sarifChange{Artifact: sarifArtifact{uri(r.Path(p.File.Path))}}
		for _, e := range udiff.Lines(string(p.Before), string(p.After)) {
			replacement := sarifReplacement{Deleted: region(p, e.Start, e.End)}
			if e.New != "" {
				replacement.Inserted = &sarifContent{e.New}
			}
			change.Replacements = append(change.Replacements, replacement)
		}
		changes = append(changes, change)
	}
	return []sarifFix{{Description: sarifMessage{Text: Done(f.Edits)}, Changes: changes}}
}

// region returns the place of bytes of a patch in its file.
func region(p transform.Patch, start, end int) sarifRegion {
	position := func(offset int) (line, col int) {
		before := p.Before[:offset]
		last := before[bytes.LastIndexByte(before, '\n')+1:]
		return p.Line + bytes.Count(before, []byte("\n")), utf8.RuneCount(last) + 1
	}
	var r sarifRegion
	r.StartLine, r.StartColumn = position(start)
	r.EndLine, r.EndColumn = position(end)
	return r
}
