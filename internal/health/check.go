// Package health assesses live KServe objects with Lua checks, waits for them, and finds mistakes in other checks.
package health

import (
	"errors"
	"fmt"
	"strings"
	"time"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/parse"
)

// Object is a Kubernetes object as encoding/json decodes it.
type Object = map[string]any

// Status is one of Argo CD's health statuses.
type Status string

// Argo CD's health statuses.
const (
	Healthy     Status = "Healthy"
	Suspended   Status = "Suspended"
	Progressing Status = "Progressing"
	Missing     Status = "Missing"
	Degraded    Status = "Degraded"
	Unknown     Status = "Unknown"
)

// Verdict is what a health check returns.
type Verdict struct {
	Status  Status
	Message string
}

// Check is a compiled Lua health check.
type Check struct {
	script   *lua.FunctionProto
	openLibs bool
}

// Compile reads a Lua script. Argo CD opens every Lua library for the checks it bundles, but only base, table, os.time
// and os.date for those of its configuration.
func Compile(name, source string, openLibs bool) (Check, error) {
	chunk, err := parse.Parse(strings.NewReader(source), name)
	if err != nil {
		return Check{}, fmt.Errorf("%s: %w", name, err)
	}
	script, err := lua.Compile(chunk, name)
	if err != nil {
		return Check{}, fmt.Errorf("%s: %w", name, err)
	}
	return Check{script, openLibs}, nil
}

// Assess runs the check as Argo CD does at the time now: an object that is being deleted is Progressing, whatever the
// script returns, and a script that fails makes the object Unknown.
func (c Check) Assess(object Object, now time.Time) Verdict {
	verdict, _ := c.assess(object, now)
	return verdict
}

// assess is Assess. timed is true if the verdict may be another one at another time.
func (c Check) assess(object Object, now time.Time) (verdict Verdict, timed bool) {
	if At(object, "metadata", "deletionTimestamp") != nil {
		return Verdict{Progressing, "Pending deletion"}, false
	}
	m := idle[c.openLibs].Get().(*machine)
	verdict = c.run(m, object, now)
	if !m.broken {
		idle[c.openLibs].Put(m)
	}
	return verdict, m.asked
}

// run runs the script in a machine.
func (c Check) run(m *machine, object Object, now time.Time) Verdict {
	returned, err := m.run(c.script, object, now)
	if err != nil {
		var failure *lua.ApiError
		if errors.As(err, &failure) {
			return Verdict{Unknown, failure.Object.String()}
		}
		return Verdict{Unknown, err.Error()}
	}
	return verdictOf(returned)
}

func verdictOf(returned lua.LValue) Verdict {
	table, ok := returned.(*lua.LTable)
	if !ok {
		return Verdict{Unknown, fmt.Sprintf("expect table output from Lua script, not %s", returned.Type())}
	}
	status := Status(lua.LVAsString(table.RawGetString("status")))
	switch status {
	case Healthy, Suspended, Progressing, Missing, Degraded, Unknown:
		return Verdict{status, lua.LVAsString(table.RawGetString("message"))}
	}
	return Verdict{Unknown, "Lua returned an invalid health status"}
}

// At follows a path through nested mappings; it returns nil if the path ends early.
func At(value any, path ...string) any {
	for _, key := range path {
		mapping, ok := value.(map[string]any)
		if !ok {
			return nil
		}
		value = mapping[key]
	}
	return value
}

// StringAt returns the string at a path of keys, "" if there is none.
func StringAt(value any, path ...string) string {
	text, _ := At(value, path...).(string)
	return text
}
