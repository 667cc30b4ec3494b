package main

import (
	"math"
	"os"
	"strings"
	"testing"
	"time"
)

func TestVerdict(t *testing.T) {
	most := testCase{most: goal{ratio: 2, memory: 100}}
	for _, tc := range []struct {
		result
		want string
	}{
		{result{testCase: most, ratio: 2, memory: 150, input: 50}, "yes"},
		{result{testCase: most, ratio: 2.1, memory: 150, input: 50}, no},
		{result{testCase: most, ratio: 2, memory: 151, input: 50}, no},
		{result{testCase: most, ratio: 2}, no},
		{result{testCase: most, ratio: math.NaN(), memory: 1}, no},
		{result{testCase: testCase{most: goal{ratio: 2}}, ratio: 2}, "yes"},
		{result{testCase: testCase{most: goal{ratio: 2}}}, no},
	} {
		if got := tc.verdict(); got != tc.want {
			t.Errorf("%+v: %s", tc.result, got)
		}
		if err := missed([]result{tc.result}); (err == nil) != (tc.want == "yes") {
			t.Errorf("%+v: %v", tc.result, err)
		}
	}
}

// TestWritePage checks that what stands around the measured part stays, and that a page without its commit is not
// written.
func TestWritePage(t *testing.T) {
	hash, err := commit()
	if err != nil {
		t.Skip("no history: ", err)
	}
	page := t.TempDir() + "/page.md"
	write := func() error { return writePage(page, []result{{ratio: 1}}, 0.1, 2*time.Minute) }
	if err := os.WriteFile(page, []byte("# Page\n\n"+begin+"old\n"+end+"\ntail\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := write(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"# Page\n\n" + begin + "| what |", "\nMeasured in 2 minutes with commit " + hash + ", ", end + "\ntail\n",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	t.Chdir(t.TempDir())
	t.Setenv("GIT_CEILING_DIRECTORIES", os.TempDir())
	if err := write(); err == nil {
		t.Error("a page without a commit is no error")
	}
}
