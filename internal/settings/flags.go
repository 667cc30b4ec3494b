package settings

import (
	"strings"

	"github.com/spf13/pflag"
)

// Flags are the settings given on the command line.
type Flags struct{ values []*flagValue }

// flagValue is a pflag.Value that keeps the text of a flag. Load validates it, as it does for the other levels.
type flagValue struct {
	row    *Setting
	values []string
}

// Bind adds a flag for every setting.
func Bind(set *pflag.FlagSet) *Flags {
	f := &Flags{}
	for i := range Table {
		v := &flagValue{row: &Table[i]}
		f.values = append(f.values, v)
		bound := set.VarPF(v, v.row.Name, "", v.row.Help)
		if v.row.isSwitch() {
			bound.NoOptDefVal = "true"
		}
	}
	return f
}

// IsFlag reports whether Bind made the flag.
func IsFlag(flag *pflag.Flag) bool {
	_, ok := flag.Value.(*flagValue)
	return ok
}

func (f *flagValue) Set(text string) error {
	f.values = append(f.values, trimmed(f.row.split(text))...)
	return nil
}

func (f *flagValue) String() string {
	if f.row == nil { // pflag calls String on a zero value
		return ""
	}
	return f.row.Default
}

func (f *flagValue) Type() string {
	switch {
	case f.row.isSwitch():
		return "bool"
	case f.row.isList():
		return "list"
	case f.row.isMap():
		return "map"
	case len(f.row.Values) > 0:
		return strings.Join(f.row.Values, "|")
	}
	return "value"
}

func (f *Flags) given() []given {
	var all []given
	for _, v := range f.values {
		if len(v.values) == 0 {
			continue
		}
		values := v.values
		if !v.row.isList() && !v.row.isMap() {
			values = values[len(values)-1:] // the last of a repeated flag wins
		}
		all = append(all, given{v.row.Name, values, origin{byFlag, "flag --" + v.row.Name}})
	}
	return all
}
