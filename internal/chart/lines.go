package chart

import (
	"context"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/template"
	"text/template/parse"

	"helm.sh/helm/v4/pkg/chart/loader/archive"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/engine"
)

// The functions of marked templates, and the form of a mark: the number of a place between two control characters.
const (
	markFunction  = "_mark"
	stripFunction = "_strip"
)

var mark = regexp.MustCompile("\x01([0-9]+)\x02")

// locate lets the manifests find the lines of the templates that they were made from. The first call for a line
// renders the chart once more, with marks in the templates: renderMarked does. Where this makes anything but the same
// output with marks, no line is known.
func locate(manifests []Manifest, rendered map[string]string, renderMarked func(*marks) map[string]string) {
	sources := sync.OnceValue(func() map[string][]Source {
		m := &marks{}
		return m.sources(rendered, renderMarked(m))
	})
	for i := range manifests {
		manifest := &manifests[i]
		manifest.FindSource = func(line int) Source {
			separator, text, _ := strings.Cut(string(manifest.Data), "# Source: ")
			header := 1 + strings.Count(separator, "\n")
			name, body, _ := strings.Cut(text, "\n")
			output, ok := rendered[name]
			if !ok { // a CRD, which is not a template
				return Source{File: manifest.File, Line: line - header}
			}
			before, _, found := strings.Cut(output, strings.TrimSpace(body))
			lines, at := sources()[name], strings.Count(before, "\n")+line-header-1
			if !found || at < 0 || at >= len(lines) {
				return Source{File: manifest.File}
			}
			return lines[at]
		}
	}
}

// marks are the places in templates that have a mark, by the mark's number.
type marks struct{ places []Source }

// sources returns where each line of the templates' output comes from.
func (m *marks) sources(rendered, marked map[string]string) map[string][]Source {
	found := map[string][]Source{}
	for name, output := range rendered {
		if mark.ReplaceAllString(marked[name], "") != output {
			continue
		}
		var last Source
		for line := range strings.Lines(marked[name]) {
			if match := mark.FindStringSubmatch(line); match != nil {
				number, _ := strconv.Atoi(match[1])
				last = m.places[number]
			}
			found[name] = append(found[name], last)
		}
	}
	return found
}

// functions are what the marked templates call.
func (m *marks) functions() template.FuncMap {
	return template.FuncMap{
		markFunction: func(number int, value any) any {
			switch value := value.(type) {
			case nil:
				return "<no value>" // as text/template prints it, and Helm drops it
			case string:
				return marked(value, func(int) int { return number })
			}
			return value
		},
		stripFunction: func(value any) any {
			if text, ok := value.(string); ok {
				return mark.ReplaceAllString(text, "")
			}
			return value
		},
	}
}

// marked puts a mark before the text of each line that has none. The number is that for the line, counted from 0.
func marked(text string, number func(line int) int) string {
	var b strings.Builder
	i := 0
	for line := range strings.Lines(text) {
		start := len(line) - len(strings.TrimLeft(line, " \t\r\n"))
		if start < len(line) && !mark.MatchString(line) {
			line = fmt.Sprintf("%s\x01%d\x02%s", line[:start], number(i), line[start:])
		}
		b.WriteString(line)
		i++
	}
	return b.String()
}

// mark marks the templates of a chart and its subcharts. Files maps Helm's names of the templates to paths.
func (m *marks) mark(c *chart.Chart, files map[string]string) {
	for _, template := range c.Templates {
		file := files[path.Join(c.ChartFullPath(), template.Name)]
		if text, err := m.template(file, string(template.Data)); err == nil {
			template.Data = []byte(text)
		}
	}
	for _, dependency := range c.Dependencies() {
		m.mark(dependency, files)
	}
}

// template returns the text of a template with marks.
func (m *marks) template(file, text string) (string, error) {
	trees := map[string]*parse.Tree{}
	root := parse.New(file)
	root.Mode = parse.SkipFuncCheck
	if _, err := root.Parse(text, "", "", trees); err != nil {
		return "", err
	}
	t := marking{m, file, text}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(trees)) {
		t.list(trees[name].Root)
		if name == file {
			b.WriteString(trees[name].Root.String())
		} else {
			fmt.Fprintf(&b, "{{define %q}}%s{{end}}", name, trees[name].Root)
		}
	}
	return b.String(), nil
}

// marking marks one template.
type marking struct {
	*marks
	file, text string
}

