package transform

// Merge returns the results of several runs as one: as if their files had been the input, except that the runs know
// nothing of each other's objects. A finding that is fatal in one of them is fatal for all.
func Merge(results ...*Result) *Result {
	all := &Result{}
	for _, r := range results {
		all.open = append(all.open, r.open...)
		all.Accepted = append(all.Accepted, r.Accepted...)
		all.Unused = append(all.Unused, r.Unused...)
		all.parts = append(all.parts, r.parts...)
	}
	return all
}
