package application

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"
)

// TestGitSettings compares the settings of files, and which of them are none, with what git reads.
func TestGitSettings(t *testing.T) {
	for _, text := range []string{
		"", "# only a comment", "[a]", "\ufeff[a]\n x = 1\n", "[a]\r\n\tx = 1\r\n\r\n[b]\r\n\ty\r\n", "[a]x=1",
		"[a]\n x = 1 ; no\n # no\n y = 2 # no \\\n z = 3\n", "[A.b.C]\n X = 1\n", "[A.b \"C.d\"]\n X-1 = 1\n",
		"[a \"b]c#;\\\"\\\\\\d\"] x = 1 ; no\n[b][c]\nx\n", "[a\t\"\"]\nx = 1\n", "[a] # no\nx = 1\n",
		"[a]\n x =\n y = # no\n z\n", "[a]\n x = a=b [c] 'd\n", "[a]\n x = \" b ; # \" c  \n",
		"[a]\n x = b\"c\"#no\n", "[a]\n x = a\\tb\\nc\\\\d\\\"e\\bf\n",
		"[a]\n l = \"!f() { \\\n[ -n x ] && echo \\\"$@\\\"; \\\n}; f\"\n", "[a]\r\n x = b \\\r\n c\r\n",
		"# J\xf6rg\n[a]\n x = J\xf6rg\n", "[a]\n x = \"\"\n", "[a\n", "x = 1\n", "[a]\n x = \\q\n",
		"[a]\n x = \"b\n", "[a]\n 1x = 1\n", "[a]\n x y = 1\n", "[a]\n x # no\n", "[a \"b\nc\"]\n",
		"[a\"b\"]\n", "[a]\n\vx = 1\n",
	} {
		cmd := exec.CommandContext(t.Context(), "git", "config", "--null", "--list", "--file", "-")
		cmd.Dir, cmd.Stdin = t.TempDir(), strings.NewReader(text)
		want, refused := cmd.Output()
		var got strings.Builder
		var fault error
		for s, err := range gitSettings(text) {
			switch fault = err; {
			case err != nil:
			case s.valued:
				fmt.Fprintf(&got, "%s\n%s\x00", s.key, s.value)
			default:
				fmt.Fprintf(&got, "%s\x00", s.key)
			}
		}
		if (fault != nil) != (refused != nil) || fault == nil && got.String() != string(want) {
			t.Errorf("%q\ngot  %q, %v\nwant %q, %v", text, got.String(), fault, want, refused)
		}
	}
}
