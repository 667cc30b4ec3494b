package shell_test

import (
	"os/exec"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/shell"
)

// TestQuote has a shell read each word.
func TestQuote(t *testing.T) {
	for text, want := range map[string]string{
		"pod/a-1.b": "pod/a-1.b", "": "''", "pod/a;rm -rf /": "'pod/a;rm -rf /'", "it's $(x)": `'it'\''s $(x)'`,
		"a\n~": "'a\n~'",
	} {
		quoted := shell.Quote(text)
		if quoted != want {
			t.Errorf("%q: %s", text, quoted)
		}
		read, err := exec.Command("sh", "-c", "printf %s "+quoted).Output()
		if err != nil || string(read) != text {
			t.Errorf("%q: the shell reads %q: %v", text, read, err)
		}
	}
}