// number returns the number of a new mark for a place.
func (t marking) number(line int, value string) int {
	t.places = append(t.places, Source{File: t.file, Line: line, Value: value})
	return len(t.places) - 1
}

func (t marking) line(at parse.Pos) int { return 1 + strings.Count(t.text[:at], "\n") }

func (t marking) list(list *parse.ListNode) {
	if list == nil {
		return
	}
	for _, node := range list.Nodes {
		switch node := node.(type) {
		case *parse.TextNode:
			first := t.line(node.Pos)
			node.Text = []byte(marked(string(node.Text), func(line int) int { return t.number(first+line, "") }))
		case *parse.ActionNode:
			t.pipe(node.Pipe)
			if len(node.Pipe.Decl) == 0 {
				number := strconv.Itoa(t.number(t.line(node.Pos), value(node.Pipe)))
				node.Pipe.Cmds = append(node.Pipe.Cmds,
					command(markFunction, &parse.NumberNode{NodeType: parse.NodeNumber, Text: number}))
			}
		case *parse.IfNode:
			t.branch(&node.BranchNode)
		case *parse.RangeNode:
			t.branch(&node.BranchNode)
		case *parse.WithNode:
			t.branch(&node.BranchNode)
		case *parse.TemplateNode:
			if node.Pipe != nil {
				t.pipe(node.Pipe)
			}
		}
	}
}

func (t marking) branch(node *parse.BranchNode) {
	t.pipe(node.Pipe)
	t.list(node.List)
	t.list(node.ElseList)
}

// keeping are the functions that may see marks, because they pass their text on.
var keeping = []string{"include", "tpl", "indent", "nindent", "print", "printf", "trim", "default", "required"}

// pipe keeps marks away from functions.
func (t marking) pipe(pipe *parse.PipeNode) {
	var commands []*parse.CommandNode
	for i, c := range pipe.Cmds {
		function, isCall := c.Args[0].(*parse.IdentifierNode)
		strip := isCall && !slices.Contains(keeping, function.Ident)
		if strip && i > 0 {
			commands = append(commands, command(stripFunction))
		}
		for j, argument := range c.Args {
			switch argument := argument.(type) {
			case *parse.ChainNode:
				if nested, ok := argument.Node.(*parse.PipeNode); ok {
					t.pipe(nested)
				}
			case *parse.PipeNode:
				t.pipe(argument)
				if strip {
					argument.Cmds = append(argument.Cmds, command(stripFunction))
				}
			case *parse.VariableNode:
				if strip {
					c.Args[j] = &parse.PipeNode{NodeType: parse.NodePipe, Cmds: []*parse.CommandNode{
						{NodeType: parse.NodeCommand, Args: []parse.Node{argument}}, command(stripFunction),
					}}
				}
			}
		}
		commands = append(commands, c)
	}
	pipe.Cmds = commands
}

func command(function string, arguments ...parse.Node) *parse.CommandNode {
	return &parse.CommandNode{
		NodeType: parse.NodeCommand, Args: append([]parse.Node{parse.NewIdentifier(function)}, arguments...),
	}
}

// value returns the name of the first of the chart's values in a pipe, such as image.tag, or "".
func value(pipe *parse.PipeNode) string {
	for _, command := range pipe.Cmds {
		for _, argument := range command.Args {
			var names []string
			switch argument := argument.(type) {
			case *parse.FieldNode:
				names = argument.Ident
			case *parse.VariableNode:
				names = argument.Ident[1:]
			case *parse.PipeNode:
				if name := value(argument); name != "" {
					return name
				}
			}
			if len(names) > 1 && names[0] == "Values" {
				return strings.Join(names[1:], ".")
			}
		}
	}
	return ""
}

// render renders the chart with marks. It returns nil if something is wrong with the marked templates.
func (m *marks) render(in Input, files []*archive.BufferedFile) map[string]string {
	l := newLoaded(in)
	if l.load(files) != nil {
		return nil
	}
	values, err := l.values(in)
	if err != nil {
		return nil
	}
	m.mark(l.Chart, l.templates(l.Chart))
	all := functions(map[string]bool{})
	maps.Copy(all, m.functions())
	rendered, err := engine.Engine{CustomTemplateFuncs: all}.RenderWithContext(context.Background(), l.Chart, values)
	if err != nil {
		return nil
	}
	return rendered
}
