package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

const module = `
-- go.mod --
module example.com/m
-- m.go --
package m

func one() int { return 1 }

func two() int { return 2 }
-- m_test.go --
package m

import "testing"

func TestOne(t *testing.T) {
	if one() != 1 {
		t.Error("one")
	}
}

func TestTwo(t *testing.T) {
	if two() != 2 {
		t.Error("two")
	}
}

func TestBoth(t *testing.T) {
	done := make(chan bool)
	go func() {
		if one() > two() {
			panic("both")
		}
		close(done)
	}()
	<-done
}
`

// TestMutants runs mutants of a small module.
func TestMutants(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	t.Chdir(t.TempDir())
	for _, file := range txtar.Parse([]byte(module)).Files {
		if err := os.WriteFile(file.Name, file.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct{ tests, from, to, want string }{
		{"TestOne", "func one() int { return 1 }", "func one() int { return 0 }", ""},
		{"TestBoth TestOne", "func one() int { return 1 }", "func one() int { return 3 }", ""}, // the panic ends the others
		{"TestOne", "func one() int { return 1 }", "func one() int { return 3 }", `["TestBoth" "TestOne"] fail`},
		{"TestTwo", "func one() int { return 1 }", "func one() int { return 0 }", `["TestOne"] fail`},
		{"TestOne", "func one() int { return 1 }", "func one() int { return 2 - 1 }", "it survives: TestOne passes"},
		{"TestOne", "func one() int { return 1 }", "func one() int { return x }", "it does not build"},
		{"TestOne", "func three() int { return 3 }", "func three() int { return 0 }", "m.go has the lines 0 times"},
	} {
		archive := ".\n\n-- " + tc.tests + " --\nit is wrong\nm.go\n-" + tc.from + "\n+" + tc.to + "\n" +
			"-- TestBoth TestOne TestTwo --\nnot tested here\nm.go\n-package m\n+package n\n"
		if err := os.WriteFile("proofs.txtar", []byte(archive), 0o666); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		err := proofs(t.Context(), &out, "it is wrong", 1, []string{"proofs.txtar"})
		if (err == nil) != (tc.want == "") || !strings.Contains(out.String(), tc.want) {
			t.Errorf("%q for %q, which names %s: %v, want %q:\n%s", tc.to, tc.from, tc.tests, err, tc.want, &out)
		}
	}
	if err := proofs(t.Context(), &bytes.Buffer{}, "nothing", 1, []string{"proofs.txtar"}); err == nil {
		t.Error("an expression that selects nothing is no error")
	}
}
