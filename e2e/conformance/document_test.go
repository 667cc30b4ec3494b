package conformance

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/yaml"
)

// decode reads a stream as Argo CD does. Numbers keep their digits; empty documents don't count.
func decode(data []byte) ([]any, error) {
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(data), 4096)
	var values []any
	for {
		var raw json.RawMessage
		err := decoder.Decode(&raw)
		if errors.Is(err, io.EOF) {
			return values, nil
		}
		if err != nil {
			return values, err
		}
		exact := json.NewDecoder(bytes.NewReader(raw))
		exact.UseNumber()
		var value any
		if err := exact.Decode(&value); err != nil && !errors.Is(err, io.EOF) {
			return values, err
		}
		if value != nil {
			values = append(values, value)
		}
	}
}

// manifest reports whether the plugin passes the value on: Argo CD takes no other for a manifest.
func manifest(value any) bool {
	object, _ := value.(map[string]any)
	kind, _ := object["kind"].(string)
	_, list := object["items"]
	return object["apiVersion"] != nil && kind != "" &&
		(object["metadata"] != nil || list && strings.HasSuffix(kind, "List"))
}

// document is a part of a file between separator lines.
type document struct {
	line   int // of the file, on which the part starts
	body   []byte
	values []any // one, but for concatenated JSON
}

// split cuts a file into documents.
func split(data []byte) []document {
	docs := []document{{line: 1}}
	number := 0
	for line := range bytes.Lines(data) {
		number++
		if bytes.HasPrefix(line, []byte("---")) {
			docs = append(docs, document{line: number})
		} else {
			last := &docs[len(docs)-1]
			last.body = append(last.body, line...)
		}
	}
	return docs
}

// read splits a file and decodes each document.
func read(data []byte) ([]document, error) {
	docs := split(data)
	for i := range docs {
		var err error
		if docs[i].values, err = decode(docs[i].body); err != nil {
			return nil, fmt.Errorf("document at line %d: %w", docs[i].line, err)
		}
	}
	return docs, nil
}

// blank reports whether the document holds comments at most.
func (d document) blank() bool {
	for line := range bytes.Lines(d.body) {
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '#' {
			return false
		}
	}
	return true
}

// at returns the document that holds a line.
func at(docs []document, line int) int {
	for i := len(docs) - 1; i > 0; i-- {
		if docs[i].line <= line {
			return i
		}
	}
	return 0
}

// change is a place at which a decoded object differs. Its path has blanks between the steps, since keys have dots.
type change struct {
	path          string
	before, after any // nil where there is nothing
}

func (c change) String() string {
	text, _ := json.Marshal([]any{c.before, c.after})
	return c.path + ": " + string(text)
}

// changes compares two decoded values.
func changes(path []string, before, after any) []change {
	if reflect.DeepEqual(before, after) {
		return nil
	}
	b, bIsMap := before.(map[string]any)
	a, aIsMap := after.(map[string]any)
	// The first annotation makes the mapping, the last one takes it along.
	if len(path) > 0 && path[len(path)-1] == "annotations" {
		bIsMap, aIsMap = bIsMap || before == nil && len(a) > 0, aIsMap || after == nil && len(b) > 0
	}
	if bIsMap && aIsMap {
		var found []change
		keys := slices.AppendSeq(slices.Collect(maps.Keys(b)), maps.Keys(a))
		slices.Sort(keys)
		for _, key := range slices.Compact(keys) {
			found = append(found, changes(append(slices.Clone(path), key), b[key], a[key])...)
		}
		return found
	}
	bItems, bIsList := before.([]any)
	aItems, aIsList := after.([]any)
	if bIsList && aIsList && len(bItems) == len(aItems) {
		var found []change
		for i := range bItems {
			found = append(found, changes(append(slices.Clone(path), fmt.Sprint(i)), bItems[i], aItems[i])...)
		}
		return found
	}
	return []change{{strings.Join(path, " "), before, after}}
}
