package yamldoc

import "testing"

func TestEqual(t *testing.T) {
	for _, tc := range []struct {
		name, a, b string
		want       bool
	}{
		{"order of keys", "{x: 1, y: 2}", "{y: 2, x: 1}", true},
		{"style", "{x: 'a'}", "x: a", true},
		{"type", "{x: 1}", "{x: '1'}", false},
		{"merge keys", "{<<: {x: 1}, y: 2}", "{y: 2, <<: {x: 1}}", true},
		{"merge keys with other values", "{<<: {x: 1}}", "{<<: {x: 2}}", false},
		{"a merge key and a text", "{<<: {x: 1}}", "{'<<': {x: 1}}", false},
		{"collections as keys", "{[a, b]: 1}", "{[a, b]: 1}", true},
		{"other collections as keys", "{[a, b]: 1}", "{[a, c]: 1}", false},
		{"an alias", "{x: &x {y: 1}, z: *x}", "{x: {y: 1}, z: {y: 1}}", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a, b := parsed(t, tc.a), parsed(t, tc.b)
			if a.Equal(b) != tc.want || b.Equal(a) != tc.want {
				t.Errorf("%s and %s: equal is %t, want %t", tc.a, tc.b, a.Equal(b), tc.want)
			}
		})
	}
}

func parsed(t *testing.T, text string) *Node {
	t.Helper()
	tree, err := Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return tree.Root
}
