package yamldoc

import (
	"strings"
	"testing"
)

// TestScalarText checks that readers of YAML 1.1, such as Kubernetes, and of YAML 1.2 get the same string.
func TestScalarText(t *testing.T) {
	for _, tc := range []struct{ value, block, flow string }{
		{"text", `text`, `text`},
		{"two words", `two words`, `two words`},
		{"http://x:8080/a?b#c", `http://x:8080/a?b#c`, `"http://x:8080/a?b#c"`},
		{"a,b", `a,b`, `"a,b"`},
		{"{a}", `"{a}"`, `"{a}"`},
		{"registry.example.com/a/b:1.2.3", `registry.example.com/a/b:1.2.3`, `"registry.example.com/a/b:1.2.3"`},
		{"1.2.3", `1.2.3`, `1.2.3`},
		{"500m", `500m`, `500m`},
		{"8Gi", `8Gi`, `8Gi`},
		{"0x", `0x`, `0x`},
		{"é \U0001f600", "é \U0001f600", "é \U0001f600"},
		{"it's", `it's`, `it's`},
		{"", `""`, `""`},
		{" a", `" a"`, `" a"`},
		{"a ", `"a "`, `"a "`},
		{"a: b", `"a: b"`, `"a: b"`},
		{"a:", `"a:"`, `"a:"`},
		{"a #b", `"a #b"`, `"a #b"`},
		{"-f", `"-f"`, `"-f"`},
		{"---", `"---"`, `"---"`},
		{"...", `"..."`, `"..."`},
		{"*", `"*"`, `"*"`},
		{"@a", `"@a"`, `"@a"`},
		{"a\tb\n\"\\\r\x00\u0085\u2028\ufeff", `"a\tb\n\"\\\r\u0000\u0085\u2028\ufeff"`,
			`"a\tb\n\"\\\r\u0000\u0085\u2028\ufeff"`},
	} {
		if got := scalarText(tc.value, Plain, false); got != tc.block {
			t.Errorf("%q in block style is %s, want %s", tc.value, got, tc.block)
		}
		if got := scalarText(tc.value, Plain, true); got != tc.flow {
			t.Errorf("%q in flow style is %s, want %s", tc.value, got, tc.flow)
		}
	}
}

// TestNotString lists texts that are strings only in quotes.
func TestNotString(t *testing.T) {
	for _, value := range strings.Fields(`
		~ null Null NULL = <<
		y Y n N yes Yes YES no No NO true True TRUE false False FALSE on On ON off Off OFF
		0 7 -1 +1 0777 0o17 0x1F 0b101 1_000 -0b1 12345678901234567890 0O17 0X1F 0B101 0b+1 0o-7
		1. 1.5 -1.5 .5 1e3 1E-3 1.5e+3 6.8523015e+5 685.230_15 .inf -.Inf +.INF .nan .NaN .NAN
		1:30 190:20:30 -190:20:30 190:20:30.15
		2001-12-14 2001-1-1 2001-12-14t21:59:43.10-05:00 2001-12-15T02:59:43.1Z`) {
		if got := scalarText(value, Plain, false); got != `"`+value+`"` {
			t.Errorf("%s is written as %s", value, got)
		}
	}
	if got := scalarText("2001-12-14 21:59:43.10 -5", Plain, false); got[0] != '"' {
		t.Errorf("a time is written as %s", got)
	}
}
