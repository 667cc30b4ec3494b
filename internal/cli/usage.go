package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
)

// takes is the number of arguments of a command. Its use names them.
func takes(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		_, named, _ := strings.Cut(cmd.Use, " ")
		switch {
		case len(args) < least:
			return fmt.Errorf("%s needs %s; %s --help shows examples", cmd.CommandPath(), named, cmd.CommandPath())
		case most == 0 && len(args) > 0:
			return fmt.Errorf("%s takes no arguments, but got %q", cmd.CommandPath(), args[0])
		case len(args) > most:
			return fmt.Errorf("%s takes %s, and %q is one too many; %s --help shows examples",
				cmd.CommandPath(), named, args[most], cmd.CommandPath())
		}
		return nil
	}
}

// flagError returns what is wrong with the flags in our words, with the command that helps.
func flagError(cmd *cobra.Command, err error) error {
	if cmd.HasSubCommands() && cmd.Flags().NArg() > 0 { // the flag of a command that is not known
		return unknownCommand(cmd, cmd.Flags().Args())
	}
	if errors.Is(err, pflag.ErrHelp) {
		return pflag.ErrHelp
	}
	help := cmd.CommandPath() + " --help lists the flags"
	if hasManySettings(cmd) {
		help = cmd.CommandPath() + " --help-all lists the flags"
	}
	var unknown *pflag.NotExistError
	var empty *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	var syntax *pflag.InvalidSyntaxError
	switch {
	case errors.As(err, &unknown):
		name := "--" + unknown.GetSpecifiedName()
		if short := unknown.GetSpecifiedShortnames(); short != "" {
			name = "-" + unknown.GetSpecifiedName()
			if len(short) > 1 { // several flags, or a long name after one dash
				name += " in -" + short
			}
		}
		return fmt.Errorf("unknown flag: %s; %s%s", name, nearestFlag(cmd, unknown), help)
	case errors.As(err, &empty):
		_, usage := pflag.UnquoteUsage(empty.GetFlag())
		return fmt.Errorf("flag --%s needs a value: %s", empty.GetFlag().Name, usage)
	case errors.As(err, &invalid):
		return fmt.Errorf("flag --%s: %q is not %s",
			invalid.GetFlag().Name, invalid.GetValue(), wanted(invalid.GetFlag().Value.Type()))
	case errors.As(err, &syntax):
		return fmt.Errorf("%s is no flag; %s", syntax.GetSpecifiedFlag(), help)
	}
	return err
}

// pathFlag is a flag that names a file or folder. It refuses the empty value that a shell makes of a variable that is not
// set: without the flag the command would do less and say nothing.
type pathFlag string

func (p *pathFlag) String() string { return string(*p) }
func (p *pathFlag) Type() string   { return "path" }

func (p *pathFlag) Set(path string) error {
	if path == "" {
		return errors.New("the path is empty")
	}
	*p = pathFlag(path)
	return nil
}

// nearestFlag asks whether another flag was meant, or returns "".
func nearestFlag(cmd *cobra.Command, unknown *pflag.NotExistError) string {
	typed := unknown.GetSpecifiedName()
	if short := unknown.GetSpecifiedShortnames(); short != "" {
		typed, _, _ = strings.Cut(short, "=")
	}
	if len(typed) == 1 {
		return ""
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
	return settings.DidYouMean("--"+typed, names)
}

// wanted says what a flag of a type of pflag takes.
func wanted(kind string) string {
	switch kind {
	case "bool":
		return "true or false"
	case "duration":
		return "a duration such as 45s or 10m"
	case "path":
		return "a path"
	}
	return "of the type " + kind
}
