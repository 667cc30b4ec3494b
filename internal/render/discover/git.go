package discover

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/buildenv"
)

// Ignored returns the files and folders below a folder of a work tree that git ignores, absolute, as git tells. Without
// git, or where it refuses the work tree, there are none.
func Ignored(ctx context.Context, dir string, getenv buildenv.Env) map[string]bool {
	// core.fsmonitor names a program
	cmd := exec.CommandContext(ctx, "git", "-c", "core.fsmonitor=false", "ls-files", "-z",
		"--others", "--ignored", "--exclude-standard", "--directory")
	cmd.Dir = dir
	for _, name := range []string{"PATH", "HOME", "XDG_CONFIG_HOME"} { // a hook of git has other variables of its own
		cmd.Env = append(cmd.Env, name+"="+getenv(name))
	}
	out, err := cmd.Output()
	if err != nil {
		return nil
	}
	all := map[string]bool{}
	for name := range strings.SplitSeq(string(out), "\x00") {
		if path := filepath.Join(dir, name); path != dir { // what is asked for
			all[path] = true
		}
	}
	return all
}
