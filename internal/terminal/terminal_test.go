package terminal

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestQuote(t *testing.T) {
	for _, tc := range []struct{ name, text, want string }{
		{"nothing", "", ""},
		{"plain text", `path/a b.yaml: "x" 'y' \ %`, `path/a b.yaml: "x" 'y' \ %`},
		{"other scripts", "irène 日本語 שלום 🌸", "irène 日本語 שלום 🌸"},
		{"a line end", "a\r\nb\n", `a\r\nb\n`},
		{"a tab", "a\tb", `a\tb`},
		{"NUL", "a\x00b", `a\x00b`},
		{"BEL", "a\ab", `a\ab`},
		{"ESC", "\x1b[31mred\x1b]0;title\a", `\x1b[31mred\x1b]0;title\a`},
		{"DEL", "a\x7fb", `a\x7fb`},
		{"CSI as a C1 control", "\u009b31m", `\u009b31m`},
		{"the first and the last C1 control, and what follows", "\u0080\u009f\u00a0", "\\u0080\\u009f\u00a0"},
		{"NEL", "a\u0085b", `a\u0085b`},
		{"embeddings and overrides", "\u202a\u202b\u202c\u202d\u202e", `\u202a\u202b\u202c\u202d\u202e`},
		{"isolates", "\u2066\u2067\u2068\u2069", `\u2066\u2067\u2068\u2069`},
		{"separators of lines", "a\u2028b\u2029", `a\u2028b\u2029`},
		{"no width", "a\u200b\u200c\u200d\u200e\u200f\ufeffb", `a\u200b\u200c\u200d\u200e\u200f\ufeffb`},
		{"tags", "a\U000e0001\U000e0041\U000e007fb", `a\U000e0001\U000e0041\U000e007fb`},
		{"other formats", "a\u00ad\u061c\u180e\u2060\u206f\ufff9b", `a\u00ad\u061c\u180e\u2060\u206f\ufff9b`},
		{"the neighbours of those", "\u200a\u2010\u2027\u202f\u2065\ufefe\U000e0080", "\u200a\u2010\u2027\u202f\u2065\ufefe\U000e0080"},
		{"invalid UTF-8", "a\x9b31m\xffb\xe2\x80", `a\x9b31m\xffb\xe2\x80`},
		{"a workflow command of GitHub Actions", "::error file=a::b::c", `\x3a:error file=a::b::c`},
		{"one after blanks", " \u00a0::error::b", " \u00a0\\x3a:error::b"},
		{"one after a tab", "\t::error::b", `\t\x3a:error::b`},
		{"colons elsewhere", "a::error::b", "a::error::b"},
		{"many colons", "::::", `\x3a:\x3a:`},
		{"a command of the old form", "a ##[add-mask]b ###[x]", `a \x23#[add-mask]b #\x23#[x]`},
		{"a command of Azure Pipelines", "a ##vso[task.complete]b", `a \x23#vso[task.complete]b`},
		{"a heading", "## [x] #[y]", "## [x] #[y]"},
		{"a replacement character", "a\ufffdb", "a\ufffdb"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := Quote(tc.text); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
			if got := Quote(tc.want); got != tc.want {
				t.Errorf("quoted twice: %q, want %q", got, tc.want)
			}
		})
	}
}

func TestQuoteEveryC0(t *testing.T) {
	for r := range rune(0x20) {
		if got := Quote(string(r)); !strings.HasPrefix(got, `\`) {
			t.Errorf("%U: %q", r, got)
		}
	}
}

func TestQuoteLines(t *testing.T) {
	got, want := QuoteLines("one\x1b\r\ntwo\u009b\n"), `one\x1b\r`+"\n"+`two\u009b`+"\n"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestIs(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0) // a character device, like a terminal
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	for name, w := range map[string]io.Writer{"a file": file, os.DevNull: null, "a buffer": new(bytes.Buffer)} {
		if Is(w) {
			t.Errorf("%s is a terminal", name)
		}
	}
}
