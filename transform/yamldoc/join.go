package yamldoc

import (
	"bytes"
	"fmt"
	"unicode"
)

// JoinError is a fault of one of the files given to Join, at a position of that file.
type JoinError struct {
	File int // index into the files given to Join
	Err  *Error
}

func (e *JoinError) Error() string { return fmt.Sprintf("file %d: %v", e.File, e.Err) }

// Unwrap gives the *Error.
func (e *JoinError) Unwrap() error { return e.Err }

// Join makes one stream of the documents of several files, as slices to be written one after the other; bytes that
// stand together in memory are one slice and are not copied. Documents come in order, each ends with a line end and is
// separated from the next by one `---`; a byte order mark is left only at the very start; a stream of several documents
// that starts with JSON starts with `---`, without which Kubernetes' decoder would expect JSON to the end; and a JSON
// document next to others loses the escapes that only JSON has. Joining one file changes nothing unless one of these
// demands it. A file without documents adds nothing.
//
// It fails with a *JoinError for a directive that would come later than the first document, and for a JSON document
// that Kubernetes can't read next to others.
func Join(files [][]Document) ([][]byte, error) {
	var j joiner
	for _, docs := range files {
		for _, doc := range docs {
			j.total += min(1, len(doc.Body)+len(withoutBOM(doc.Head)))
		}
	}
	for i, docs := range files {
		if err := j.file(docs); err != nil {
			return nil, &JoinError{File: i, Err: err}
		}
	}
	return j.out, nil
}

type joiner struct {
	out   [][]byte
	total int // documents of all files
	count int // documents written
	open  bool
}

func (j *joiner) file(docs []Document) *Error {
	eol := []byte("\n")
	for i, doc := range docs {
		if i == 0 {
			eol = lineEndOf(docs)
		}
		if len(withoutBOM(doc.Head))+len(doc.Body) == 0 {
			continue
		}
		head, body := withoutBOM(doc.Head), doc.Body
		if n := bomLen(doc.Head); n > 0 && j.count == 0 {
			head = doc.Head[:n+len(head)]
		}
		if j.total > 1 && startsJSON(body) {
			body = unescaped(body)
			doc.Body = body
		}
		if err := j.check(doc); err != nil {
			return err
		}
		separated := bytes.HasPrefix(head, []byte("---"))
		switch {
		case j.count > 0 && !separated && !j.open:
			j.write(append([]byte("---"), eol...))
		case j.count == 0 && j.total > 1 && len(head) == 0 && startsJSON(body):
			j.write(append([]byte("---"), eol...))
		}
		j.write(head)
		j.write(body)
		switch last := j.out[len(j.out)-1]; last[len(last)-1] {
		case '\n':
		case '\r':
			j.write([]byte("\n"))
		default:
			j.write(eol)
		}
		j.count++
		j.open = len(body) == 0 && len(head) > bomLen(head)
	}
	return nil
}

// check reports what Kubernetes' decoder can't read in a document because of where it stands.
func (j *joiner) check(doc Document) *Error {
	body := doc.Body
	content := skipSpace(body, 0)
	if j.count > 0 {
		head := withoutBOM(doc.Head)
		switch {
		case len(head) > 0 && !bytes.HasPrefix(head, []byte("---")):
			before := skipSpace(head, 0)
			return &Error{Line: doc.Line - countLines(head[before:]), Col: 1, Msg: directiveLater}
		case endMarker(body, content):
			return doc.errorAt(content, "`...` without a document before it, which Kubernetes refuses: remove it")
		}
	}
	if j.total > 1 && startsJSON(body) {
		if at := onlyJSON(body, content); at >= 0 {
			return doc.errorAt(at, "something that JSON allows and YAML does not (half a surrogate pair, a tab, a long key), which Kubernetes "+
				"can't read next to other documents: write the document as YAML does")
		}
	}
	return nil
}

// errorAt makes an Error of an offset into the body, with the position in the file.
func (d Document) errorAt(offset int, msg string) *Error {
	err := errorAt(d.Body, offset, msg)
	err.Line += d.Line - 1
	return err
}

func (j *joiner) write(b []byte) {
	if len(b) == 0 {
		return
	}
	if n := len(j.out) - 1; n >= 0 {
		last := j.out[n]
		if cap(last)-len(last) >= len(b) && &last[:len(last)+1][len(last)] == &b[0] {
			j.out[n] = last[:len(last)+len(b)]
			return
		}
	}
	j.out = append(j.out, b)
}

// lineEndOf tells how a file ends its lines.
func lineEndOf(docs []Document) []byte {
	for _, doc := range docs {
		for _, text := range [][]byte{doc.Head, doc.Body} {
			if i := bytes.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
				return []byte("\r\n")
			} else if i >= 0 {
				return []byte("\n")
			}
		}
	}
	return []byte("\n")
}

// startsJSON tells whether Kubernetes' decoder takes a stream that starts with text for JSON.
func startsJSON(text []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeftFunc(text, unicode.IsSpace), []byte("{"))
}

// withoutBOM takes byte order marks off the start and the end of a Head.
func withoutBOM(head []byte) []byte {
	head = head[bomLen(head):]
	for bytes.HasSuffix(head, []byte(bom)) {
		head = head[:len(head)-len(bom)]
	}
	return head
}
