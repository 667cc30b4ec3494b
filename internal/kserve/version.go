// Package kserve holds what KServe's releases do, as Go values.
package kserve

// Release is a KServe release.
type Release struct{ Major, Minor, Patch int }

// Window is a range of releases, From <= r < Before. A zero bound is open.
type Window struct{ From, Before Release }
