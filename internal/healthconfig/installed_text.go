package healthconfig

import (
	"errors"
	"slices"
	"strings"
	"unicode"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// setTexts makes the changes in a document. Where the document is written in lines, a text of several lines is too.
func setTexts(tree *yamldoc.Tree, changes []Change) (*yamldoc.Tree, error) {
	for _, change := range changes {
		edited, err := tree.Apply([]yamldoc.Edit{yamldoc.Set(change.at, change.After)})
		if err != nil {
			return nil, err
		}
		if tree, err = asLines(edited, change.at); err != nil {
			return nil, err
		}
	}
	return tree, nil
}

// asLines writes the quoted text at a path as a literal block scalar, if it can be one.
func asLines(tree *yamldoc.Tree, at yamldoc.Path) (*yamldoc.Tree, error) {
	parent := tree.Root.Get(at[:len(at)-1]...)
	key, value := parent.Entry(at[len(at)-1])
	if parent.Style != yamldoc.Block || value.Style != yamldoc.DoubleQuoted || !fitsLines(value.Value) {
		return tree, nil
	}
	_, column := tree.Position(key.Start)
	body := tree.Bytes()
	end := value.End
	for end < len(body) && body[end] != '\n' { // a comment stays behind the indicator
		end++
	}
	header, lines := "|", value.Value
	if !strings.HasSuffix(lines, "\n") {
		header, lines = "|-", lines+"\n"
	}
	lines = "\n" + strings.TrimSuffix(indent(lines, strings.Repeat(" ", column+1)), "\n")
	if end == len(body) {
		lines += "\n"
	}
	written, err := yamldoc.Parse(slices.Concat(
		body[:value.Start], []byte(header), body[value.End:end], []byte(lines), body[end:]))
	if err == nil && !written.Root.Equal(tree.Root) {
		err = errors.New("internal error: the text of " + at.String() + " changed; please report it")
	}
	return written, err
}

// fitsLines reports whether a literal block scalar gives the text back.
func fitsLines(text string) bool {
	unprintable := func(r rune) bool { return r != '\n' && r != '\t' && !unicode.IsPrint(r) }
	return strings.Contains(text, "\n") && !strings.HasSuffix(text, "\n\n") &&
		!strings.ContainsAny(text[:1], " \t\n") && !strings.ContainsFunc(text, unprintable)
}
