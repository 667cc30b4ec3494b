package yamldoc

import "testing"

func TestAddToFlow(t *testing.T) {
	runApply(t, []applyCase{
		{"one line", "a: {b: c} # d\n", []Edit{set("a.d", "e"), set("a.f", "g:h")},
			"a: {b: c, d: e, f: \"g:h\"} # d\n"},
		{"with blanks", "a: { b : c , d : e }\n", []Edit{set("a.f", Map{{"x", []any{1, "2"}}})},
			"a: { b : c , d : e, f : {x : [1, \"2\"]} }\n"},
		{"sequence", "a: [b, 'c']\n", []Edit{set("a[2]", "d")}, "a: [b, 'c', d]\n"},
		{"quoted like the others", "a: ['b', 'c']\nd: {\"e\": \"f\"}\n", []Edit{set("a[2]", "d"), set("d.g", "h")},
			"a: ['b', 'c', 'd']\nd: {\"e\": \"f\", \"g\": \"h\"}\n"},
		{"trailing comma", "a: { b: c, }\n", []Edit{set("a.d", "e")}, "a: { b: c, d: e, }\n"},
		{"parents without a value", "a: {b: , c: ~, d: {}, e, f: [ ]}\n",
			[]Edit{set("a.b.x", 1), set("a.c.x", 1), set("a.d.x", 1), set("a.e.x", 1), set("a.f[0]", 1)},
			"a: {b: {x: 1} , c: {x: 1}, d: {x: 1}, e: {x: 1}, f: [1]}\n"},
		{"behind a null", "a: {b: }\nc: {d}\n", []Edit{set("a.x", 1), set("c.x", 1)}, "a: {b: , x: 1}\nc: {d, x: 1}\n"},
		{"several lines", "a: {b: c,\n    d: e}\n", []Edit{set("a.f", "g")}, "a: {b: c,\n    d: e,\n    f: g}\n"},
		{"a line each, comments stay with what they are about", `a: {
  b: c, # about b
  d: e # about d
  # the end
}
`, []Edit{set("a.f", "g"), set("a.h", Map{{"i", 1}})}, `a: {
  b: c, # about b
  d: e, # about d
  f: g,
  h: {i: 1}
  # the end
}
`},
		{"a line each and a trailing comma", "a: [\n  b,\n  c, # about c\n]\n", []Edit{set("a[2]", "d")},
			"a: [\n  b,\n  c, # about c\n  d,\n]\n"},
		{"one line between brackets", "a: {\n  b: 1, c: 2 # d\n}\n", []Edit{set("a.x", 1)},
			"a: {\n  b: 1, c: 2, # d\n  x: 1\n}\n"},
	})
}

func TestReplaceInFlow(t *testing.T) {
	runApply(t, []applyCase{
		{"scalars", "a: {b: 'c', d: e, f: [1, yes]}\n",
			[]Edit{set("a.b", "x"), set("a.d", "g, h"), set("a.f[0]", "1"), set("a.f[1]", true)},
			"a: {b: 'x', d: \"g, h\", f: [\"1\", true]}\n"},
		{"collections", "a: {b: {c: d}, e: [f]}\n", []Edit{set("a.b", Map{{"x", 1}, {"z", Map{}}}), set("a.e", "g")},
			"a: {b: {x: 1, z: {}}, e: g}\n"},
		{"rename", "a: {b: c, 'd': e}\n", []Edit{rename("a.b", "x:z"), rename("a.d", "f")},
			"a: {\"x:z\": c, 'f': e}\n"},
	})
}

