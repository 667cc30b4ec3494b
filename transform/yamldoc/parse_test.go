package yamldoc

import (
	"fmt"
	"strings"
	"testing"
)

func parse(t *testing.T, body string) *Tree {
	t.Helper()
	tree, err := Parse([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func TestParseEmpty(t *testing.T) {
	for _, body := range []string{"", "\n", "# c\n", "\r\n", " "} {
		if tree := parse(t, body); tree.Root != nil {
			t.Errorf("%q has the root %+v", body, tree.Root)
		}
	}
	if tree := parse(t, "null\n"); !tree.Root.IsNull() || tree.Root == nil {
		t.Errorf("null has the root %+v", tree.Root)
	}
}

// TestParsePositions covers the traps in yaml.v3's positions.
func TestParsePositions(t *testing.T) {
	for _, tc := range []struct {
		name, body string
		path       Path
		want       string // the bytes of the value
		line, col  int
	}{
		{"columns count runes", "é: {ü: x}\n", path("é.ü"), "x", 1, 8},
		{"the byte order mark is not counted", "\ufeffa: x\n", path("a"), "x", 1, 4},
		{"a tab is one column", "a:\tx\n", path("a"), "x", 1, 4},
		{"CR ends a line", "a: 1\rb: x\r", path("b"), "x", 2, 4},
		{"CRLF ends one line", "a: 1\r\nb: x\r\n", path("b"), "x", 2, 4},
		{"NEL, LS and PS end lines for YAML only", "a: 1\u0085b: 2\u2028c: 3\u2029d: x\n", path("d"), "x", 1, 19},
		{"a block scalar starts at its indicator", "a: >-  # c\n  x\n\n  y\n\nb: 1\n", path("a"),
			">-  # c\n  x\n\n  y\n", 1, 4},
		{"a kept block scalar has its blank lines", "a: |+\n  x\n\n\nb: 1\n", path("a"), "|+\n  x\n\n\n", 1, 4},
		{"an indentation indicator counts from the parent", "a:\n  b: |1\n    x\n   y\n  c: 1\n", path("a.b"),
			"|1\n    x\n   y\n", 2, 6},
		{"more blanks than the indentation are content", "a: |\n  x\n   \nb: 1\n", path("a"), "|\n  x\n   \n", 1, 4},
		{"a comment after a block scalar", "a:\n  b: |\n    x\n  # c\n", path("a.b"), "|\n    x\n", 2, 6},
		{"an item's mapping starts at its key", "- # c\n  a: x\n", path("[0]"), "a: x", 2, 3},
		{"a null stands behind the colon", "a: # c\nb: 1\n", path("a"), "", 1, 3},
		{"a null in flow style, too", "a: {b: # c\n , c: 1}\n", path("a.b"), "", 1, 7},
		{"anchor and tag come before the value", "a: &x !!str # c\n  y\n", path("a"), "y", 2, 3},
		{"of a mapping and of its first key", "a: &x\n  &y b: 1\n", path("a"), "&y b: 1", 2, 3},
		{"plain lines", "a: b\n  c # d\n\n  # e\nf: 1\n", path("a"), "b\n  c", 1, 4},
		{"quotes inside quotes", `a: "b\" # c" # "` + "\n", path("a"), `"b\" # c"`, 1, 4},
		{"single quotes", "a: 'b''\n  c' # '\n", path("a"), "'b''\n  c'", 1, 4},
		{"brackets in comments and quotes", "a: [b, # ]\n  ']', c]\n", path("a"), "[b, # ]\n  ']', c]", 1, 4},
		{"a key and its colon in JSON", "{\"a\" :\n {\"\\u0062\": [1 , -2.5e3]}}", path("a.b[1]"), "-2.5e3", 2, 18},
		{"a string of JSON that YAML does not know", `{"a": "\/\ud83d\ude00"}`, path("a"), `"\/\ud83d\ude00"`, 1, 7},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tree := parse(t, tc.body)
			n := tree.Root.Get(tc.path...)
			if n == nil {
				t.Fatal("nothing there")
			}
			line, col := tree.Position(n.Start)
			if got := tc.body[n.Start:n.End]; got != tc.want || line != tc.line || col != tc.col {
				t.Errorf("got %d:%d: %q, want %d:%d: %q", line, col, got, tc.line, tc.col, tc.want)
			}
		})
	}
}

func TestParseFaults(t *testing.T) {
	bomb := "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
	for i := range 9 {
		aliases := strings.Repeat(fmt.Sprintf("*a%d, ", i), 10)
		bomb += fmt.Sprintf("a%d: &a%[1]d [%s]\n", i+1, strings.TrimSuffix(aliases, ", "))
	}
	for _, tc := range []struct{ name, body, want string }{
		{"duplicate key", "a: 1\nb: 2\n'a': 3\n", `3:1: duplicate key "a", first on line 1`},
		{"duplicate key in flow style", "x: {a: 1, a: 2}\n", `1:11: duplicate key "a", first on line 1`},
		{"duplicate key in JSON", "{\"a\": 1,\n\"\\u0061\": 2}", "2:1: duplicate key, first on line 1"}, // what is escaped may be a Secret
		{"indentation", "a: 1\n  b: 2\n", "2:3: mapping values are not allowed in this context"},
		{"indentation, far inside", "x:\n  a:\n    b: 1\n    c: 1\n   d: 1\n", "5:4: did not find expected key"},
		{"tab", "a:\n\tb: 1\n", "2:2: found character that cannot start any token"},
		{"open bracket", "x: y\na: [1, 2\nb: 3\n", "2:1: did not find expected ',' or ']'"},
		{"open quote", "x: y\na: 'b\nc: d\n", "2:1: found unexpected end of stream"},
		{"unknown anchor", "a: 1\nb: *x\n", `2:4: unknown anchor "x"; quote text that starts with *`},
		{"control character", "a: 1\nb: \x01\n", "2:1: control characters are not allowed"},
		{"bad escape", "x: 1\na: \"\\q\"\n", "2:1: found unknown escape character"},
		{"an anchor that contains itself", "a: &x\n  b: *x\n", `2:6: an anchor "x" that contains itself`},
		{"unknown anchor beside a Secret", "kind: Secret\nb: *hunter2\n",
			"2:4: unknown anchor; quote text that starts with *"},
		{"duplicate key beside a Secret", "{\"kind\": \"\\u0053ecret\",\n\"hunter2\": 1, \"hunter2\": 2}",
			"2:15: duplicate key, first on line 2"},
		{"an anchor that contains itself, beside a Secret", "kind: !!binary U2VjcmV0\na: &hunter2\n  b: *hunter2\n",
			"3:6: an anchor that contains itself"},
		{"alias bomb", bomb, "6:45: aliases expand to more than 1000000 nodes"},
		{"depth", strings.Repeat("[", 1500) + strings.Repeat("]", 1500), "1:1002: nested deeper than 1000"},
		{"depth of blocks", strings.Repeat("- ", 1500) + "a\n", "1:2003: nested deeper than 1000"},
		{"depth of JSON", strings.Repeat(`{"a":`, 1500) + "1" + strings.Repeat("}", 1500),
			"1:5002: nested deeper than 1000"},
		{"content after the root", "{a: 1}\nb: 2\n", "2:1: content after the end of the document"},
		{"JSON without a colon", "{\"a\": 1,\n \"b\" 2}", "2:6: invalid character '2' after object key"},
		{"JSON without an end", "{\"a\": 1", "1:8: unexpected end of JSON"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if _, err := Parse([]byte(tc.body)); err == nil || err.Error() != tc.want {
				t.Errorf("got %v, want %s", err, tc.want)
			}
		})
	}
}

