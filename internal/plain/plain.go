// Package plain recognizes the YAML values that mean the same to every reader: to the libraries of YAML 1.1 and 1.2 in
// Argo CD, Helm, kubectl and kustomize. Whoever needs exactly what one of them reads can take the short way for these.
package plain

import (
	"slices"
	"strconv"
	"strings"
)

// olderBooleans are the words, in small letters, that are booleans in YAML 1.1 and strings in YAML 1.2.
var olderBooleans = []string{"y", "n", "yes", "no", "on", "off"}

// OlderBoolean reports whether a word without quotes is a boolean in YAML 1.1 and a string in YAML 1.2: yes, Yes and
// YES are, and yEs is not.
func OlderBoolean(word string) bool {
	small := strings.ToLower(word)
	return slices.Contains(olderBooleans, small) &&
		(word == small || word == strings.ToUpper(word) || word == strings.ToUpper(word[:1])+small[1:])
}

// maxDigits keeps integers so small that no reader makes them a float.
const maxDigits = 15

// Scalar returns the value of a scalar with a tag such as !!str: a string, a bool, an int or nil. Quoted tells whether
// it is in quotes or a block. It reports false if readers may differ about the value.
func Scalar(tag, text string, quoted bool) (value any, ok bool) {
	switch {
	case tag == "!!str":
		return text, quoted || !slices.Contains(olderBooleans, strings.ToLower(text))
	case quoted:
		return nil, false
	case tag == "!!bool":
		return text == "true", text == "true" || text == "false"
	case tag == "!!int":
		number, err := strconv.Atoi(text)
		return number, err == nil && len(text) <= maxDigits && strconv.Itoa(number) == text
	case tag == "!!null":
		return nil, text == "null"
	}
	return nil, false
}
