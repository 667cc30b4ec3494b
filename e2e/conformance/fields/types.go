package fields

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// goTypes finds Go types in source code. It needs no compiler, only the packages that the types are in.
type goTypes struct {
	modules
	packages map[string]*goPackage // by import path
}

type goPackage struct {
	path      string
	types     map[string]goType
	marshaler map[string]bool // the types with a MarshalJSON of their own
}

// goType is an expression for a type, and where it is written.
type goType struct {
	expr    ast.Expr
	pkg     *goPackage
	imports map[string]string // import paths by the name that the file uses
}

func (t goType) of(expr ast.Expr) goType { return goType{expr, t.pkg, t.imports} }

// load reads the types of a package.
func (g *goTypes) load(importPath string) (*goPackage, error) {
	if p, known := g.packages[importPath]; known {
		return p, nil
	}
	dir, err := g.dir(importPath)
	if err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("no Go files in %s: %w", dir, err)
	}
	p := &goPackage{importPath, map[string]goType{}, map[string]bool{}}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		p.add(file)
	}
	g.packages[importPath] = p
	return p, nil
}

func (p *goPackage) add(file *ast.File) {
	imports := map[string]string{}
	for _, spec := range file.Imports {
		importPath, _ := strconv.Unquote(spec.Path.Value)
		name := path.Base(importPath)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		imports[name] = importPath
	}
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				if s, ok := spec.(*ast.TypeSpec); ok {
					p.types[s.Name.Name] = goType{s.Type, p, imports}
				}
			}
		case *ast.FuncDecl:
			if d.Recv == nil || d.Name.Name != "MarshalJSON" {
				continue
			}
			receiver := d.Recv.List[0].Type
			if star, ok := receiver.(*ast.StarExpr); ok {
				receiver = star.X
			}
			if name, ok := receiver.(*ast.Ident); ok {
				p.marshaler[name.Name] = true
			}
		}
	}
}

// known are types by what their encoding writes.
var known = map[string]string{
	"k8s.io/apimachinery/pkg/api/resource.Quantity":                    quantity,
	"k8s.io/apimachinery/pkg/util/intstr.IntOrString":                  intOrString,
	"github.com/kserve/kserve/pkg/apis/serving/v1beta1.MetricQuantity": metricQuantity,
	"knative.dev/pkg/apis.URL":                                         opaque,
	"time.Duration":                                                    number,
}

// builtins are Go's own types.
var builtins = map[string]string{
	"string": text, "bool": boolean, "int": number, "int8": number, "int16": number, "int32": number, "int64": number,
	"uint8": number, "uint16": number, "uint32": number, "uint64": number, "float32": number, "float64": number,
}

// shape is what a type's encoding looks like.
type shape struct {
	scalar  string // one of the notations of a scalar, or opaque
	pointer bool
	element *goType // of a list or a mapping
	mapping bool
	fields  map[string]goField // of an object
}

type goField struct {
	goType
	omitempty bool
}

// droppable reports whether the encoding leaves out an empty value of a field that has omitempty. It always writes a
// struct, which all types with an encoding of their own are, and a pointer that is not nil.
func (s shape) droppable() bool {
	return !s.pointer && (s.element != nil || slices.Contains([]string{text, number, boolean}, s.scalar))
}

// shape follows names and pointers to what a type is.
func (g *goTypes) shape(t goType) (shape, error) {
	switch e := t.expr.(type) {
	case *ast.StarExpr:
		s, err := g.shape(t.of(e.X))
		s.pointer = true
		return s, err
	case *ast.ArrayType:
		element := t.of(e.Elt)
		return shape{element: &element}, nil
	case *ast.MapType:
		element := t.of(e.Value)
		return shape{element: &element, mapping: true}, nil
	case *ast.InterfaceType:
		return shape{scalar: opaque}, nil
	case *ast.StructType:
		fields, err := g.fields(t)
		return shape{fields: fields}, err
	case *ast.Ident:
		if scalar, ok := builtins[e.Name]; ok {
			return shape{scalar: scalar}, nil
		}
		return g.named(t.pkg, e.Name)
	case *ast.SelectorExpr:
		importPath := t.imports[e.X.(*ast.Ident).Name]
		if scalar, ok := known[importPath+"."+e.Sel.Name]; ok {
			return shape{scalar: scalar}, nil
		}
		p, err := g.load(importPath)
		if err != nil {
			return shape{}, err
		}
		return g.named(p, e.Sel.Name)
	}
	return shape{}, fmt.Errorf("%s: a type that is not understood: %T", t.pkg.path, t.expr)
}

func (g *goTypes) named(p *goPackage, name string) (shape, error) {
	if scalar, ok := known[p.path+"."+name]; ok {
		return shape{scalar: scalar}, nil
	}
	t, found := p.types[name]
	if !found {
		return shape{}, fmt.Errorf("%s has no type %s", p.path, name)
	}
	if !p.marshaler[name] {
		return g.shape(t)
	}
	if _, isStruct := t.expr.(*ast.StructType); !isStruct {
		return shape{}, fmt.Errorf("%s.%s: only structs may encode themselves", p.path, name)
	}
	return shape{scalar: opaque}, nil
}

// fields are those of a struct, by their names in JSON. Of two with one name, the less deeply embedded one counts, and
// of two that are equally deep none, as encoding/json has it.
func (g *goTypes) fields(t goType) (map[string]goField, error) {
	all, taken := map[string]goField{}, map[string]bool{}
	for level := []goType{t}; len(level) > 0; {
		var embedded []goType
		count, here := map[string]int{}, map[string]goField{}
		for _, t := range level {
			for _, f := range t.expr.(*ast.StructType).Fields.List {
				name, options := jsonTag(f)
				if name == "" && (len(f.Names) == 0 || slices.Contains(options, "inline")) {
					inner, err := g.structOf(t.of(f.Type))
					if err != nil {
						return nil, err
					}
					embedded = append(embedded, inner)
					continue
				}
				if name == "-" || name == "" {
					continue
				}
				count[name]++
				here[name] = goField{t.of(f.Type), slices.Contains(options, "omitempty")}
			}
		}
		for name, f := range here {
			if !taken[name] && count[name] == 1 {
				all[name] = f
			}
			taken[name] = true
		}
		level = embedded
	}
	return all, nil
}

// structOf returns the struct that a field embeds.
func (g *goTypes) structOf(t goType) (goType, error) {
	switch e := t.expr.(type) {
	case *ast.StarExpr:
		return g.structOf(t.of(e.X))
	case *ast.StructType:
		return t, nil
	case *ast.Ident:
		if inner, found := t.pkg.types[e.Name]; found {
			return g.structOf(inner)
		}
	case *ast.SelectorExpr:
		p, err := g.load(t.imports[e.X.(*ast.Ident).Name])
		if err != nil {
			return goType{}, err
		}
		if inner, found := p.types[e.Sel.Name]; found {
			return g.structOf(inner)
		}
	}
	return goType{}, fmt.Errorf("%s embeds a type that is not understood: %T", t.pkg.path, t.expr)
}

func jsonTag(f *ast.Field) (name string, options []string) {
	if f.Tag == nil {
		return "", nil
	}
	tag, _ := strconv.Unquote(f.Tag.Value)
	parts := strings.Split(reflect.StructTag(tag).Get("json"), ",")
	return parts[0], parts[1:]
}
