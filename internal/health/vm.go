package health

import (
	"sync"
	"time"

	lua "github.com/yuin/gopher-lua"
)

// luaOS is the part of Lua's os library that Argo CD provides (util/lua/oslib_safe.go@v2.14.21 and @v3.5.7).
var luaOS = sync.OnceValue(func() map[string]lua.LGFunction {
	state := lua.NewState()
	defer state.Close()
	functions := map[string]lua.LGFunction{}
	for _, name := range []string{"time", "date"} {
		functions[name] = state.GetField(state.GetGlobal(lua.OsLibName), name).(*lua.LFunction).GFunction
	}
	return functions
})

// osAt is luaOS with a clock that stands still.
func osAt(now time.Time) map[string]lua.LGFunction {
	return map[string]lua.LGFunction{
		"time": func(state *lua.LState) int {
			if state.GetTop() == 0 {
				state.Push(lua.LNumber(now.Unix()))
				return 1
			}
			return luaOS()["time"](state)
		},
		"date": func(state *lua.LState) int {
			if state.GetTop() < 2 {
				format := state.OptString(1, "%c")
				state.SetTop(0)
				state.Push(lua.LString(format))
				state.Push(lua.LNumber(now.Unix()))
			}
			return luaOS()["date"](state)
		},
	}
}

// newState returns a Lua state as Argo CD sets it up for a health check (util/lua/lua.go@v3.5.7).
func newState(openLibs bool, now time.Time) *lua.LState {
	state := lua.NewState(lua.Options{SkipOpenLibs: !openLibs})
	for _, library := range []struct {
		name string
		open lua.LGFunction
	}{
		{lua.LoadLibName, lua.OpenPackage},
		{lua.BaseLibName, lua.OpenBase},
		{lua.TabLibName, lua.OpenTable},
	} {
		state.Push(state.NewFunction(library.open))
		state.Push(lua.LString(library.name))
		state.Call(1, 0)
	}
	state.PreloadModule(lua.OsLibName, func(state *lua.LState) int {
		state.Push(state.SetFuncs(state.NewTable(), osAt(now)))
		return 1
	})
	return state
}

func toLua(state *lua.LState, value any) lua.LValue {
	switch value := value.(type) {
	case bool:
		return lua.LBool(value)
	case float64:
		return lua.LNumber(value)
	case string:
		return lua.LString(value)
	case []any:
		table := state.CreateTable(len(value), 0)
		for _, item := range value {
			table.Append(toLua(state, item))
		}
		return table
	case map[string]any:
		table := state.CreateTable(0, len(value))
		for key, item := range value {
			table.RawSetString(key, toLua(state, item))
		}
		return table
	}
	return lua.LNil
}
