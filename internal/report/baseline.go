package report

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/encoding"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// ByBaseline is the Acceptance.By of a finding that a baseline accepts.
const ByBaseline = "baseline"

// Baseline lists the findings that a repository starts with.
type Baseline struct {
	Version  int             `json:"version"`
	Sources  []string        `json:"sources,omitempty"` // the paths of what the findings were in
	Findings []BaselineEntry `json:"findings"`
}

// BaselineEntry is a finding without its file and line, so that the object may move.
type BaselineEntry struct {
	Rule    string `json:"rule"`
	Object  string `json:"object"`
	Path    string `json:"path"`
	Message string `json:"message"`         // a hash
	Count   int    `json:"count,omitempty"` // of such findings, if there are several
}

// String names the entry in messages.
func (e BaselineEntry) String() string { return fmt.Sprintf("%s: %s: %s", e.Object, e.Rule, e.Path) }

// entryOf returns the entry that accepts a finding, without a count.
func entryOf(f transform.Finding) BaselineEntry {
	hash := sha256.Sum256([]byte(f.Message))
	return BaselineEntry{
		Rule: f.Rule.ID, Object: f.Object.String(), Path: f.At.String(), Message: fmt.Sprintf("%x", hash[:6]),
	}
}

// fingerprint identifies a finding across changes of the file that do not concern it.
func fingerprint(f transform.Finding) string {
	e := entryOf(f)
	hash := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %q", e.Rule, e.Object, e.Path, e.Message))
	return fmt.Sprintf("%x", hash[:8])
}

// WriteBaseline writes a baseline that accepts the findings, and those that a baseline has accepted already.
func WriteBaseline(w io.Writer, r Report) error {
	counts := map[BaselineEntry]int{}
	for _, f := range slices.Concat(r.Findings, r.Accepted) {
		if f.Accepted == nil || f.Accepted.By == ByBaseline {
			counts[entryOf(f)]++
		}
	}
	baseline := Baseline{Version: 1, Sources: r.Sources, Findings: []BaselineEntry{}}
	for entry, n := range counts {
		if n > 1 {
			entry.Count = n
		}
		baseline.Findings = append(baseline.Findings, entry)
	}
	slices.SortFunc(baseline.Findings, func(a, b BaselineEntry) int {
		return cmp.Or(cmp.Compare(a.Object, b.Object), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Path, b.Path),
			cmp.Compare(a.Message, b.Message))
	})
	return encoding.JSON(w, baseline)
}

// ReadBaseline reads what WriteBaseline wrote.
func ReadBaseline(data []byte) (*Baseline, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	var b Baseline
	err := decoder.Decode(&b)
	switch {
	case err != nil:
		return nil, fmt.Errorf("not a baseline: %w; write one with -o baseline=FILE", err)
	case b.Version != 1:
		return nil, fmt.Errorf("a baseline of version %d; this program reads version 1", b.Version)
	case decoder.Decode(&struct{}{}) != io.EOF:
		return nil, errors.New("not a baseline: something follows it")
	}
	return &b, nil
}

// Accept tells the findings in the sources that the baseline accepts from the others. It returns the entries that
// accept less than they could, but none if a source of the baseline is missing: they may be about that one.
func (b *Baseline) Accept(
	findings []transform.Finding, sources []string,
) (open, accepted []transform.Finding, unused []BaselineEntry) {
	left := map[BaselineEntry]int{}
	for _, e := range b.Findings {
		n := max(e.Count, 1)
		e.Count = 0
		left[e] += n
	}
	for _, f := range findings {
		entry := entryOf(f)
		if left[entry] == 0 {
			open = append(open, f)
			continue
		}
		left[entry]--
		f.Accepted = &transform.Acceptance{By: ByBaseline, Reason: "it was there when the baseline was written"}
		accepted = append(accepted, f)
	}
	missing := func(source string) bool { return !slices.Contains(sources, source) }
	if slices.ContainsFunc(b.Sources, missing) {
		return open, accepted, nil
	}
	for _, e := range b.Findings {
		e.Count = 0
		if left[e] > 0 {
			left[e] = 0
			unused = append(unused, e)
		}
	}
	return open, accepted, unused
}
