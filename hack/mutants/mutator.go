package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// mutator writes sources with switches at their edges.
type mutator struct {
	dir      string
	releases []release         // that the rules know, the oldest first
	names    []string          // of the mutants, by their numbers
	replace  map[string]string // sources and their stand-ins
}

type release [3]int

func (r release) String() string { return fmt.Sprintf("%d.%d.%d", r[0], r[1], r[2]) }

// code returns the release as Go writes it.
func (r release) code() string { return fmt.Sprintf("transform.Release{%d, %d, %d}", r[0], r[1], r[2]) }

// releases returns the known releases: the variable of this name in a source.
func releases(name string) (list []release, err error) {
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
	if err != nil {
		return nil, err
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok && spec.Names[0].Name == "releases" && len(spec.Values) == 1 {
			for _, item := range spec.Values[0].(*ast.CompositeLit).Elts {
				if r, ok := numbers(item.(*ast.CompositeLit).Elts); ok {
					list = append(list, r)
				}
			}
		}
		return true
	})
	if len(list) == 0 {
		return nil, fmt.Errorf("%s has no releases", name)
	}
	return list, nil
}

// numbers returns the release of a list of literals, of which the patch release may be missing.
func numbers(list []ast.Expr) (r release, ok bool) {
	if len(list) < 2 || len(list) > len(r) {
		return r, false
	}
	for i, item := range list {
		digits, isLiteral := item.(*ast.BasicLit)
		if !isLiteral {
			return r, false
		}
		r[i], _ = strconv.Atoi(digits.Value)
	}
	return r, true
}

// moved returns the releases beside one: the known one before it, and the next patch release.
func (m *mutator) moved(r release) []release {
	moved := []release{{r[0], r[1], r[2] + 1}}
	i := slices.IndexFunc(m.releases, func(known release) bool { return slices.Compare(known[:], r[:]) >= 0 })
	if i < 0 {
		i = len(m.releases)
	}
	if i > 0 {
		moved = append(moved, m.releases[i-1])
	}
	return moved
}

// insertion is text that goes between the bytes of a source, or in place of some.
type insertion struct {
	at, end int
	text    string
}

// standIn is a source with switches.
type standIn struct {
	*mutator
	name       string // of the source
	source     []byte
	files      *token.FileSet
	file       *ast.File
	insertions []insertion
}

// comparisons are the functions of switches.
var comparisons = map[token.Token]string{token.LSS: "LSS", token.LEQ: "LEQ", token.GTR: "GTR", token.GEQ: "GEQ"}

// file writes the stand-in of a source.
func (m *mutator) file(name string) error {
	s := standIn{mutator: m, name: filepath.ToSlash(name), files: token.NewFileSet()}
	var err error
	if s.source, err = os.ReadFile(name); err != nil {
		return err
	}
	if s.file, err = parser.ParseFile(s.files, name, s.source, 0); err != nil {
		return err
	}
	ast.Inspect(s.file, func(n ast.Node) bool {
		s.visit(n)
		return true
	})
	if len(s.insertions) == 0 {
		return nil
	}
	isLibrary := func(i *ast.ImportSpec) bool { return i.Path.Value == strconv.Quote(library) }
	if !slices.ContainsFunc(s.file.Imports, isLibrary) {
		s.insert(s.file.Name.End(), "; import "+strconv.Quote(library))
	}
	return m.write(name, s.text())
}

// visit makes mutants of a node, if it is an edge.
func (s *standIn) visit(n ast.Node) {
	switch n := n.(type) {
	case *ast.KeyValueExpr:
		key, _ := n.Key.(*ast.Ident)
		value, _ := n.Value.(*ast.CompositeLit)
		if key != nil && value != nil && (key.Name == "From" || key.Name == "Before") {
			if r, ok := numbers(value.Elts); ok {
				s.bound(n, value, r, "%s")
			}
		}
	case *ast.CallExpr:
		called, _ := n.Fun.(*ast.Ident)
		if called == nil {
			break
		}
		if r, ok := numbers(n.Args); ok && called.Name == "since" {
			s.bound(n, n, r, "transform.Window{From: %s}")
		} else if ok && called.Name == "before" {
			s.bound(n, n, r, "transform.Window{Before: %s}")
		}
	case *ast.BinaryExpr:
		if compare := comparisons[n.Op]; compare != "" {
			s.insert(n.Pos(), fmt.Sprintf("transform.%s(%d, ", compare, s.number(n, "the edge")))
			at := s.offset(n.OpPos)
			s.insertions = append(s.insertions, insertion{at, at + len(n.Op.String()), ","})
			s.insert(n.End(), ")")
		}
	}
}

// bound puts the moved bounds beside the one that is there.
func (s *standIn) bound(n ast.Node, value ast.Expr, r release, form string) {
	moved := s.moved(r)
	for _, to := range moved {
		s.insert(value.Pos(), fmt.Sprintf("transform.Mutated(%d, ", s.number(n, to.String())))
	}
	for _, to := range slices.Backward(moved) {
		s.insert(value.End(), fmt.Sprintf(", "+form+")", to.code()))
	}
}

// number returns the number of a new mutant, whose name says in which declaration it is.
func (s *standIn) number(n ast.Node, what string) int {
	text := strings.Join(strings.Fields(string(s.source[s.offset(n.Pos()):s.offset(n.End())])), " ")
	edge := fmt.Sprintf("%s: %s: %s", s.name, declared(s.file, n), text)
	name := edge + ": " + what
	for i := 2; slices.Contains(s.names, name); i++ {
		name = fmt.Sprintf("%s (%d): %s", edge, i, what)
	}
	s.names = append(s.names, name)
	return len(s.names) - 1
}

func (s *standIn) offset(at token.Pos) int { return s.files.Position(at).Offset }

func (s *standIn) insert(at token.Pos, text string) {
	s.insertions = append(s.insertions, insertion{s.offset(at), s.offset(at), text})
}

// text returns the source with the insertions.
func (s *standIn) text() (out []byte) {
	slices.SortStableFunc(s.insertions, func(a, b insertion) int { return cmp.Compare(a.at, b.at) })
	at := 0
	for _, i := range s.insertions {
		out = append(append(out, s.source[at:i.at]...), i.text...)
		at = i.end
	}
	return append(out, s.source[at:]...)
}

// declared returns the name of the function or variable that a node is in.
func declared(file *ast.File, n ast.Node) (name string) {
	ast.Inspect(file, func(outer ast.Node) bool {
		if outer == nil || n.Pos() < outer.Pos() || outer.End() < n.End() {
			return false
		}
		switch outer := outer.(type) {
		case *ast.FuncDecl:
			name = outer.Name.Name
		case *ast.ValueSpec:
			name = outer.Names[0].Name
		}
		return true
	})
	return name
}

// library is the import path of package transform.
const library = "github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"

// write puts a file in the place of a source.
func (m *mutator) write(name string, data []byte) error {
	to := filepath.Join(m.dir, fmt.Sprintf("%d.go", len(m.replace)))
	m.replace[name] = to
	return os.WriteFile(to, data, 0o666)
}
