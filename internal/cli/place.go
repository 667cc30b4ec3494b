package cli

import (
	"bytes"
	"cmp"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/report"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/secret"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// places finds the source lines of findings. It reads each file once.
type places struct {
	env   *Env
	files map[string]*sourceFile
}

// sourceFile is a file as documents.
type sourceFile struct {
	documents []yamldoc.Document
	trees     []*yamldoc.Tree  // those of an origin; nil where a document cannot be read
	lines     map[int][][]byte // by the number of the document
}

func (env *Env) places() *places { return &places{env, map[string]*sourceFile{}} }

// of returns where a person finds what a finding is about. What a renderer made is looked for in the source file.
func (p *places) of(f transform.Finding) report.Place {
	file := f.Object.File
	if file.Renderer == "" {
		place := report.Place{Path: p.env.shown(file.Path), Line: f.Line, Col: f.Col}
		p.load(file.Path, file.Data).describe(&place)
		return place
	}
	origin := file.Origin()
	place := report.Place{Path: p.env.shown(cmp.Or(origin, file.Path))}
	if origin == "" {
		return place
	}
	data, err := os.ReadFile(p.env.absolute(origin))
	if err != nil {
		return place
	}
	source := p.load(origin, data)
	place.Line, place.Col = source.position(f)
	source.describe(&place)
	return place
}

// load splits a file into documents.
func (p *places) load(path string, data []byte) *sourceFile {
	if p.files[path] == nil {
		documents, _ := yamldoc.Split(data)
		p.files[path] = &sourceFile{documents: documents, lines: map[int][][]byte{}}
	}
	return p.files[path]
}

// position returns where the path of a finding leads in the source of a rendered object, as far as it exists there; 0 if
// the object is not found.
func (s *sourceFile) position(f transform.Finding) (line, col int) {
	if s.trees == nil {
		for _, d := range s.documents {
			tree, _ := yamldoc.Parse(d.Body)
			s.trees = append(s.trees, tree)
		}
	}
	i, node := find(s.trees, f.Object)
	if node == nil {
		return 0, 0
	}
	at := node.Start
	for _, step := range f.At {
		key, value := node.Entry(step)
		if value == nil {
			break
		}
		node, at = value, value.Start
		if key != nil {
			at = key.Start
		}
	}
	line, col = s.trees[i].Position(at)
	return s.documents[i].Line + line - 1, col
}

// describe adds the line to a place. The data of Secrets is not shown.
func (s *sourceFile) describe(place *report.Place) {
	after := sort.Search(len(s.documents), func(i int) bool { return s.documents[i].Line > place.Line })
	if after == 0 || place.Line == 0 {
		return
	}
	d := s.documents[after-1]
	if s.lines[after-1] == nil {
		s.lines[after-1] = bytes.Split(secret.Redact(d.Body), []byte("\n"))
	}
	if n := place.Line - d.Line; n < len(s.lines[after-1]) {
		place.Text = strings.TrimRight(string(s.lines[after-1][n]), " \r")
		place.EndCol = place.Col + token(place.Text, place.Col)
	}
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

// shown returns a path relative to the working directory, with slashes.
func (env *Env) shown(path string) string {
	rel, err := filepath.Rel(env.Dir, env.absolute(path))
	if err != nil {
		rel = filepath.Base(path)
	}
	return filepath.ToSlash(rel)
}
