package pairs

import "testing"

// TestVerdict checks what each pair counts as.
func TestVerdict(t *testing.T) {
	of := func(rule string) []finding { return []finding{{Rule: rule, Message: "the API server refuses it"}} }
	fault := []string{"refused: no"}
	for _, c := range []struct {
		pair  pair
		want  verdict
		cause string
	}{
		{pair{}, quiet, ""},
		{pair{failed: fault}, missed, "refused: no"},
		{pair{failed: fault, announced: of("KS301"), warned: of("KS301")}, missed, "refused: no"},
		{pair{failed: fault, advised: of("KS717")}, missed, "refused: no (with advice of KS717)"},
		{pair{failed: fault, announced: of("KS106"), warned: of("KS405")}, announced, "KS106"},
		{pair{failed: fault, warned: of("KS405")}, warned, "KS405"},
		{pair{announced: of("KS106"), arisen: of("KS106")}, alarmed, "KS106"},
		{pair{announced: of("KS106"), arisen: of("KS106"), anew: fault}, kept, "KS106"},
		{pair{announced: of("KS106")}, quiet, ""},
		{pair{announced: of("KS708"), arisen: of("KS708"), warned: of("KS405")}, unseen, "KS708"},
		{pair{announced: of("KS301"), arisen: of("KS301"), warned: of("KS405")}, cautioned, "KS405"},
	} {
		if v, cause := c.pair.verdict(); v != c.want || cause != c.cause {
			t.Errorf("%+v: verdict %d (%s), want %d (%s)", c.pair, v, cause, c.want, c.cause)
		}
	}
}
