// Package kserve holds what KServe's releases do, as Go values.
package kserve

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
)

// Release is a KServe release. The zero value is no release.
type Release struct{ Major, Minor, Patch int }

// String gives the release as x.y.z.
func (r Release) String() string { return fmt.Sprintf("%d.%d.%d", r.Major, r.Minor, r.Patch) }

// Compare orders releases as cmp.Compare orders numbers.
func (r Release) Compare(o Release) int {
	return cmp.Or(cmp.Compare(r.Major, o.Major), cmp.Compare(r.Minor, o.Minor), cmp.Compare(r.Patch, o.Patch))
}

// Window is a range of releases, From <= r < Before. A zero bound is open.
type Window struct{ From, Before Release }

// Contains reports whether the release lies in the window.
func (w Window) Contains(r Release) bool {
	return r.Compare(w.From) >= 0 && (w.Before == Release{} || r.Compare(w.Before) < 0)
}

// String words the window for people: "0.13.0 to before 0.15.1", "0.16.0 and later", "before 0.15.1", "all".
func (w Window) String() string {
	none := Release{}
	switch {
	case w.From == none && w.Before == none:
		return "all"
	case w.Before == none:
		return w.From.String() + " and later"
	case w.From == none:
		return "before " + w.Before.String()
	}
	return w.From.String() + " to before " + w.Before.String()
}

// releases are the known ones, oldest first. The unit of behaviour is the patch release:
// 0.12.0 and 0.12.1, 0.15.0 and 0.15.1 differ in ways that matter here.
var releases = []Release{
	{0, 11, 0}, {0, 11, 1}, {0, 11, 2},
	{0, 12, 0}, {0, 12, 1},
	{0, 13, 0}, {0, 13, 1},
	{0, 14, 0}, {0, 14, 1},
	{0, 15, 0}, {0, 15, 1}, {0, 15, 2},
	{0, 16, 0},
	{0, 17, 0}, {0, 17, 1},
	{0, 18, 0}, {0, 18, 1},
	{0, 19, 0},
	{0, 20, 0},
}

const supported = "0.11.0 to 0.20.x"

// Versions are the releases that the cluster may run: one when it is known, several when only its minor is, and every
// release that is still common when nothing is known.
type Versions struct {
	releases []Release
	known    bool
}

var versionForm = regexp.MustCompile(`^v?(0|[1-9][0-9]{0,3})\.(0|[1-9][0-9]{0,3})(?:\.(0|[1-9][0-9]{0,3}))?$`)

// ParseVersions reads a kserve-version setting: x.y.z or vx.y.z, x.y for every patch release of it, and "" or "unknown"
// for every known release from 0.12.0 on. A release newer than the supported ones is taken for the newest known, and
// the warning says so. A release older than 0.11.0 and anything else is an error.
func ParseVersions(s string) (v Versions, warning string, err error) {
	if s == "" || s == "unknown" {
		return Versions{releases: within(Window{From: Release{0, 12, 0}})}, "", nil
	}
	m := versionForm.FindStringSubmatch(s)
	if m == nil {
		return Versions{}, "", fmt.Errorf("%q is no KServe version: want x.y.z, x.y or unknown, for example 0.15.2; supported are %s", s, supported)
	}
	var n [3]int
	for i, digits := range m[1:] {
		n[i], _ = strconv.Atoi(digits) // at most four digits, or none for a missing patch
	}
	minor := Release{n[0], n[1], 0}
	oldest, newest := releases[0], releases[len(releases)-1]
	switch {
	case minor.Compare(oldest) < 0:
		return Versions{}, "", fmt.Errorf("%s is too old: supported are %s", s, supported)
	case minor.Compare(Release{newest.Major, newest.Minor, 0}) > 0:
		return Versions{releases: []Release{newest}, known: true},
			fmt.Sprintf("kserve-version %s is newer than the supported %s: treated as %s", s, supported, newest), nil
	case m[3] != "":
		return Versions{releases: []Release{{n[0], n[1], n[2]}}, known: true}, "", nil
	}
	return Versions{releases: within(Window{From: minor, Before: Release{n[0], n[1] + 1, 0}}), known: true}, "", nil
}

func within(w Window) []Release {
	return slices.DeleteFunc(slices.Clone(releases), func(r Release) bool { return !w.Contains(r) })
}

// Known reports whether somebody said which version runs, be it only the minor.
func (v Versions) Known() bool { return v.known }

// All reports whether every candidate lies in the window.
func (v Versions) All(w Window) bool {
	return !slices.ContainsFunc(v.releases, func(r Release) bool { return !w.Contains(r) })
}

// Any reports whether some candidate lies in the window.
func (v Versions) Any(w Window) bool { return slices.ContainsFunc(v.releases, w.Contains) }
