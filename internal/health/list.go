package health

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/lazyregexp"
)

// The starts of a List as kubectl prints it, in JSON and in YAML.
var (
	jsonList = lazyregexp.New(`^\{\s*"apiVersion": "v1",\s*"items": \[`)
	yamlList = lazyregexp.New(`^apiVersion: v1\r?\nitems:\r?\n- `)
)

// longestStart is longer than the start of a List.
const longestStart = 64

// readList emits the items of a List at the start of the input one after the other, because a whole cluster may be in
// one. It returns the rest of the input, in which the List has no items, and the bytes or lines before that.
func readList(input *bufio.Reader, emit func(Event) bool) (rest *bufio.Reader, read int64, err error) {
	start, _ := input.Peek(longestStart)
	if found := jsonList().Find(start); found != nil {
		return readJSONItems(input, len(found)-1, emit)
	}
	if yamlList().Match(start) {
		return readYAMLItems(input, emit)
	}
	return input, 0, nil
}

// The Lists that are left when their items are read.
const (
	jsonRest = `{"apiVersion": "v1", "items": []`
	yamlRest = "apiVersion: v1\nitems: []\n"
)

func readJSONItems(input *bufio.Reader, skip int, emit func(Event) bool) (*bufio.Reader, int64, error) {
	_, _ = input.Discard(skip)
	decoder := json.NewDecoder(input)
	at := func() int64 { return int64(skip) + decoder.InputOffset() }
	_, err := decoder.Token()
	for err == nil && decoder.More() {
		var item any
		start := at()
		if err = decoder.Decode(&item); err == nil {
			err = deliver(item, emit)
		}
		if err != nil && !errors.Is(err, errEnough) {
			err = fmt.Errorf("item after byte %d: %w", start, err)
		}
	}
	if err == nil {
		_, err = decoder.Token()
	}
	if errors.Is(err, io.EOF) {
		err = fmt.Errorf("byte %d: %w", at(), io.ErrUnexpectedEOF)
	}
	if err != nil {
		return nil, 0, err
	}
	rest := io.MultiReader(strings.NewReader(jsonRest), decoder.Buffered(), input)
	return bufio.NewReader(rest), at() - int64(len(jsonRest)), nil
}

func readYAMLItems(input *bufio.Reader, emit func(Event) bool) (*bufio.Reader, int64, error) {
	var item bytes.Buffer
	var number, first int64
	end := func() error {
		if first == 0 {
			return nil
		}
		value, err := decode(item.String())
		if err == nil {
			err = deliver(value, emit)
		}
		item.Reset()
		if err != nil && !errors.Is(err, errEnough) {
			return fmt.Errorf("item at line %d: %w", first, err)
		}
		return err
	}
	for {
		line, err := input.ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, 0, err
		}
		number++
		switch {
		case number <= 2: // apiVersion and items
			continue
		case strings.HasPrefix(line, "- "):
			if err := end(); err != nil {
				return nil, 0, err
			}
			first = number
			item.WriteString(" " + line[1:])
			continue
		case line != "" && strings.TrimLeft(line, " \r\n") != line:
			item.WriteString(line)
			continue
		}
		rest := io.MultiReader(strings.NewReader(yamlRest+line), input)
		return bufio.NewReader(rest), number - 3, end()
	}
}
