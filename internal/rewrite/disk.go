package rewrite

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/lazyregexp"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/paths"
)

// Staged files are hidden, so that they are no manifests.
const stagedPrefix = ".argocd-kserve-plugin-"

var stagedName = lazyregexp.New("^" + regexp.QuoteMeta(stagedPrefix) + "[0-9]+$")

// OS is the Disk of the operating system.
type OS struct{}

// Stage writes data to a new hidden file in the same folder.
func (OS) Stage(beside string, data []byte) (path string, err error) {
	info, err := os.Stat(beside)
	if err != nil {
		return "", err
	}
	file, err := os.CreateTemp(filepath.Dir(beside), stagedPrefix+"*")
	if err != nil {
		return "", fmt.Errorf("no new file can be made beside it: %w", paths.Reason(err))
	}
	_, err = file.Write(data)
	err = cmp.Or(err, own(file, info), file.Chmod(info.Mode()), file.Sync())
	err = cmp.Or(err, file.Close())
	if err != nil {
		_ = os.Remove(file.Name())
		return "", err
	}
	return file.Name(), nil
}

func (OS) Rename(from, to string) error { return os.Rename(from, to) }

func (OS) Remove(path string) error { return os.Remove(path) }
