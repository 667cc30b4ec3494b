package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func newVersionCommand(env *Env) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of this program",
		Args:  takes(0, 0),
		RunE: func(cmd *cobra.Command, args []string) error {
			return env.write(cmd.Context(), []byte(versionLine()))
		},
	}
}

// versionLine is what the command version and the flag --version print.
func versionLine() string {
	return fmt.Sprintf("%s %s, %s %s/%s\n", program, buildVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// buildVersion is the module's version, which the go command stamps from the Git tag or commit.
func buildVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}
