package yamldoc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode"
)

// JoinError reports a fault in one of the files passed to Join.
type JoinError struct {
	File int    // index of the file
	Err  *Error // the fault and its position in that file
}

// Error returns the index of the file and the fault.
func (e *JoinError) Error() string { return fmt.Sprintf("file %d: %v", e.File, e.Err) }

// Unwrap returns Err.
func (e *JoinError) Unwrap() error { return e.Err }

// Join joins the documents of several files into one stream that Kubernetes' decoder reads. The stream is the returned
// slices, one after the other. Join does not copy the documents: bytes that are adjacent in memory become one slice.
//
// The documents keep their order and their bytes, except for what the decoder needs:
//   - each document ends with a line end, and one `---` line separates it from the next;
//   - a byte order mark stays only at the very start;
//   - a stream that starts with JSON gets a `---` line first, or the decoder would expect JSON to the end, unless it is
//     a single JSON value and nothing else;
//   - in a JSON document that the decoder reads as YAML, which is any but such a single value, the strings lose the
//     escapes that only JSON has, `\/` and surrogate pairs, and characters that YAML forbids or folds become escapes:
//     DEL, the C1 controls with NEL, U+2028, U+2029, U+FEFF, U+FFFE and U+FFFF.
//
// A file without documents adds nothing.
//
// Join fails with a *JoinError for a directive after the first document, a `...` without a document before it, and a
// JSON document that Kubernetes can't read next to others.
func Join(files [][]Document) ([][]byte, error) {
	j := joiner{several: severalIn(files)}
	for i, docs := range files {
		if err := j.file(docs); err != nil {
			return nil, &JoinError{File: i, Err: err}
		}
	}
	return j.stream, nil
}

// severalIn reports whether there are several documents that are not empty.
func severalIn(files [][]Document) bool {
	count := 0
	for _, docs := range files {
		for _, doc := range docs {
			if count += min(1, len(doc.Body)+len(withoutBOM(doc.Head))); count > 1 {
				return true
			}
		}
	}
	return false
}

type joiner struct {
	stream  [][]byte
	several bool // documents in all files
	count   int  // documents written
	open    bool
}

func (j *joiner) file(docs []Document) *Error {
	eol := lineEndOf(docs)
	for _, doc := range docs {
		if len(withoutBOM(doc.Head))+len(doc.Body) == 0 {
			continue
		}
		head := withoutBOM(doc.Head)
		if n := bomLen(doc.Head); n > 0 && j.count == 0 {
			head = doc.Head[:n+len(head)]
		}
		if startsJSON(doc.Body) && (j.several || len(head) > 0 || !json.Valid(doc.Body)) {
			doc.Body = asYAML(doc.Body)
			if at := onlyJSON(doc.Body, skipSpace(doc.Body, 0)); at >= 0 {
				return doc.errorAt(at, "valid in JSON but not in YAML (half a surrogate pair, a tab, a long key), so "+
					"Kubernetes can't read it next to other documents: write the document as YAML")
			}
			if j.count == 0 && len(head) == 0 {
				j.write(append([]byte("---"), eol...))
			}
		}
		if err := j.check(doc); err != nil {
			return err
		}
		if j.count > 0 && !bytes.HasPrefix(head, []byte("---")) && !j.open {
			j.write(append([]byte("---"), eol...))
		}
		j.write(head)
		j.write(doc.Body)
		switch last := j.stream[len(j.stream)-1]; last[len(last)-1] {
		case '\n':
		case '\r':
			j.write([]byte("\n"))
		default:
			j.write(eol)
		}
		j.count++
		j.open = len(doc.Body) == 0 && len(head) > bomLen(head)
	}
	return nil
}

// check refuses a document that Kubernetes' decoder can't read at its place in the stream.
func (j *joiner) check(doc Document) *Error {
	if j.count > 0 {
		head, content := withoutBOM(doc.Head), skipSpace(doc.Body, 0)
		switch {
		case len(head) > 0 && !bytes.HasPrefix(head, []byte("---")):
			before := skipSpace(head, 0)
			return &Error{Line: doc.Line - countLines(head[before:]), Col: 1, Msg: directiveLater}
		case endMarker(doc.Body, content):
			return doc.errorAt(content, "`...` without a document before it, which Kubernetes refuses: remove it")
		}
	}
	return nil
}

// errorAt returns an Error at an offset into the body, with the position in the file.
func (d Document) errorAt(offset int, msg string) *Error {
	err := faultIn(d.Body, offset, msg)
	err.Line += d.Line - 1
	return err
}

// write adds bytes to the stream. Those that are adjacent in memory become one slice.
func (j *joiner) write(b []byte) {
	if len(b) == 0 {
		return
	}
	if i := len(j.stream) - 1; i >= 0 {
		last := j.stream[i]
		if n := len(last); cap(last)-n >= len(b) && &last[:n+1][n] == &b[0] {
			j.stream[i] = last[:n+len(b)]
			return
		}
	}
	j.stream = append(j.stream, b)
}

// lineEndOf returns the line end of a file.
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

// startsJSON reports whether Kubernetes' decoder treats a stream that starts with text as JSON.
func startsJSON(text []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeftFunc(text, unicode.IsSpace), []byte("{"))
}

// withoutBOM removes byte order marks from the start and the end of a Head.
func withoutBOM(head []byte) []byte {
	head = head[bomLen(head):]
	for bytes.HasSuffix(head, []byte(bom)) {
		head = head[:len(head)-len(bom)]
	}
	return head
}
