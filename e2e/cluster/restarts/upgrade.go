package restarts

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Step is what an upgrade of KServe has done to an app.
type Step struct {
	App               string
	Services          int
	Locked            int      // the services of which the new release refuses each change, for their mode
	LockedRepairs     int      // those of which it refuses the plugin's output
	TakenForKnative   int      // those that it does not reconcile, because it takes their mode for Knative
	Replaced          []string // the Deployments of KServe's that are gone or others
	ByKServe          []string // the fields of pod templates that the new release of KServe changed by itself
	RestartedByKServe int      // the services of which it replaced pods
	Announced         int      // the services that upgrade says restart
	Measured          int      // those whose pods the plugin's output for the new release replaced
	Misses            int      // those of which one is true and the other is not
	Lost              int      // objects that are gone or others
}

// Upgrade is what an upgrade of KServe has done to all apps.
type Upgrade struct {
	Apps int

	sum    Step
	fields map[string]int // by field, the apps in which KServe changed it
}

// Add adds an app.
func (u *Upgrade) Add(s Step) {
	u.sum.Services += s.Services
	u.sum.Locked += s.Locked
	u.sum.TakenForKnative += s.TakenForKnative
	u.sum.Replaced = append(u.sum.Replaced, s.Replaced...)
	u.sum.LockedRepairs += s.LockedRepairs
	u.sum.RestartedByKServe += s.RestartedByKServe
	u.sum.Announced += s.Announced
	u.sum.Measured += s.Measured
	u.sum.Misses += s.Misses
	u.sum.Lost += s.Lost
	if u.fields == nil {
		u.fields = map[string]int{}
	}
	for _, field := range s.ByKServe {
		u.fields[field]++
	}
}

// Section is the part of the page about the upgrade.
func (u *Upgrade) Section() string {
	var b strings.Builder
	fmt.Fprintf(&b, `| | |
|---|---|
| apps | %d |
| services | %d |
| services that the new release does not reconcile | %d |
| services of which it refuses each change, as they are | %d |
| services of which it refuses what the plugin makes of them | %d |
| objects lost | %d |
| services that restart by KServe's upgrade alone | %d |
| services that restart by what the plugin makes of them for the new release | %d |
| of which `+"`upgrade`"+` announces | %d |
| misses | %d |
`, u.Apps, u.sum.Services, u.sum.TakenForKnative, u.sum.Locked, u.sum.LockedRepairs, u.sum.Lost,
		u.sum.RestartedByKServe, u.sum.Measured, u.sum.Announced, u.sum.Misses)
	if len(u.fields) > 0 {
		b.WriteString("\nWhat KServe's upgrade changes in pod templates:\n\n")
	}
	for _, field := range slices.Sorted(maps.Keys(u.fields)) {
		fmt.Fprintf(&b, "- `%s`, of %d services\n", field, u.fields[field])
	}
	if len(u.sum.Replaced) > 0 {
		b.WriteString("\nDeployments that KServe's upgrade replaces:\n\n")
	}
	slices.Sort(u.sum.Replaced)
	for _, deployment := range slices.Compact(u.sum.Replaced) {
		fmt.Fprintf(&b, "- %s\n", deployment)
	}
	return b.String()
}
