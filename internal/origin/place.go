// Package origin finds where people repair what a finding is about: a line of a file, also of what a renderer made of
// it, or a patch of an overlay.
package origin

import (
	"bytes"
	"cmp"
	"os"
	"sort"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/paths"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/report"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/secret"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// Places finds the source lines of findings. It reads each file once.
type Places struct {
	dir      paths.Dir
	files    map[string]*sourceFile
	objects  map[string]map[string][]named // of the sources of rendered objects, by the file
	disputed map[spot]bool                 // where overlays want different things
}

// sourceFile is a file as documents.
type sourceFile struct {
	documents []yamldoc.Document
	lines     map[int][][]byte // by the number of the document
}

// Of returns the places of the findings, which are all those of a run.
func Of(dir paths.Dir, findings []transform.Finding) *Places {
	p := &Places{dir: dir, files: map[string]*sourceFile{}, objects: map[string]map[string][]named{}}
	p.disputed = p.findDisputed(findings)
	return p
}

// Find returns where a person finds what a finding is about. A live object is its own place. Of what a renderer made,
// that is a line of its source, or the overlay if another one wants something else there, or if it adds what the finding
// is about.
func (p *Places) Find(f transform.Finding) report.Place {
	file := f.Object.File
	if f.Object.IsLive() {
		place := report.Place{Path: f.Object.String(), Col: f.Col, Text: p.load(file.Path, file.Data).line(f.Line)}
		place.EndCol = place.Col + token(place.Text, place.Col)
		return place
	}
	if file.Renderer == "" {
		place := report.Place{Path: p.dir.Shown(file.Path), Line: f.Line, Col: f.Col}
		place.Text = p.load(file.Path, file.Data).line(f.Line)
		place.EndCol = place.Col + token(place.Text, place.Col)
		return place
	}
	source := f.Source()
	if p.disputed[spotOf(f, source)] || len(f.Edits) == 0 && p.added(f) {
		return report.Place{Path: p.dir.Shown(file.Path), Overlay: true, Repair: p.Advice(f)}
	}
	place := report.Place{Path: p.dir.Shown(cmp.Or(source.Path, file.Path)), Line: source.Line}
	if repair := p.Advice(f); repair != "edit "+source.String() && repair != unknownSource {
		place.Repair = repair
	}
	if source.Line == 0 {
		return place
	}
	if data, err := os.ReadFile(p.dir.Absolute(source.Path)); err == nil {
		place.Text = p.load(source.Path, data).line(source.Line)
	}
	place.Col = 1 + len(place.Text) - len(strings.TrimLeft(place.Text, " -"))
	place.EndCol = place.Col + token(place.Text, place.Col)
	return place
}

// Distinct returns findings in a new slice, in which one stands for those that several sources have alike, as those of
// Applications with one source or of overlays with one base: at the same place, with the same text, but for the names
// that each makes, and the same repair. Its Same are the objects of the others.
func (p *Places) Distinct(findings []transform.Finding) []transform.Finding {
	type like struct {
		place                           report.Place
		rule, at, object, text, changes string
	}
	index := map[like]int{}
	var all []transform.Finding
	for _, f := range findings {
		if f.Object.IsLive() {
			all = append(all, f)
			continue
		}
		is := like{
			report.Place{Path: f.Object.File.Path, Line: f.Line, Col: f.Col}, f.Rule.ID, f.At.String(),
			f.Object.Kind + " " + f.Object.SourceName(), string(f.Severity) + unaffixed(f.Object, f.Text()), changes(f),
		}
		if f.Object.File.Renderer != "" {
			is.place = p.Find(f)
		}
		i, found := index[is]
		if !found {
			index[is] = len(all)
			all = append(all, f)
			continue
		}
		all[i].Same = append(all[i].Same, f.Object)
	}
	return all
}

// load splits a file into documents.
func (p *Places) load(path string, data []byte) *sourceFile {
	if p.files[path] == nil {
		documents, _ := yamldoc.Split(data)
		p.files[path] = &sourceFile{documents: documents, lines: map[int][][]byte{}}
	}
	return p.files[path]
}

// line returns a line, and "" if the file does not have it. The data of Secrets is not shown.
func (s *sourceFile) line(number int) string {
	i := sort.Search(len(s.documents), func(i int) bool { return s.documents[i].Line > number }) - 1
	if i < 0 {
		return ""
	}
	if s.lines[i] == nil {
		s.lines[i] = bytes.Split(secret.Redact(s.documents[i].Body), []byte("\n"))
	}
	n := number - s.documents[i].Line
	if n >= len(s.lines[i]) {
		return ""
	}
	return strings.TrimRight(string(s.lines[i][n]), " \r")
}

// token returns the number of characters of the key or value that starts at a column.
func token(line string, col int) int {
	runes := []rune(line)
	rest := string(runes[min(col-1, len(runes)):])
	rest, _, _ = strings.Cut(rest, " #")
	key, _, found := strings.Cut(rest, ": ")
	if !found {
		key = strings.TrimSuffix(rest, ":")
	}
	return len([]rune(strings.TrimRight(key, " ,")))
}
