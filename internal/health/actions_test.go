package health

import (
	"os"
	"path/filepath"
	"testing"

	lua "github.com/yuin/gopher-lua"
)

// run executes a script of a kind's actions on an object and returns its table.
func run(t *testing.T, kind, script string, object Object) *lua.LTable {
	t.Helper()
	source, err := os.ReadFile(filepath.Join(checksDir, kind, "actions", script))
	if err != nil {
		t.Fatal(err)
	}
	state := newMachine(false)
	t.Cleanup(state.Close)
	state.SetGlobal("obj", toLua(state.LState, object))
	if err := state.DoString(string(source)); err != nil {
		t.Fatal(err)
	}
	return state.CheckTable(-1)
}

func TestActions(t *testing.T) {
	tests, err := filepath.Glob(filepath.Join(checksDir, "*", "actions", "action_test.yaml"))
	if err != nil || len(tests) == 0 {
		t.Fatal("no actions", err)
	}
	for _, test := range tests {
		kind := filepath.Base(filepath.Dir(filepath.Dir(test)))
		t.Run(kind, func(t *testing.T) { testActions(t, kind) })
	}
}

func testActions(t *testing.T, kind string) {
	tree := os.DirFS(filepath.Join(checksDir, kind, "actions"))
	var suite struct {
		DiscoveryTests []struct {
			InputPath string `json:"inputPath"`
			Result    []struct {
				Name     string `json:"name"`
				Disabled bool   `json:"disabled"`
			} `json:"result"`
		} `json:"discoveryTests"`
		ActionTests []struct {
			Action             string `json:"action"`
			InputPath          string `json:"inputPath"`
			ExpectedOutputPath string `json:"expectedOutputPath"`
		} `json:"actionTests"`
	}
	loadYAML(t, tree, "action_test.yaml", &suite)
	for _, test := range suite.DiscoveryTests {
		var object Object
		loadYAML(t, tree, test.InputPath, &object)
		found := run(t, kind, "discovery.lua", object)
		for _, want := range test.Result {
			action, ok := found.RawGetString(want.Name).(*lua.LTable)
			if !ok || lua.LVAsBool(action.RawGetString("disabled")) != want.Disabled {
				t.Errorf("%s: %s is %v", test.InputPath, want.Name, action)
			}
		}
	}
	for _, test := range suite.ActionTests {
		var object, want Object
		loadYAML(t, tree, test.InputPath, &object)
		loadYAML(t, tree, test.ExpectedOutputPath, &want)
		metadata := run(t, kind, test.Action+"/action.lua", object).RawGetString("metadata").(*lua.LTable)
		stop := metadata.RawGetString("annotations").(*lua.LTable).RawGetString("serving.kserve.io/stop")
		if stop.String() != StringAt(want, "metadata", "annotations", "serving.kserve.io/stop") {
			t.Errorf("%s on %s: %v", test.Action, test.InputPath, stop)
		}
	}
}
