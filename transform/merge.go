package transform

import "slices"

// Merge returns the results of several runs as one: as if their files had been the input, except that the runs know
// nothing of each other's objects.
func Merge(results ...*Result) *Result {
	all := &Result{stream: &stream{}}
	for _, r := range results {
		all.Findings = slices.Concat(all.Findings, r.Findings)
		all.Accepted = slices.Concat(all.Accepted, r.Accepted)
		all.Unused = slices.Concat(all.Unused, r.Unused)
		all.stream.files = slices.Concat(all.stream.files, r.stream.files)
		all.stream.documents = slices.Concat(all.stream.documents, r.stream.documents)
		all.stream.selected = slices.Concat(all.stream.selected, r.stream.selected)
		all.stream.unselected = slices.Concat(all.stream.unselected, r.stream.unselected)
		all.stream.skipped = slices.Concat(all.stream.skipped, r.stream.skipped)
	}
	return all
}

// Subject names the object of a finding, with the Application that it is of.
func (f Finding) Subject() string {
	if app := f.Object.File.Application; app != "" {
		return f.Object.String() + " (application " + app + ")"
	}
	return f.Object.String()
}
