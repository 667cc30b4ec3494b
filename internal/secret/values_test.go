package secret

import "testing"

// TestFrame has values with a word of the message around them: in a settings file beside a chart, "helm-values".
func TestFrame(t *testing.T) {
	var v Values
	v.Add("helm-values: hunter2")
	const frame = "json: cannot unmarshal string into Go value of type map[string]interface {}"
	if got := v.Redact(frame + ": hunter2"); got != frame+": "+Mask {
		t.Errorf("got %q", got)
	}
}
