package secret

import (
	"strings"
	"testing"
)

// TestFrame has values with a word of the message around them: in a settings file beside a chart, "helm-values".
func TestFrame(t *testing.T) {
	var v Values
	v.Add("helm-values: hunter2")
	const frame = "json: cannot unmarshal string into Go value of type map[string]interface {}"
	if got := v.Redact(frame + ": hunter2"); got != frame+": "+Mask {
		t.Errorf("got %q", got)
	}
}

// TestValues has a value in each form that may be recognized, and the bounds of what is compared.
func TestValues(t *testing.T) {
	var v Values
	v.Add("aHVudGVyMi1lbmNvZGVk")
	v.Add("swordfish")
	v.Add("dragon fruit")
	v.Add("sta-tue")
	v.Add("12345678")
	v.Name("public")
	for text, want := range map[string]string{
		"found mydragons here":           "found " + Mask + " here",
		"found s.t.a.t.u.e here":         "found " + Mask + " here",
		"found 1.23×10⁷ here":            "found " + Mask + " here",
		"found 1.23e+07 here":            "found " + Mask + " here",
		"found 1.2×10⁷ here":             "found 1.2×10⁷ here",
		"found &#115;wordfish here":      "found " + Mask + " here",
		"found hunter2-encoded here":     "found " + Mask + " here",
		"found myswordfishes here":       "found " + Mask + " here",
		"found public here":              "found public here",
		strings.Repeat("a ", maxMessage): strings.Repeat("a ", maxMessage/2),
	} {
		if got := v.Redact(text); got != want {
			t.Errorf("%.30q: got %.60q, want %.60q", text, got, want)
		}
	}
	var large Values
	large.Name("public")
	large.Add(strings.Repeat("a", maxTexts))
	if got := large.Redact("public word"); got != "public word" {
		t.Errorf("as large as the limit: %q", got)
	}
	large.Add("b")
	if got := large.Redact("public word"); got != "public "+Mask {
		t.Errorf("larger than the limit: %q", got)
	}
}
