package health

import (
	"fmt"
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

// machine is a Lua state as Argo CD sets it up for a health check (util/lua/lua.go@v3.5.7). It runs one check after the
// other, because a state costs more than a check.
type machine struct {
	*lua.LState
	now    time.Time // a clock that stands still
	asked  bool      // whether the check has looked at the clock
	broken bool      // gopher-lua panicked, so no other check can run
}

// idle are the machines between two checks, with only Argo CD's libraries and with all libraries.
var idle = map[bool]*sync.Pool{
	false: {New: func() any { return newMachine(false) }},
	true:  {New: func() any { return newMachine(true) }},
}

func newMachine(openLibs bool) *machine {
	m := &machine{LState: lua.NewState(lua.Options{SkipOpenLibs: !openLibs})}
	for _, library := range []struct {
		name string
		open lua.LGFunction
	}{
		{lua.LoadLibName, lua.OpenPackage},
		{lua.BaseLibName, lua.OpenBase},
		{lua.TabLibName, lua.OpenTable},
	} {
		m.Push(m.NewFunction(library.open))
		m.Push(lua.LString(library.name))
		m.Call(1, 0)
	}
	m.PreloadModule(lua.OsLibName, func(state *lua.LState) int {
		state.Push(state.SetFuncs(state.NewTable(), map[string]lua.LGFunction{"time": m.time, "date": m.date}))
		return 1
	})
	return m
}

// time and date are those of luaOS with the machine's clock.
func (m *machine) time(state *lua.LState) int {
	if state.GetTop() > 0 {
		return luaOS()["time"](state)
	}
	m.asked = true
	state.Push(lua.LNumber(m.now.Unix()))
	return 1
}

func (m *machine) date(state *lua.LState) int {
	if state.GetTop() < 2 {
		m.asked = true
		format := state.OptString(1, "%c")
		state.SetTop(0)
		state.Push(lua.LString(format))
		state.Push(lua.LNumber(m.now.Unix()))
	}
	return luaOS()["date"](state)
}

// run runs a script on an object at the time now and returns its value. What the script stores in global variables is
// gone when the next one runs. It is an error too if gopher-lua panics, as it does when calls with many arguments nest
// deep: its stack overflows in the function that would unwind it.
func (m *machine) run(script *lua.FunctionProto, object Object, now time.Time) (value lua.LValue, err error) {
	m.now, m.asked = now, false
	defer func() {
		if cause := recover(); cause != nil {
			m.broken = true
			err = fmt.Errorf("the Lua interpreter failed: %v", cause)
			return
		}
		m.SetTop(0)
	}()
	globals, fallback := m.NewTable(), m.NewTable()
	fallback.RawSetString("__index", m.G.Global)
	globals.Metatable = fallback
	globals.RawSetString("obj", toLua(m.LState, object))
	check := m.NewFunctionFromProto(script)
	check.Env = globals
	m.Push(check)
	if err = m.PCall(0, 1, nil); err != nil {
		return nil, err
	}
	return m.Get(-1), nil
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