func TestDeleteFromFlow(t *testing.T) {
	runApply(t, []applyCase{
		{"the first", "a: [1, 2, 3]\n", []Edit{del("a[0]")}, "a: [2, 3]\n"},
		{"in the middle", "a: {b: 1, c: 2, d: 3}\n", []Edit{del("a.c")}, "a: {b: 1, d: 3}\n"},
		{"the last", "a: [ 1, 2, 3 ]\n", []Edit{del("a[1]"), del("a[2]")}, "a: [ 1 ]\n"},
		{"the last, with a comment right behind the comma before", "a: {b: c,# d\n  e: f\n}\n", []Edit{del("a.e")},
			"a: {b: c # d\n}\n"},
		{"the last before a trailing comma", "a: [1, 2, 3,]\n", []Edit{del("a[2]")}, "a: [1, 2,]\n"},
		{"all", "a: [1, 2] # c\nb: {c: {d: 1}}\n", []Edit{del("a[0]"), del("a[1]"), del("b.c.d")},
			"a: [] # c\nb: {c: {}}\n"},
		{"all, for something new", "a: {b: c}\n", []Edit{del("a.b"), set("a.d", "e")}, "a: {d: e}\n"},
		{"lines", "a: {\n  # about b\n  b: 1, # b\n  # about c\n  c: 2, # c\n  d: 3 # d\n}\n",
			[]Edit{del("a.b"), del("a.d")}, "a: {\n  # about b\n  # about c\n  c: 2 # c\n}\n"},
		{"lines with a trailing comma", "a: [\n  1,\n  2,\n]\n", []Edit{del("a[1]")}, "a: [\n  1,\n]\n"},
		{"the bracket on the line of the last", "a: {b: 1, # b\n    c: 2}\n", []Edit{del("a.c")},
			"a: {b: 1 # b\n    }\n"},
	})
}

func TestJSON(t *testing.T) {
	runApply(t, []applyCase{
		{"compact", `{"a":{"b":1},"c":[],"d":null}`,
			[]Edit{set("a.e", "f"), set("c", []any{1, "x"}), set("d.g.h", true), rename("a.b", "no")},
			`{"a":{"no":1,"e":"f"},"c":[1,"x"],"d":{"g":{"h":true}}}`},
		{"with blanks", `{"a": {"b": 1}, "c": [1, 2]}`,
			[]Edit{set("a.e", Map{{"f", "g"}, {"h", 1}}), set("c[2]", "x"), del("c[0]")},
			`{"a": {"b": 1, "e": {"f": "g", "h": 1}}, "c": [2, "x"]}`},
		{"a line each", `{
    "a": {
        "b": []
    },
    "c": {},
    "d": {"e": 1}
}
`, []Edit{
			set("a.b", []any{"x", Map{{"k", true}}}), set("a.e", "f"), set("c.g", 1), set("d.h", 2),
			set("i", Map{{"j", Map{}}}),
		}, `{
    "a": {
        "b": [
            "x",
            {
                "k": true
            }
        ],
        "e": "f"
    },
    "c": {
        "g": 1
    },
    "d": {"e": 1, "h": 2},
    "i": {
        "j": {}
    }
}
`},
		{"tabs", "{\n\t\"a\": {\n\t\t\"b\": 1\n\t}\n}\n", []Edit{set("a.c.d", 1)},
			"{\n\t\"a\": {\n\t\t\"b\": 1,\n\t\t\"c\": {\n\t\t\t\"d\": 1\n\t\t}\n\t}\n}\n"},
		{"delete", "{\n  \"a\": 1,\n  \"b\": [1, 2],\n  \"c\": 3\n}\n", []Edit{del("a"), del("c"), del("b[1]")},
			"{\n  \"b\": [1]\n}\n"},
		{"delete all", "{\n  \"a\": {\n    \"b\": 1\n  }\n}\n", []Edit{del("a.b")}, "{\n  \"a\": {}\n}\n"},
		{"empty", "{}\n", []Edit{set("a.b", "x")}, "{\"a\": {\"b\": \"x\"}}\n"},
		{"escapes", `{"a": "\/\ud83d\ude00", "b": "\u0061"}`,
			[]Edit{set("a", "/\"\\\u2028\x7f\n"), set("c", "\U0001f600")},
			`{"a": "/\"\\\u2028\u007f\n", "b": "\u0061", "c": "` + "\U0001f600" + `"}`},
	})
}
