package cli

import (
	"fmt"
	"slices"
	"strings"
)

// respellings are the flags that became commands, each with the command that it was a flag of.
var respellings = []struct{ command, flag, short, value, now string }{
	{"install", "--check", "", "", "install check"},
	{"health config", "--live", "", "", "health config compare"},
	{"health config", "--output", "-o", "flux", "health config flux"},
}

// respelled returns arguments as this release takes them, with a notice if an earlier one took them otherwise.
func respelled(args []string) (now []string, notice string) {
	for _, e := range respellings {
		at, width, value := findFlag(args, e.flag, e.short)
		if width == 0 || e.value != "" && value != e.value {
			continue
		}
		others := slices.Concat(args[:at], args[at+width:]) // the flag may also stand before the command
		path := strings.Fields(e.command)
		if len(others) < len(path) || !slices.Equal(others[:len(path)], path) {
			continue
		}
		now = strings.Fields(e.now)
		if e.value == "" {
			now = append(now, value)
		}
		was := strings.TrimSpace(e.command + " " + e.flag + " " + e.value)
		return append(now, others[len(path):]...), fmt.Sprintf("%s is %s now", was, e.now)
	}
	return args, ""
}

// findFlag returns where arguments have a flag with a value, how many of them it takes, 0 for none, and the value.
func findFlag(args []string, flag, short string) (at, width int, value string) {
	for i, arg := range args {
		name, value, joined := strings.Cut(arg, "=")
		switch {
		case arg == "--":
			return 0, 0, ""
		case name == flag && joined:
			return i, 1, value
		case (arg == flag || arg == short) && i+1 < len(args):
			return i, 2, args[i+1]
		case short != "" && strings.HasPrefix(arg, short) && arg != short:
			return i, 1, strings.TrimPrefix(arg[len(short):], "=")
		}
	}
	return 0, 0, ""
}
