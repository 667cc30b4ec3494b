package health

import "testing"

// TestMachinesForget checks that a check does not see what another one has stored.
func TestMachinesForget(t *testing.T) {
	check, err := Compile("leak", `
		local message = tostring(leaked)
		leaked = obj.metadata.name
		return { status = "Healthy", message = message }`, false)
	if err != nil {
		t.Fatal(err)
	}
	m := newMachine(false)
	defer m.Close()
	for range 2 {
		if got := check.run(m, service("True"), today); got.Message != "nil" {
			t.Errorf("left behind: %s", got.Message)
		}
	}
}
