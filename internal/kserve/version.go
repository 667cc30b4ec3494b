// Package kserve describes the behaviour of KServe's releases as Go values.
package kserve

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/lazyregexp"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// releases lists the known releases, oldest first, down to the patch: 0.12.0 and 0.12.1, and 0.15.0 and 0.15.1, differ
// in ways that matter here.
var releases = []transform.Release{
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

// Versions are the releases that the cluster may run: one if the version is known, several if only its minor is, and
// every release from 0.12.0 on if nothing is known.
type Versions struct {
	releases []transform.Release
	known    bool
	likened  bool
	newer    bool
}

var versionForm = lazyregexp.New(`^v?(0|[1-9][0-9]{0,3})\.(0|[1-9][0-9]{0,3})(?:\.(0|[1-9][0-9]{0,3}))?$`)

// ParseVersions parses a kserve-version setting: x.y.z or vx.y.z, x.y for every patch release of it, odh-x.y for the
// one that this release of OpenDataHub ships, or "" or "unknown" for every known release from 0.12.0 on. It treats a
// release newer than the supported ones as the newest known and returns a warning. A release older than 0.11.0 is an
// error, and so is any other string.
func ParseVersions(s string) (v Versions, warning string, err error) {
	if s == "" || s == "unknown" {
		return Versions{releases: within(transform.Window{From: transform.Release{0, 12, 0}})}, "", nil
	}
	if odh, ok := strings.CutPrefix(s, "odh-"); ok {
		release, err := parseOpenDataHub(odh)
		return Versions{releases: []transform.Release{release}, known: true, likened: true}, "", err
	}
	m := versionForm().FindStringSubmatch(s)
	if m == nil {
		return Versions{}, "", fmt.Errorf("%q is not a KServe version: want x.y.z, x.y, odh-x.y or unknown, "+
			"for example 0.15.2; supported are %s", s, supported)
	}
	var n [3]int
	for i, digits := range m[1:] {
		n[i], _ = strconv.Atoi(digits) // at most four digits, or none for a missing patch
	}
	minor := transform.Release{n[0], n[1], 0}
	oldest, newest := releases[0], releases[len(releases)-1]
	switch {
	case minor.Compare(oldest) < 0:
		return Versions{}, "", fmt.Errorf("%s is too old: supported are %s", s, supported)
	case minor.Compare(transform.Release{newest[0], newest[1], 0}) > 0:
		return Versions{releases: []transform.Release{newest}, known: true, likened: true, newer: true},
			fmt.Sprintf("kserve-version %s is newer than the supported %s: treated as %s", s, supported, newest), nil
	case m[3] != "":
		release := transform.Release{n[0], n[1], n[2]}
		return Versions{releases: []transform.Release{release}, known: true, likened: release.Compare(newest) > 0}, "", nil
	}
	window := transform.Window{From: minor, Before: transform.Release{n[0], n[1] + 1, 0}}
	return Versions{releases: within(window), known: true}, "", nil
}

func within(w transform.Window) []transform.Release {
	return slices.DeleteFunc(slices.Clone(releases), func(r transform.Release) bool { return !w.Contains(r) })
}

// Releases returns the candidates, oldest first.
func (v Versions) Releases() []transform.Release { return slices.Clone(v.releases) }

// Within returns the candidates in the window.
func (v Versions) Within(w transform.Window) Versions {
	outside := func(r transform.Release) bool { return !w.Contains(r) }
	return Versions{releases: slices.DeleteFunc(v.Releases(), outside), known: v.known}
}

// Known reports whether the setting names a version, even if only its minor.
func (v Versions) Known() bool { return v.known }

// Likened reports whether the release is not a known one but treated as if it were: a newer one, or OpenDataHub's fork.
// It may have more than the known one.
func (v Versions) Likened() bool { return v.likened }

// Newer reports whether the setting names a release newer than the supported ones: the candidate is the newest known.
func (v Versions) Newer() bool { return v.newer }

// All reports whether every candidate is in the window.
func (v Versions) All(w transform.Window) bool {
	return w.ContainsAll(v.releases)
}

// Any reports whether at least one candidate is in the window.
func (v Versions) Any(w transform.Window) bool { return slices.ContainsFunc(v.releases, w.Contains) }
