package yamldoc

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"
)

// TestCorpusEdits makes random edits in real documents, with and without CRLF. Apply makes each edit or refuses it.
func TestCorpusEdits(t *testing.T) {
	edited := 0
	eachDocument(t, func(name string, body []byte) {
		for seed := range uint64(4) {
			if seed%2 == 1 {
				body = bytes.ReplaceAll(body, []byte("\r\n"), []byte("\n"))
				body = bytes.ReplaceAll(body, []byte("\n"), []byte("\r\n"))
			}
			tree, err := Parse(body)
			if err != nil || tree.Root == nil {
				return
			}
			edits := randomEdits(tree.Root, rand.New(rand.NewPCG(seed, uint64(len(body)))))
			after, err := tree.Apply(edits)
			var unsafe *UnsafeError
			var conflict *ConflictError
			switch {
			case err == nil:
				edited++
				checkLost(t, tree, after, edits)
			case !errors.As(err, &unsafe) && !errors.As(err, &conflict):
				t.Errorf("%s (%d)\n%v\n%v", name, seed, edits, err)
			}
		}
	})
	t.Logf("%d edited", edited)
}
