package transform

// Merge returns the results of several runs as one: as if their files had been the input, except that the runs know
// nothing of each other's objects. A finding that is fatal in one of them is fatal for all.
func Merge(results ...*Result) *Result {
	all := &Result{stream: &stream{}}
	for _, r := range results {
		all.open = append(all.open, r.open...)
		all.Accepted = append(all.Accepted, r.Accepted...)
		all.Unused = append(all.Unused, r.Unused...)
		all.stream.files = append(all.stream.files, r.stream.files...)
		all.stream.documents = append(all.stream.documents, r.stream.documents...)
		all.stream.selected = append(all.stream.selected, r.stream.selected...)
		all.stream.unselected = append(all.stream.unselected, r.stream.unselected...)
		all.stream.skipped = append(all.stream.skipped, r.stream.skipped...)
	}
	return all
}
