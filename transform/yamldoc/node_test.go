package yamldoc

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestEntry compares entry with a plain loop over the entries, and Get with the same for merged keys. The mappings are
// random: narrow and wide ones, in block and flow style and in JSON, and with keys that are aliases, merge keys and
// collections.
func TestEntry(t *testing.T) {
	names := []string{"", "merged", "<<", "[a]"}
	for _, a := range "aby" {
		for _, b := range "aby" {
			names = append(names, string(a), string([]rune{a, b}), string([]rune{a, b, a}), string([]rune{a, 'x', b}))
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 0))
		keys := slices.DeleteFunc(slices.Clone(names), func(string) bool { return r.IntN(3) > 0 })
		r.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
		if len(keys) > narrow && r.IntN(2) > 0 {
			keys = keys[:narrow]
		}
		for style, text := range mappings(keys) {
			tree, err := Parse([]byte(text))
			if err != nil {
				t.Fatalf("%s: %v\n%s", style, err, text)
			}
			n := tree.Root.Get("mapping")
			for _, name := range names {
				want := loopedEntry(n, name)
				if got := n.entry(name); got != want {
					t.Errorf("seed %d: %s: entry(%q) is %v, want %v in\n%s", seed, style, name, got, want, text)
				}
				if want == nil {
					want = loopedEntry(n.merged(), name)
				}
				if got := n.Get(name); got != nil && (want == nil || got != want.Value) || got == nil && want != nil {
					t.Errorf("seed %d: %s: Get(%q) is %v, want %v in\n%s", seed, style, name, got, want, text)
				}
			}
		}
	}
}

// mappings returns documents with a mapping that has the keys, by their style.
func mappings(keys []string) map[string]string {
	var block, json, anchors, aliases []string
	for i, key := range keys {
		block = append(block, fmt.Sprintf("\n  %q: %d", key, i))
		json = append(json, fmt.Sprintf("%q: %d", key, i))
		if i%3 == 0 {
			anchors = append(anchors, fmt.Sprintf("&k%d %q", i, key))
			aliases = append(aliases, fmt.Sprintf("\n  *k%d : %d", i, i))
		} else {
			aliases = append(aliases, block[i])
		}
	}
	aliases = slices.Insert(aliases, len(aliases)/2, "\n  ? [a]\n  : 0")
	if !slices.Contains(keys, "<<") { // which Parse takes for the same key
		aliases = append(aliases, "\n  <<: {merged: 1, a: 2, ab: 3}")
	}
	all := map[string]string{
		"aliases": "keys: [" + strings.Join(anchors, ", ") + "]\nmapping:" + strings.Join(aliases, "") + "\n",
		"flow":    "mapping: {" + strings.Join(json, ", ") + "}\n",
		"JSON":    `{"mapping": {` + strings.Join(json, ", ") + "}}\n",
	}
	if len(keys) > 0 {
		all["block"] = "mapping:" + strings.Join(block, "") + "\n"
	}
	return all
}

func loopedEntry(n *Node, key string) *Entry {
	if n == nil {
		return nil
	}
	for i := range n.Entries {
		k := n.Entries[i].Key.resolve()
		if k.Kind == Scalar && k.tag != tagMerge && k.Value == key {
			return &n.Entries[i]
		}
	}
	return nil
}

// merged returns the mapping that is merged into n, or nil.
func (n *Node) merged() *Node {
	for _, e := range n.Entries {
		if e.Key.tag == tagMerge {
			return e.Value
		}
	}
	return nil
}
