package transform

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
)

// Release is a release of the software that the rules are about: major, minor and patch number. Version 0.15.2 is
// Release{0, 15, 2}. The zero value stands for no release.
type Release [3]int

var releaseForm = regexp.MustCompile(`^(0|[1-9][0-9]{0,3})\.(0|[1-9][0-9]{0,3})\.(0|[1-9][0-9]{0,3})$`)

// ParseRelease parses x.y.z, with numbers of up to four digits and no leading zeros. Anything else, such as x.y, v1.2.3
// or a pre-release, is an error.
func ParseRelease(s string) (Release, error) {
	m := releaseForm.FindStringSubmatch(s)
	if m == nil {
		return Release{}, fmt.Errorf("%q is not a release: write x.y.z, for example 0.15.2", s)
	}
	var r Release
	for i := range r {
		r[i], _ = strconv.Atoi(m[i+1]) // at most four digits
	}
	return r, nil
}

// String returns the release as x.y.z.
func (r Release) String() string { return fmt.Sprintf("%d.%d.%d", r[0], r[1], r[2]) }

// Minor returns the release as x.y.
func (r Release) Minor() string { return fmt.Sprintf("%d.%d", r[0], r[1]) }

// Compare returns -1 if r is older than o, 0 if both are the same, and 1 if r is newer.
func (r Release) Compare(o Release) int { return slices.Compare(r[:], o[:]) }

// Window is a range of releases: From and later, but before Before. A zero bound is open, so the zero value holds all
// releases.
type Window struct{ From, Before Release }

// Contains reports whether r lies in the window.
func (w Window) Contains(r Release) bool {
	return r.Compare(w.From) >= 0 && (w.Before == Release{} || r.Compare(w.Before) < 0)
}

// ContainsAll reports whether all the releases lie in the window. It is false without releases, because then nothing is
// known. A repair that is right only in the window needs it, since [Rule.AppliesTo] is content with one release.
func (w Window) ContainsAll(releases []Release) bool {
	return len(releases) > 0 && !slices.ContainsFunc(releases, func(r Release) bool { return !w.Contains(r) })
}

// String returns the window in words: "0.13.0 to before 0.15.1", "0.16.0 and later", "before 0.15.1", "all".
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
