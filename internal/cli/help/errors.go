package help

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
)

// unknownCommand returns the error for a command that the group, or the root, does not have.
func unknownCommand(group *cobra.Command, args []string) error {
	if len(args) == 0 {
		group.SetOut(group.ErrOrStderr()) // stdout is for manifests
		_ = group.Usage()
		return errors.New("a command is missing")
	}
	var names []string
	for _, c := range group.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	path := strings.TrimPrefix(group.CommandPath()+" "+args[0], group.Root().Name()+" ")
	return fmt.Errorf("unknown command %q; %sthe commands are %s",
		path, settings.DidYouMean(args[0], names), strings.Join(names, ", "))
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
		advice := cmp.Or(shows[cmd.Name()+" "+name], nearestFlag(cmd, unknown))
		return fmt.Errorf("unknown flag: %s; %s%s", name, advice, help)
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

// foreign has the flags of other programs that people try, with the flag that does the same here.
var foreign = map[string]string{
	"debug":     "verbose",
	"format":    "output",
	"no-color":  "color",
	"recursive": "discover",
	"set":       "helm-parameters",
	"severity":  "fail-on",
	"silent":    "quiet",
	"values":    "helm-values-files",
}

// shows is what has the effect of flags of other programs, by the command and the flag.
var shows = map[string]string{"fix --dry-run": "diff shows what fix writes, and the repairs of what is rendered; "}

// nearestFlag asks whether another flag of the command was meant, or returns "".
func nearestFlag(cmd *cobra.Command, unknown *pflag.NotExistError) string {
	typed := unknown.GetSpecifiedName()
	if short := unknown.GetSpecifiedShortnames(); short != "" {
		typed, _, _ = strings.Cut(short, "=")
	}
	if len(typed) == 1 {
		return ""
	}
	if own := foreign[typed]; cmd.Flags().Lookup(own) != nil {
		typed = own
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
