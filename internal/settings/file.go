package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/paths"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// FileName is the settings file in an app's folder.
const FileName = ".argocd-kserve-plugin.yaml"

// SchemaURL is where editors find the JSON Schema of the settings file.
const SchemaURL = "https://raw.githubusercontent.com/argocd-kserve-plugin/argocd-kserve-plugin/main/" +
	"docs/settings.schema.json"

// SchemaComment is the line of a settings file that names its schema: yaml-language-server reads it.
const SchemaComment = "# yaml-language-server: $schema=" + SchemaURL + "\n"

const maxFile = 1 << 20

// otherName is what people call the file by mistake.
const otherName = ".argocd-kserve-plugin.yml"

// readFiles reads the settings files of the app's folder and of the folders above it, up to the highest one. The
// nearest file comes first, so its values win. The values of the higher levels tell the root.
func readFiles(from Sources, higher []given) ([]given, error) {
	dir, err := filepath.EvalSymlinks(from.Dir)
	if from.Top == nil || err != nil { // package render reports it
		return readFile(from.Dir, from.Shown)
	}
	top, err := from.Top(lockedRoot(higher))
	if err != nil {
		return nil, err
	}
	rel, err := filepath.Rel(top, dir)
	if err != nil || !filepath.IsLocal(rel) {
		return nil, nil // package render refuses to read there
	}
	all, err := readFile(from.Dir, from.Shown)
	shown := from.Shown
	if dir != filepath.Clean(from.Dir) {
		shown = dir // .. would lead to another folder
	}
	for ; err == nil && rel != "."; rel = filepath.Dir(rel) {
		var above []given
		dir, shown = filepath.Dir(dir), filepath.Join(shown, "..")
		above, err = readFile(dir, shown)
		all = append(all, above...)
	}
	return all, err
}

// lockedRoot returns the root that whoever runs the plugin gives, or "".
func lockedRoot(all []given) string {
	for _, g := range all {
		if g.name == "root" && g.level.locked() {
			dir, _ := root(g.values[0]) // no text is wrong
			return dir
		}
	}
	return ""
}

// readFile reads the settings file of the folder, if it has one. It refuses a link that leads out of the folder: errors
// quote the file, and Argo CD's user interface shows them.
func readFile(dir, shown string) ([]given, error) {
	if _, err := os.Lstat(filepath.Join(dir, otherName)); err == nil {
		return nil, fmt.Errorf("%s: the settings file is called %s; rename it", filepath.Join(shown, otherName), FileName)
	}
	shown = filepath.Join(shown, FileName)
	data, err := readRegular(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", shown, paths.Reason(err))
	}
	all, err := parseFile(shown, data)
	var fault *yamldoc.Error
	if errors.As(err, &fault) {
		return nil, fmt.Errorf("%s:%w", shown, fault)
	}
	return all, err
}

func readRegular(dir string) ([]byte, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	link, err := root.Lstat(FileName)
	if err != nil {
		return nil, err
	}
	info, err := root.Stat(FileName)
	if err != nil && link.Mode().Type() == fs.ModeSymlink {
		return nil, errors.New("a link that leads nowhere or out of its folder; put the file itself there")
	}
	if err != nil {
		return nil, err
	}
	real, err := filepath.EvalSymlinks(filepath.Join(dir, FileName))
	if err != nil {
		return nil, err
	}
	if slices.Contains(strings.Split(filepath.ToSlash(real), "/"), ".git") {
		return nil, errors.New("a link to .git")
	}
	if !info.Mode().IsRegular() || info.Size() > maxFile {
		return nil, fmt.Errorf("not a regular file of at most %s", Size(maxFile))
	}
	return root.ReadFile(FileName)
}

func parseFile(shown string, data []byte) ([]given, error) {
	documents, err := yamldoc.Split(data)
	if err != nil || len(documents) == 0 {
		return nil, err
	}
	if len(documents) > 1 {
		return nil, fmt.Errorf("%s:%d:1: a second document: keep all settings in one", shown, documents[1].Line)
	}
	tree, err := yamldoc.Parse(documents[0].Body)
	var fault *yamldoc.Error
	if errors.As(err, &fault) {
		return nil, fault.At(documents[0].Line)
	}
	if err != nil {
		return nil, err
	}
	return (&Part{shown, tree, documents[0].Line, tree.Root}).values()
}

// Part is the part of a document that has settings.
type Part struct {
	Shown string // the document as messages show it
	Tree  *yamldoc.Tree
	Line  int           // of the document
	Node  *yamldoc.Node // a mapping of settings to values, or null
}

// values returns the settings of a part.
func (p *Part) values() ([]given, error) {
	at := func(n *yamldoc.Node) string {
		line, col := p.Tree.Position(n.Start)
		return fmt.Sprintf("%s:%d:%d", p.Shown, p.Line+line-1, col)
	}
	if p.Node.IsNull() {
		return nil, nil
	}
	if p.Node.Kind != yamldoc.Mapping {
		return nil, fmt.Errorf("%s: not a mapping of settings to values", at(p.Node))
	}
	var all []given
	var faults []error
	for _, entry := range p.Node.Entries {
		row, err := find(entry.Key.Value)
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", at(entry.Key), err))
			continue
		}
		values, err := fileValues(row, p.Tree, entry.Value)
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %s: %w", at(entry.Value), row.Name, err))
			continue
		}
		if len(values) > 0 {
			all = append(all, given{row.Name, values, origin{byFile, at(entry.Value) + ": " + row.Name}})
		}
	}
	return all, errors.Join(faults...)
}

// fileValues reads scalars as text: 0.10 is not a number here, and on is not a boolean.
func fileValues(row *Setting, tree *yamldoc.Tree, node *yamldoc.Node) ([]string, error) {
	switch {
	case node.Kind == yamldoc.Scalar && node.Tag() == "!!null":
		return nil, nil
	case node.Kind == yamldoc.Scalar:
		return trimmed(row.split(node.Value)), nil
	case row.isYAML:
		_, col := tree.Position(node.Start)
		return []string{strings.Repeat(" ", col-1) + string(tree.Bytes()[node.Start:node.End])}, nil
	case row.isMap():
		if entries, ok := mapping(node); ok {
			return entries, nil
		}
		return nil, errors.New("takes " + row.accepts())
	case node.Kind != yamldoc.Sequence:
		return nil, errors.New("takes " + row.accepts())
	}
	var values []string
	for _, item := range node.Items {
		if item.Kind != yamldoc.Scalar {
			return nil, errors.New("takes " + row.accepts())
		}
		values = append(values, item.Value)
	}
	return trimmed(values), nil
}
