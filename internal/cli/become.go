package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/memory"
)

// withHelm is the program that is the same with Helm linked in. Linked into the main program, Helm would take more time
// to start than most sources take to render.
const withHelm = program + "-helm"

const modulePath = "github.com/argocd-kserve-plugin/argocd-kserve-plugin"

// becomeHelm runs the program with Helm, which is in the same folder, with the same arguments. Where the system can
// replace a process it returns only if that fails, otherwise with the exit code.
func (env *Env) becomeHelm() (int, error) {
	self, err := os.Executable()
	if err != nil {
		return 0, fmt.Errorf("finding %s, which renders Helm charts: %w", withHelm, err)
	}
	path := filepath.Join(filepath.Dir(self), withHelm+filepath.Ext(self))
	if filepath.Base(os.Args[0]) == filepath.Base(path) { // it would start itself again and again
		return 0, fmt.Errorf("%s is %s under another name, and renders no Helm charts: replace it", path, program)
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return 0, fmt.Errorf("a Helm chart needs the program %s in the same folder as %s; the image and the archives of a "+
			"release have both, or install it there: go install %s/cmd/%s@%s",
			withHelm, program, modulePath, withHelm, installable())
	}
	memory.Unlimit(os.Getpid()) // the other program is larger, and sets its own limit
	code, err := env.replace(path)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", withHelm, reason(err))
	}
	return code, nil
}
