package chart

import (
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"helm.sh/helm/v4/pkg/chart/common"
)

// size estimates the bytes that a function makes of its arguments.
type size func(arguments []any) float64

// sizes returns what estimates the results of the functions that can make much out of little. The values that they
// print are not counted beyond the limit.
func sizes(limit int64) map[string]size {
	all := maps.Clone(countedSizes)
	all["printf"] = func(a []any) float64 { return printfSize(a, limit) }
	add := func(names string, factor float64, deep int64) {
		for name := range strings.FieldsSeq(names) {
			all[name] = func(a []any) float64 { return factor * textsSize(a, limit, deep) }
		}
	}
	add("print println toString cat squote toYamlPretty toToml mustToToml deepCopy mustDeepCopy", 1, limit+1)
	add("quote b64enc b32enc encryptAES regexQuoteMeta snakecase kebabcase", 2, limit+1)
	add("html js urlquery", 6, limit+1)
	const itself = 0 // encoding/json refuses a value that contains itself
	add("toYaml mustToYaml", 1, itself)
	add("toJson mustToJson toPrettyJson mustToPrettyJson toRawJson mustToRawJson", 2, itself)
	return all
}

// countedSizes are the sizes of the functions with a count among their arguments, or a text that they repeat.
var countedSizes = map[string]size{
	"repeat":       func(a []any) float64 { return number(a[0]) * length(a[1]) },
	"until":        func(a []any) float64 { return steps(0, number(a[0]), 1) * wordSize },
	"untilStep":    func(a []any) float64 { return steps(number(a[0]), number(a[1]), number(a[2])) * wordSize },
	"seq":          seqSize,
	"indent":       indentSize,
	"nindent":      indentSize,
	"randAlpha":    countSize,
	"randAlphaNum": countSize,
	"randAscii":    countSize,
	"randBytes":    countSize,
	"randNumeric":  countSize,
	"replace": func(a []any) float64 {
		return length(a[2]) + float64(strings.Count(text(a[2]), text(a[0])))*length(a[1])
	},
	"regexReplaceAll":            regexSize,
	"mustRegexReplaceAll":        regexSize,
	"regexReplaceAllLiteral":     regexSize,
	"mustRegexReplaceAllLiteral": regexSize,
	"wrap":                       func(a []any) float64 { return wrapSize(number(a[0]), 1, a[1]) },
	"wrapWith":                   func(a []any) float64 { return wrapSize(number(a[0]), length(a[1]), a[2]) },
	"join":                       joinSize,
	"concat":                     concatSize,
	"split":                      splitSize,
	"splitList":                  splitSize,
	"splitn":                     func(a []any) float64 { return splitSize([]any{a[0], a[2]}) },
}

const (
	wordSize  = 8
	entrySize = 64 // of a string in a list or map
)

func number(v any) float64 { return float64(v.(int)) }
func text(v any) string    { return v.(string) }
func length(v any) float64 { return float64(len(text(v))) }

func steps(start, stop, step float64) float64 {
	if step == 0 {
		return 0
	}
	return max((stop-start)/step, (start-stop)/step)
}

func seqSize(a []any) float64 {
	const digits = 20
	switch parameters := a[0].([]int); len(parameters) {
	case 1:
		return steps(0, float64(parameters[0]), 1) * digits
	case 2:
		return steps(float64(parameters[0]), float64(parameters[1]), 1) * digits
	case 3:
		return steps(float64(parameters[0]), float64(parameters[2]), float64(parameters[1])) * digits
	}
	return 0
}

func countSize(a []any) float64 { return number(a[0]) }

func indentSize(a []any) float64 {
	return length(a[1]) + number(a[0])*float64(1+strings.Count(text(a[1]), "\n"))
}

func regexSize(a []any) float64 {
	expression, err := regexp.Compile(text(a[0]))
	if err != nil {
		return 0
	}
	matches, groups := len(expression.FindAllStringIndex(text(a[1]), -1)), strings.Count(text(a[2]), "$")
	return length(a[1])*float64(1+groups) + float64(matches)*length(a[2])
}

func wrapSize(width, separator float64, text any) float64 {
	return length(text) * (1 + separator/max(1, width))
}

func joinSize(a []any) float64 {
	list := reflect.ValueOf(a[1])
	if list.Kind() != reflect.Slice && list.Kind() != reflect.Array {
		return 0
	}
	total := length(a[0]) * float64(list.Len())
	for i := range list.Len() {
		item := list.Index(i)
		for item.Kind() == reflect.Interface {
			item = item.Elem()
		}
		if item.Kind() == reflect.String {
			total += float64(item.Len())
		}
	}
	return total
}

func concatSize(a []any) float64 {
	total := 0.0
	for _, list := range a[0].([]any) {
		if list := reflect.ValueOf(list); list.Kind() == reflect.Slice {
			total += float64(list.Len()) * 2 * wordSize
		}
	}
	return total
}

func splitSize(a []any) float64 {
	return entrySize * float64(strings.Count(text(a[1]), text(a[0])))
}

// verbs match the parts of a format that print values, with their width and precision.
var verbs = regexp.MustCompile(`%[-+# 0]*(\[[0-9]+\])?(\*|[0-9]*)(\.(\*|[0-9]*))?`)

// maxWidth is the largest width and precision of package fmt.
const maxWidth = 1e6

func printfSize(a []any, limit int64) float64 {
	format := text(a[0])
	values := textsSize(a[1:], limit, limit+1)
	if !strings.Contains(format, "%") || len(a) == 1 {
		return length(format) + values
	}
	total := length(format)
	for _, verb := range verbs.FindAllStringSubmatch(format, -1) {
		for _, width := range []string{verb[2], verb[4]} {
			if n, err := strconv.ParseFloat(width, 64); err == nil {
				total += min(n, maxWidth)
			} else if width == "*" {
				total += maxWidth
			}
		}
		if verb[1] != "" {
			total += values // which may come more than once
		}
	}
	if strings.ContainsAny(format, "qxXUc") {
		values *= 4
	}
	return total + values
}

// textsSize returns about how many bytes values have as texts, or more than limit. It returns deep for a value that
// contains itself.
func textsSize(values []any, limit, deep int64) float64 {
	w := walk{limit: limit}
	w.list(values, 0)
	if w.deep {
		return float64(deep)
	}
	return float64(w.size)
}

// walk measures values, in the order in which encoding/json does. It ends when their size is above the limit, or when
// they are deep.
type walk struct {
	size, limit int64
	deep        bool
}

// maxTextDepth is how deep encoding/json goes before it looks for values that contain themselves.
const maxTextDepth = 1000

func (w *walk) ended() bool { return w.deep || w.size > w.limit }

func (w *walk) list(values []any, depth int) {
	w.deep = depth > maxTextDepth
	for _, value := range values {
		if w.ended() {
			return
		}
		w.value(value, depth)
	}
}

func (w *walk) value(v any, depth int) {
	w.size++
	switch v := v.(type) {
	case string:
		w.size += int64(len(v))
	case []any:
		w.list(v, depth+1)
	case common.Values:
		w.entries(v, depth+1)
	case map[string]any:
		w.entries(v, depth+1)
	}
}

func (w *walk) entries(entries map[string]any, depth int) {
	w.deep = depth > maxTextDepth
	for _, key := range slices.Sorted(maps.Keys(entries)) {
		if w.ended() {
			return
		}
		w.size += int64(len(key))
		w.value(entries[key], depth)
	}
}
