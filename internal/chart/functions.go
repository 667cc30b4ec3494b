package chart

import (
	"maps"
	"reflect"
	"slices"
	"text/template"

	"github.com/Masterminds/sprig/v3"
)

// functions returns the template functions that differ from Helm's. Those that give another value on each render note
// their names in changing. keys and values return the entries of a map sorted by name instead of in random order.
func functions(changing map[string]bool) template.FuncMap {
	all := template.FuncMap{"keys": keys, "values": values}
	original := sprig.TxtFuncMap()
	for _, name := range changingFunctions {
		f := reflect.ValueOf(original[name])
		all[name] = reflect.MakeFunc(f.Type(), func(arguments []reflect.Value) []reflect.Value {
			changing[name] = true
			if f.Type().IsVariadic() {
				return f.CallSlice(arguments)
			}
			return f.Call(arguments)
		}).Interface()
	}
	return all
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
