package transform

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
)

// TestFacts checks that Index gets the facts about each object, as it came and as it is repaired, without another call.
func TestFacts(t *testing.T) {
	var files []File
	for i := range 3 {
		data := strings.Replace(service, "churn", fmt.Sprintf("churn-%d", i), 1)
		files = append(files, File{Path: fmt.Sprint(i), Data: []byte(data)})
	}
	var calls atomic.Int32
	var seen []string
	config := Config{
		Rules: []*Rule{wants("KS991", "owner", "us", services)},
		Facts: func(o *Object) any {
			calls.Add(1)
			return o.Name + o.Annotation("owner")
		},
		Index: func(r *Render) any {
			for _, o := range r.All() {
				seen = append(seen, o.Facts().(string))
			}
			return nil
		},
	}
	if _, err := Run(t.Context(), files, config); err != nil {
		t.Fatal(err)
	}
	const want = "churn-0 churn-1 churn-2 churn-0us churn-1us churn-2us"
	if got := strings.Join(seen, " "); got != want || calls.Load() != 6 {
		t.Errorf("%d calls give %q, want 6 and %q", calls.Load(), got, want)
	}
}
