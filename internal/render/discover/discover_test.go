package discover

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render"
)

// TestNotUTF8 checks the message about a folder that Go's file systems cannot name.
func TestNotUTF8(t *testing.T) {
	dir := t.TempDir()
	const name = "models\xff"
	if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
		t.Skip("this file system takes UTF-8 only: ", err)
	}
	o := render.Options{Getenv: func(string) string { return "" }}
	_, err := Sources(t.Context(), dir, o, func(string) bool { return false })
	if err == nil || err.Error() != filepath.Join(dir, name)+": its name is not UTF-8, so rename it" {
		t.Errorf("Sources: %v", err)
	}
}
