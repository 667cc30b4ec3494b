package health

import (
	"strings"
	"testing"
)

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

// TestInterpreterFails has calls that overflow gopher-lua's stack, so that it panics.
func TestInterpreterFails(t *testing.T) {
	check, err := Compile("deep", "local function f(...) return f(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, ...) end f()", false)
	if err != nil {
		t.Fatal(err)
	}
	m := newMachine(false)
	got := check.run(m, service("True"), today)
	if got.Status != Unknown || !strings.HasPrefix(got.Message, "the Lua interpreter failed: ") || !m.broken {
		t.Errorf("got %v, broken %t", got, m.broken)
	}
}
