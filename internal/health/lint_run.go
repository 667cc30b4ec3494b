package health

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	lua "github.com/yuin/gopher-lua"
)

// maxSteps is how many instructions a script may run. Argo CD stops it after a second (util/lua/lua.go@v3.5.7), which
// is about as many; a number gives the same result on every machine.
const maxSteps = 10_000_000

var errTooSlow = errors.New("it runs too long: Argo CD stops a script after a second")

// confined is Assess for a script of unknown origin: it can't read files or write to standard output, and the number
// of its steps is limited. If lines is not nil, it gets the lines that ran, each with the number of its last step. It
// is an error if the script returns no verdict.
func (c Check) confined(object Object, now time.Time, lines map[int]int) (Verdict, error) {
	m := newMachine(false)
	defer m.Close()
	confine(m.LState, c.openLibs)
	steps := &stepCounter{Context: context.Background(), state: m.LState, lines: lines}
	m.SetContext(steps)
	verdict := c.run(m, object, now)
	switch {
	case steps.Err() != nil:
		return verdict, errTooSlow
	case verdict.Status == Unknown:
		return verdict, errors.New(verdict.Message)
	}
	return verdict, nil
}

// stepCounter is a context that is done after maxSteps: the interpreter asks it before every instruction.
type stepCounter struct {
	context.Context
	state *lua.LState
	step  int
	lines map[int]int
}

// Done counts a step and notes its line.
func (c *stepCounter) Done() <-chan struct{} {
	c.step++
	if c.step > maxSteps {
		return closed
	}
	if c.lines == nil {
		return nil
	}
	if frame, ok := c.state.GetStack(0); ok {
		if _, err := c.state.GetInfo("l", frame, lua.LNil); err == nil && frame.CurrentLine > 0 {
			c.lines[frame.CurrentLine] = c.step
		}
	}
	return nil
}

// Err returns why the context is done.
func (c *stepCounter) Err() error {
	if c.step > maxSteps {
		return errTooSlow
	}
	return nil
}

var closed = func() chan struct{} {
	done := make(chan struct{})
	close(done)
	return done
}()

// needsLibraries reports whether a script that fails would not fail with all libraries.
func (c Check) needsLibraries(object Object, now time.Time) bool {
	_, err := Check{c.script, true}.confined(object, now, nil)
	return !c.openLibs && err == nil
}

// confine takes away what reaches files or prints. With openLibs it adds the libraries of the bundled checks, except
// for those that reach files, and coroutines, whose steps do not count.
func confine(state *lua.LState, openLibs bool) {
	require := state.GetGlobal("require")
	if err := state.CallByParam(lua.P{Fn: require, NRet: 1, Protect: true}, lua.LString(lua.OsLibName)); err != nil {
		panic(err) // newMachine preloads it
	}
	safe := state.Get(-1)
	state.Pop(1)
	state.SetGlobal("require", state.NewFunction(func(state *lua.LState) int {
		if name := state.CheckString(1); name != lua.OsLibName {
			state.RaiseError("module %s not found", name)
		}
		state.Push(safe)
		return 1
	}))
	for _, name := range []string{"dofile", "loadfile", "module", "package"} {
		state.SetGlobal(name, lua.LNil)
	}
	state.SetGlobal("print", state.NewFunction(func(*lua.LState) int { return 0 }))
	if !openLibs {
		return
	}
	for name, open := range map[string]lua.LGFunction{lua.StringLibName: lua.OpenString, lua.MathLibName: lua.OpenMath} {
		state.Push(state.NewFunction(open))
		state.Push(lua.LString(name))
		state.Call(1, 0)
	}
	state.SetGlobal(lua.OsLibName, safe)
	state.SetField(state.GetGlobal(lua.StringLibName), "rep", state.NewFunction(func(state *lua.LState) int {
		text, n := state.CheckString(1), max(0, state.CheckInt(2))
		if len(text)*n > maxRepeated || n > maxRepeated {
			state.RaiseError("string.rep makes a text of more than %d bytes", maxRepeated)
		}
		state.Push(lua.LString(strings.Repeat(text, n)))
		return 1
	}))
}

// maxRepeated is how long a text string.rep may make: a single step must not take all memory.
const maxRepeated = 1 << 20

// blame returns the line of the source that is to blame for a verdict: the last one that ran and mentions the word of
// the situation, or the status of the verdict, else the last one that ran.
func (c Check) blame(source string, s situation, verdict Verdict, now time.Time) int {
	ran := map[int]int{}
	_, _ = c.confined(s.Object, now, ran) // the verdict is known
	order := slices.SortedFunc(maps.Keys(ran), func(a, b int) int { return ran[b] - ran[a] })
	lines := strings.Split(source, "\n")
	status := string(verdict.Status)
	for _, words := range [][]string{{s.Mentions}, {`"` + status + `"`, "'" + status + "'"}} {
		for _, line := range order {
			if slices.ContainsFunc(words, func(word string) bool {
				return word != "" && line <= len(lines) && strings.Contains(lines[line-1], word)
			}) {
				return line
			}
		}
	}
	if len(order) == 0 {
		return 0
	}
	return order[0]
}
