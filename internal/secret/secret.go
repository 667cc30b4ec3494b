// Package secret keeps the data of Secrets out of what people see.
package secret

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/lazyregexp"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// Mask stands for what is not shown.
const Mask = "<redacted>"

// applied is the annotation in which kubectl apply keeps the whole object.
const applied = "kubectl.kubernetes.io/last-applied-configuration"

// Redact returns a document in which the data of each Secret, with the comments on it, is masked: data, stringData, and
// the copy that kubectl apply leaves. Every line stays a line. A document that may hold a Secret and cannot be read is
// masked as a whole.
func Redact(body []byte) []byte {
	contains := func(word string) bool { return bytes.Contains(body, []byte(word)) }
	if !slices.ContainsFunc([]string{"Secret", `\`, "!"}, contains) {
		return body
	}
	tree, err := yamldoc.Parse(body)
	if err != nil {
		return content().ReplaceAll(body, []byte(Mask))
	}
	r := redaction{body: body}
	r.object(tree.Root, "")
	return r.masked()
}

// redaction collects what to mask in a document.
type redaction struct {
	body   []byte
	ranges [][2]int
}

var (
	content  = lazyregexp.New(`[^\s][^\r\n]*`)
	comment  = lazyregexp.New(`#[^\r\n]*`)
	comments = lazyregexp.New(`^([ \t\r]*(#[^\n]*)?(\n|$))*`)
)

// object looks for Secrets in a value at any depth: in Lists, and in objects that hold other manifests. The list around
// it may imply its kind.
func (r *redaction) object(node *yamldoc.Node, implied string) {
	if node == nil {
		return
	}
	kind := node.Get("kind")
	if kind.Str() == "Secret" || kind == nil && implied == "Secret" || kind != nil && kind.Tag() == "!!binary" {
		for _, path := range [][]any{{"data"}, {"stringData"}, {"metadata", "annotations", applied}} {
			r.value(node.Get(path...))
			if parent := node.Get(path[:len(path)-1]...); parent != nil {
				if key, value := parent.Entry(path[len(path)-1]); key != nil && value.Start > key.End {
					r.within(comment(), key.End, value.Start)
				}
			}
		}
	}
	for step, child := range node.Children() {
		implied := ""
		if list, ok := strings.CutSuffix(kind.Str(), "List"); ok && step == "items" {
			implied = list
		}
		if child.Kind == yamldoc.Sequence {
			for _, item := range child.Items {
				r.object(item, implied)
			}
			continue
		}
		r.object(child, "")
	}
}

// value masks a value, what its aliases stand for, and the comments after it.
func (r *redaction) value(node *yamldoc.Node) {
	if node == nil {
		return
	}
	r.within(content(), node.Start, node.End)
	if node.Start < node.End {
		end := node.End + len(comments().Find(r.body[node.End:]))
		r.within(comment(), node.End, end)
	}
	for _, child := range node.Children() {
		if child.Kind == yamldoc.Alias {
			r.value(child.Target())
		} else if child.Kind != yamldoc.Scalar {
			r.value(child)
		}
	}
}

// within masks what matches between two offsets.
func (r *redaction) within(pattern *regexp.Regexp, start, end int) {
	for _, at := range pattern.FindAllIndex(r.body[start:end], -1) {
		r.ranges = append(r.ranges, [2]int{start + at[0], start + at[1]})
	}
}

// masked returns the document with the mask in place of the ranges.
func (r *redaction) masked() []byte {
	slices.SortFunc(r.ranges, func(a, b [2]int) int { return a[0] - b[0] })
	var out bytes.Buffer
	at := 0
	for _, m := range r.ranges {
		if m[0] >= at {
			out.Write(r.body[at:m[0]])
			out.WriteString(Mask)
		}
		at = max(at, m[1])
	}
	out.Write(r.body[at:])
	return out.Bytes()
}
