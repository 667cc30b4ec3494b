package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/lazyregexp"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/terminal"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// ByBaseline is the Acceptance.By of a finding that a baseline accepts.
const ByBaseline = "baseline"

// Baseline lists the findings that a repository starts with. The text form has a finding on each line, so that a review
// shows which findings come and go, and so that Git merges it.
type Baseline struct {
	sources []string       // the paths of what the findings were in
	counts  map[string]int // by the identity of the finding, as text
	first   []firstEntry   // of the first form, in place of the counts
}

const (
	baselineComment = "# What check --baseline accepts: rule, object and path of a finding, one a line. To write it anew: " +
		"check -o baseline=FILE"
	baselineHead   = "baseline 2"
	baselineSource = "source "
)

// entry returns the line of a baseline that accepts a finding.
func entry(f transform.Finding) string { return terminal.Quote(f.Identity().String()) }

// fingerprint identifies a finding in any two runs.
func fingerprint(f transform.Finding) string {
	id := f.Identity()
	hash := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %q", id.Rule, id.Object, id.Path, id.Category))
	return fmt.Sprintf("%x", hash[:8])
}

// WriteBaseline writes a baseline that accepts the findings, and those that a baseline has accepted already.
func WriteBaseline(w io.Writer, r Report) error {
	counts := map[string]int{}
	for _, f := range slices.Concat(r.Findings, r.Accepted) {
		if f.Accepted == nil || f.Accepted.By == ByBaseline {
			counts[entry(f)]++
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n", baselineComment, baselineHead)
	for _, source := range r.Sources {
		fmt.Fprintf(&b, "%s%s\n", baselineSource, terminal.Quote(source))
	}
	for _, line := range slices.Sorted(maps.Keys(counts)) {
		if n := counts[line]; n > 1 {
			line += fmt.Sprintf("; %d times", n)
		}
		fmt.Fprintln(&b, line)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

var severalTimes = lazyregexp.New(`^(.*); ([1-9]\d*) times$`)

// ReadBaseline reads what WriteBaseline wrote, and the first form of a baseline, which was JSON.
func ReadBaseline(data []byte) (*Baseline, error) {
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) {
		return readFirst(data)
	}
	b := &Baseline{counts: map[string]int{}}
	isBaseline := false
	for line := range strings.Lines(string(data)) {
		line = strings.TrimRight(line, "\r\n")
		source, isSource := strings.CutPrefix(line, baselineSource)
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case line == baselineHead:
			isBaseline = true
		case !isBaseline:
			// What the line says may be a secret: the file may be a link in the repository of a stranger.
			return nil, fmt.Errorf("not a baseline: its first line is not %q; write one with -o baseline=FILE", baselineHead)
		case isSource:
			b.sources = append(b.sources, source)
		default:
			n := 1
			if m := severalTimes().FindStringSubmatch(line); m != nil {
				line = m[1]
				n, _ = strconv.Atoi(m[2])
			}
			b.counts[line] += n
		}
	}
	if !isBaseline {
		return nil, errors.New("not a baseline: it is empty; write one with -o baseline=FILE")
	}
	return b, nil
}

// firstEntry is a finding in the first form. It had a hash of the message too, which no longer counts.
type firstEntry struct{ Rule, Object, Path, Message string }

func readFirst(data []byte) (*Baseline, error) {
	var form struct {
		Version  int
		Sources  []string
		Findings []struct {
			firstEntry
			Count int
		}
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(&form)
	switch {
	case err != nil:
		return nil, fmt.Errorf("not a baseline: %w; write one with -o baseline=FILE", err)
	case form.Version != 1:
		return nil, fmt.Errorf("a baseline of version %d in JSON; this program reads version 1, and text of version 2",
			form.Version)
	case decoder.Decode(&struct{}{}) != io.EOF:
		return nil, errors.New("not a baseline: something follows it")
	}
	b := &Baseline{sources: form.Sources}
	for _, f := range form.Findings {
		b.first = append(b.first, slices.Repeat([]firstEntry{f.firstEntry}, max(f.Count, 1))...)
	}
	return b, nil
}

// IsFirst reports whether the baseline has the first form. It is read so that a new release of this program does not
// turn a repository red, and should be written anew: it tells findings apart less well.
func (b *Baseline) IsFirst() bool { return b.counts == nil }

// Accept tells the findings in the sources that the baseline accepts from the others. It returns the lines that accept
// less than they could, but none if a source of the baseline is missing, because they may be about that one, or if it
// has the first form.
func (b *Baseline) Accept(
	findings []transform.Finding, sources []string,
) (open, accepted []transform.Finding, unused []string) {
	counts, first := maps.Clone(b.counts), slices.Clone(b.first)
	accepts := func(f transform.Finding) bool {
		if line := entry(f); counts[line] > 0 {
			counts[line]--
			return true
		}
		of := func(e firstEntry) bool { return e.Rule == f.Rule.ID && e.Object == f.Object.String() }
		if f.Rule.Together { // it had an entry for each place
			return slices.ContainsFunc(first, of)
		}
		i := slices.IndexFunc(first, func(e firstEntry) bool { return of(e) && e.Path == f.At.String() })
		if i >= 0 {
			first = slices.Delete(first, i, i+1)
		}
		return i >= 0
	}
	for _, f := range findings {
		if !accepts(f) {
			open = append(open, f)
			continue
		}
		f.Accepted = &transform.Acceptance{By: ByBaseline, Reason: "it was there when the baseline was written"}
		accepted = append(accepted, f)
	}
	missing := func(source string) bool { return !slices.Contains(sources, source) }
	if slices.ContainsFunc(b.sources, missing) {
		return open, accepted, nil
	}
	for _, line := range slices.Sorted(maps.Keys(counts)) {
		if counts[line] > 0 {
			unused = append(unused, line)
		}
	}
	return open, accepted, unused
}