func TestGet(t *testing.T) {
	tree := parse(t, `
base: &base {a: 1, b: 2}
other: &other {b: 3, c: "4"}
merged:
  <<: [*other, *base]
  d: ~
plain: {<<: *base, b: yes}
quoted: {"<<": *base}
alias: *base
list: [x, {y: 0x10}]
`)
	for _, tc := range []struct{ path, want string }{
		{"base.a", "1"}, {"merged.a", "1"}, {"merged.b", "3"}, {"merged.c", "4"}, {"merged.d", ""}, {"plain.a", "1"},
		{"plain.b", "yes"}, {"quoted.a", ""}, {"alias.b", "2"}, {"list[0]", "x"}, {"list[1].y", "0x10"},
		{"list[2]", ""},
		{"list.x", ""}, {"base[0]", ""}, {"no.such.path", ""}, {"list", ""},
	} {
		if got := tree.Root.Get(path(tc.path)...).Str(); got != tc.want {
			t.Errorf("%s is %q, want %q", tc.path, got, tc.want)
		}
	}
	if i, ok := tree.Root.Get("list", 1, "y").Int(); i != 16 || !ok {
		t.Errorf("y is %d %v", i, ok)
	}
	if _, ok := tree.Root.Get("other", "c").Int(); ok {
		t.Error("a string is an int")
	}
	merged := tree.Root.Get("merged")
	if !merged.Has("a") || !merged.Has("d") || merged.Has("e") || !merged.Get("d").IsNull() {
		t.Error("has")
	}
}
