package chart

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"text/template"

	"github.com/Masterminds/sprig/v3"
)

// functions returns the template functions that differ from Helm's. Those that can make much out of little refuse to
// make more than maxExpanded bytes: a single call could take more memory than there is before anything else can end the
// process. Those that give another value on each render are noted in changing. keys and values return the entries of a
// map in the order of their names, and not in a random one.
func functions(maxExpanded int64, changing map[string]bool) template.FuncMap {
	all := template.FuncMap{"keys": keys, "values": values}
	original := originals()
	for name, size := range sizes(maxExpanded) {
		all[name] = before(original[name], func(arguments []any) {
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
		all[name] = before(function, func([]any) { changing[name] = true })
	}
	return all
}

// originals returns the functions of templates: those of the library that Helm takes them from, of Helm itself, and of
// Go.
func originals() template.FuncMap {
	all := sprig.TxtFuncMap()
	maps.Copy(all, converters)
	maps.Copy(all, template.FuncMap{
		"print": fmt.Sprint, "printf": fmt.Sprintf, "println": fmt.Sprintln,
		"html": template.HTMLEscaper, "js": template.JSEscaper, "urlquery": template.URLQueryEscaper,
	})
	return all
}

// before returns a function that calls check first. What check panics with becomes the error of the template.
func before(function any, check func(arguments []any)) any {
	switch f := function.(type) { // templates call these so often that reflection takes its time
	case func(any) string:
		return func(v any) string { check([]any{v}); return f(v) }
	case func(...any) string:
		return func(v ...any) string { check(v); return f(v...) }
	case func(string, ...any) string:
		return func(format string, v ...any) string { check(append([]any{format}, v...)); return f(format, v...) }
	case func(int, string) string:
		return func(n int, text string) string { check([]any{n, text}); return f(n, text) }
	}
	f := reflect.ValueOf(function)
	return reflect.MakeFunc(f.Type(), func(arguments []reflect.Value) []reflect.Value {
		all := make([]any, len(arguments))
		for i, argument := range arguments {
			all[i] = argument.Interface()
		}
		check(all)
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
