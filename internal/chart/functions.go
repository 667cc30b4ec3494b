package chart

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig/v3"
)

// functions returns the template functions that differ from Helm's. Those that can make much out of little refuse to
// make more than maxExpanded bytes: a single call could take more memory than there is before anything else can end the
// process. Those that give another value on each render are noted in changing. keys and values return the entries of a
// map in the order of their names, and not in a random one.
func functions(maxExpanded int64, changing map[string]bool) template.FuncMap {
	all := template.FuncMap{"keys": keys, "values": values}
	maps.Copy(all, converters(maxExpanded))
	original := sprig.TxtFuncMap()
	for name, size := range sizes {
		all[name] = before(original[name], func(arguments []reflect.Value) {
			if n := size(arguments); maxExpanded > 0 && n > float64(maxExpanded) {
				panic(fmt.Errorf("the result would have %.0f bytes, more than %d, "+
					"the smaller of max-input and a quarter of max-memory", n, maxExpanded))
			}
		})
	}
	for _, name := range changingFunctions {
		function := all[name]
		if function == nil {
			function = original[name]
		}
		all[name] = before(function, func([]reflect.Value) { changing[name] = true })
	}
	return all
}

// before returns a function that calls check first. What check panics with becomes the error of the template.
func before(function any, check func(arguments []reflect.Value)) any {
	f := reflect.ValueOf(function)
	return reflect.MakeFunc(f.Type(), func(arguments []reflect.Value) []reflect.Value {
		check(arguments)
		if f.Type().IsVariadic() {
			return f.CallSlice(arguments)
		}
		return f.Call(arguments)
	}).Interface()
}

// changingFunctions give another value on each render (functions.go of Masterminds/sprig@v3.3.0).
var changingFunctions = []string{
	"ago", "bcrypt", "encryptAES", "genCA", "genCAWithKey", "genPrivateKey", "genSelfSignedCert",
	"genSelfSignedCertWithKey", "genSignedCert", "genSignedCertWithKey", "htpasswd", "now", "randAlpha", "randAlphaNum",
	"randAscii", "randBytes", "randInt", "randNumeric", "shuffle", "uuidv4",
}

// sizes estimate the bytes that a function makes of its arguments.
var sizes = map[string]func(arguments []reflect.Value) float64{
	"repeat":       func(a []reflect.Value) float64 { return number(a[0]) * length(a[1]) },
	"until":        func(a []reflect.Value) float64 { return steps(0, number(a[0]), 1) * wordSize },
	"untilStep":    func(a []reflect.Value) float64 { return steps(number(a[0]), number(a[1]), number(a[2])) * wordSize },
	"seq":          seqSize,
	"indent":       indentSize,
	"nindent":      indentSize,
	"randAlpha":    countSize,
	"randAlphaNum": countSize,
	"randAscii":    countSize,
	"randBytes":    countSize,
	"randNumeric":  countSize,
	"replace": func(a []reflect.Value) float64 {
		return length(a[2]) + float64(strings.Count(a[2].String(), a[0].String()))*length(a[1])
	},
	"regexReplaceAll":            regexSize,
	"mustRegexReplaceAll":        regexSize,
	"regexReplaceAllLiteral":     regexSize,
	"mustRegexReplaceAllLiteral": regexSize,
	"wrap":                       func(a []reflect.Value) float64 { return wrapSize(a[0], 1, a[1]) },
	"wrapWith":                   func(a []reflect.Value) float64 { return wrapSize(a[0], length(a[1]), a[2]) },
	"join":                       joinSize,
	"concat":                     concatSize,
	"split":                      splitSize,
	"splitList":                  splitSize,
}

const (
	wordSize  = 8
	entrySize = 64 // of a string in a list or map
)

func number(v reflect.Value) float64 { return float64(v.Int()) }
func length(v reflect.Value) float64 { return float64(v.Len()) }

func steps(start, stop, step float64) float64 {
	if step == 0 {
		return 0
	}
	return max((stop-start)/step, (start-stop)/step)
}

func seqSize(a []reflect.Value) float64 {
	parameters := make([]float64, a[0].Len())
	for i := range parameters {
		parameters[i] = number(a[0].Index(i))
	}
	const digits = 20
	switch len(parameters) {
	case 1:
		return steps(0, parameters[0], 1) * digits
	case 2:
		return steps(parameters[0], parameters[1], 1) * digits
	case 3:
		return steps(parameters[0], parameters[2], parameters[1]) * digits
	}
	return 0
}

func countSize(a []reflect.Value) float64 { return number(a[0]) }

func indentSize(a []reflect.Value) float64 {
	return length(a[1]) + number(a[0])*float64(1+strings.Count(a[1].String(), "\n"))
}

func regexSize(a []reflect.Value) float64 {
	expression, err := regexp.Compile(a[0].String())
	if err != nil {
		return 0
	}
	matches, groups := len(expression.FindAllStringIndex(a[1].String(), -1)), strings.Count(a[2].String(), "$")
	return length(a[1])*float64(1+groups) + float64(matches)*length(a[2])
}

func wrapSize(width reflect.Value, separator float64, text reflect.Value) float64 {
	return length(text) * (1 + separator/max(1, number(width)))
}

func joinSize(a []reflect.Value) float64 {
	list := a[1]
	for list.Kind() == reflect.Interface {
		list = list.Elem()
	}
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
			total += length(item)
		}
	}
	return total
}

func concatSize(a []reflect.Value) float64 {
	total := 0.0
	for i := range a[0].Len() {
		if list := a[0].Index(i).Elem(); list.Kind() == reflect.Slice {
			total += length(list) * 2 * wordSize
		}
	}
	return total
}

func splitSize(a []reflect.Value) float64 {
	return entrySize * float64(strings.Count(a[1].String(), a[0].String()))
}

func keys(dicts ...map[string]any) []string {
	var all []string
	for _, dict := range dicts {
		all = append(all, slices.Sorted(maps.Keys(dict))...)
	}
	return all
}

func values(dict map[string]any) []any {
	all := []any{}
	for _, name := range slices.Sorted(maps.Keys(dict)) {
		all = append(all, dict[name])
	}
	return all
}
