package restarts

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Step is what an upgrade of KServe has done to an app.
type Step struct {
	App      string
	Services []Service
	Replaced []string // the Deployments of KServe's that are gone or others
	Lost     int      // objects that are gone or others
}

// Service is what it has done to a service.
type Service struct {
	Name            string
	Refused         bool     // the new release refuses each change, as it is
	RefusedRepair   bool     // it refuses what the plugin makes of it
	TakenForKnative bool     // it does not reconcile it, because it takes its mode for Knative
	Broken          bool     // it makes no workload for it, or deletes one
	Alone           Outcome  // by KServe's upgrade alone
	Repaired        Outcome  // by what the plugin makes of it for the new release
	Fields          []string // of pod templates, that the new release of KServe changed by itself
}

// Outcome is whether upgrade says that pods restart, and whether they do.
type Outcome struct{ Predicted, Measured bool }

// Upgrade is what an upgrade of KServe has done to all apps.
type Upgrade struct {
	Apps    int
	Unknown []string // apps that were left out, with why upgrade does not know what becomes of them

	steps []Step
}

// Add adds an app.
func (u *Upgrade) Add(s Step) { u.steps = append(u.steps, s) }

// count counts the services with a property.
func (u *Upgrade) count(has func(Service) bool) (n int) {
	for _, s := range u.steps {
		for _, service := range s.Services {
			if has(service) {
				n++
			}
		}
	}
	return n
}

// left are the services that the new release does not reconcile, or refuses to change.
func left(s Service) bool { return s.Refused || s.TakenForKnative }

// TooLittle says why the upgrade proves nothing, "" if it proves something: least services restart by KServe alone, or
// without such a number the new release leaves some as they are.
func (u *Upgrade) TooLittle(least int) string {
	restarted := u.count(func(s Service) bool { return s.Alone.Measured })
	switch {
	case restarted < least:
		return fmt.Sprintf("KServe alone restarts %d services, and should restart %d at least", restarted, least)
	case least == 0 && u.count(left) == 0:
		return "the new release leaves no service as it is"
	}
	return ""
}

// Section is the part of the page about the upgrade.
func (u *Upgrade) Section() string {
	var b strings.Builder
	lost, fields, replaced := 0, map[string]int{}, []string{}
	for _, s := range u.steps {
		lost += s.Lost
		replaced = append(replaced, s.Replaced...)
		for _, service := range s.Services {
			for _, field := range service.Fields {
				fields[field]++
			}
		}
	}
	fmt.Fprintf(&b, `| | |
|---|---|
| apps | %d |
| services | %d |
| services that the new release does not reconcile | %d |
| services that lose a workload, or do not get theirs | %d |
| services of which it refuses each change, as they are | %d |
| services of which it refuses what the plugin makes of them | %d |
| objects lost | %d |

| services that restart | predicted | measured | misses |
|---|---|---|---|
`, u.Apps, u.count(func(Service) bool { return true }),
		u.count(func(s Service) bool { return s.TakenForKnative }), u.count(func(s Service) bool { return s.Broken }),
		u.count(func(s Service) bool { return s.Refused }),
		u.count(func(s Service) bool { return s.RefusedRepair }), lost)
	row := func(name string, of func(Service) Outcome) {
		fmt.Fprintf(&b, "| %s | %d | %d | %d |\n", name, u.count(func(s Service) bool { return of(s).Predicted }),
			u.count(func(s Service) bool { return of(s).Measured }),
			u.count(func(s Service) bool { return of(s).Predicted != of(s).Measured }))
	}
	row("by KServe's upgrade alone", func(s Service) Outcome { return s.Alone })
	row("by what the plugin makes of them for the new release", func(s Service) Outcome { return s.Repaired })
	if len(fields) > 0 {
		b.WriteString("\nWhat KServe's upgrade changes in pod templates:\n\n")
	}
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		fmt.Fprintf(&b, "- `%s`, of %d services\n", field, fields[field])
	}
	if len(replaced) > 0 {
		b.WriteString("\nDeployments that KServe's upgrade replaces:\n\n")
	}
	slices.Sort(replaced)
	for _, deployment := range slices.Compact(replaced) {
		fmt.Fprintf(&b, "- %s\n", deployment)
	}
	if len(u.Unknown) > 0 {
		b.WriteString("\nLeft out, because `upgrade` does not know:\n\n")
	}
	for _, app := range u.Unknown {
		fmt.Fprintf(&b, "- %s\n", app)
	}
	b.WriteString("\nService by service:\n\n" +
		"| app | service | by KServe alone: predicted | measured | by the plugin: predicted | measured |\n" +
		"|---|---|---|---|---|---|\n")
	for _, s := range u.steps {
		for _, service := range s.Services {
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", s.App, service.Name, yes(service.Alone.Predicted),
				yes(service.Alone.Measured), yes(service.Repaired.Predicted), yes(service.Repaired.Measured))
		}
	}
	return b.String()
}

func yes(restarts bool) string {
	if restarts {
		return "restarts"
	}
	return "-"
}
