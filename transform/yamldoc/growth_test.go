//go:build unix

package yamldoc

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"
)

// shapes are documents of n items and the edits of all of them.
var shapes = []struct {
	name string
	make func(n int) (body string, edits []Edit)
}{
	{"JSON list", func(n int) (string, []Edit) {
		return "{\"items\": [" + joined(n, ", ", func(i int) string {
			return fmt.Sprintf(`{"name": "n%d", "probe": {"exec": {"command": ["x"]}}}`, i)
		}) + "]}", probes(n)
	}},
	{"JSON list with an item a line", func(n int) (string, []Edit) {
		return "{\n  \"items\": [\n    " + joined(n, ",\n    ", func(i int) string {
			return fmt.Sprintf(`{"name": "n%d", "probe": {"exec": {"command": ["x"]}}}`, i)
		}) + "\n  ]\n}\n", probes(n)
	}},
	{"YAML list", func(n int) (string, []Edit) {
		return "items:\n" + joined(n, "", func(i int) string {
			return fmt.Sprintf("- name: n%d # the name\n  probe:\n    exec: # x\n      command: [x]\n", i)
		}), probes(n)
	}},
	{"flow line", func(n int) (string, []Edit) {
		return "items: [" + joined(n, ", ", func(i int) string {
			return fmt.Sprintf(`{name: "é%d", probe: {exec: {command: [x]}}}`, i)
		}) + "]\n", probes(n)
	}},
	{"duplicates", func(n int) (body string, edits []Edit) {
		for i := 1; i < n; i++ {
			edits = append(edits, Delete(Path{"items", i}))
		}
		return "items:\n" + strings.Repeat("- name: a\n  value: |\n    x\n", n), edits
	}},
	{"duplicates in flow style", func(n int) (body string, edits []Edit) {
		for i := 1; i < n; i++ {
			edits = append(edits, Delete(Path{"items", i}))
		}
		return "items: [" + strings.Repeat("{name: a}, ", n) + "]\n", edits
	}},
	{"wide mapping", func(n int) (body string, edits []Edit) {
		for i := range n {
			key := fmt.Sprintf("k%d", i)
			edits = append(edits, Rename(Path{key}, "new-"+key), Set(Path{key}, "y"), Set(Path{"also-" + key}, "z"))
		}
		return joined(n, "", func(i int) string { return fmt.Sprintf("k%d: x\n", i) }), edits
	}},
	{"aliases", func(n int) (body string, edits []Edit) {
		for i := range n {
			edits = append(edits, Set(Path{"items", 2 * i, "a"}, 2), Delete(Path{"items", 2*i + 1}))
		}
		return "items:\n" + joined(n, "", func(i int) string { return fmt.Sprintf("- &a%d {a: 1}\n- *a%[1]d\n", i) }), edits
	}},
	{"the same edits at an alias and its anchor", func(n int) (body string, edits []Edit) {
		for i := range n {
			edits = append(edits, Set(Path{"a", i, "b"}, 2), Set(Path{"c", i, "b"}, 2))
		}
		return "a: &x\n" + strings.Repeat("- b: 1\n", n) + "c: *x\n", edits
	}},
	{"empty values with tags", func(n int) (string, []Edit) {
		return "items: [" + strings.Repeat("!!str , ", n) + "]\nx: 1\n", []Edit{Set(Path{"x"}, 2)}
	}},
	{"replaced blocks without comments", func(n int) (body string, edits []Edit) {
		for i := range n {
			edits = append(edits, Set(Path{"items", i, "a"}, Map{{"c", "x"}}))
		}
		return "items:\n" + strings.Repeat("- a:\n    b: '#'\n", n), edits
	}},
	{"replaced value with comments", func(n int) (string, []Edit) {
		return "a:\n" + strings.Repeat("# line\n- x # end\n", n), []Edit{Set(Path{"a"}, []any{"y"})}
	}},
}

func joined(n int, separator string, item func(i int) string) string {
	items := make([]string, n)
	for i := range items {
		items[i] = item(i)
	}
	return strings.Join(items, separator)
}

// probes replaces the probe of every item.
func probes(n int) (edits []Edit) {
	for i := range n {
		exec := Path{"items", i, "probe", "exec"}
		edits = append(edits, Rename(exec, "httpGet"), Set(exec, Map{{"path", "/"}, {"port", 8080}}),
			Set(Path{"items", i, "annotations", "a"}, "b"))
	}
	return edits
}

// TestGrowth counts allocations, which grow with the size of a document and of its edits and not with their product.
func TestGrowth(t *testing.T) {
	for _, tc := range shapes {
		t.Run(tc.name, func(t *testing.T) {
			allocations := func(n int) float64 {
				body, edits := tc.make(n)
				return testing.AllocsPerRun(1, func() {
					tree, err := Parse([]byte(body))
					if err == nil {
						_, err = tree.Apply(edits)
					}
					if err != nil {
						t.Fatal(err)
					}
				})
			}
			if small, large := allocations(100), allocations(1000); large > 12*small {
				t.Errorf("%v allocations become %v with ten times the size", small, large)
			}
		})
	}
}

// processorTime returns the time that the process has used, which does not depend on what else the machine does.
func processorTime(b *testing.B) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// BenchmarkGrowth reports how many times longer ten times the size takes.
func BenchmarkGrowth(b *testing.B) {
	for _, shape := range shapes {
		b.Run(shape.name, func(b *testing.B) {
			took := func(n int) time.Duration {
				body, edits := shape.make(n)
				start := processorTime(b)
				tree, err := Parse([]byte(body))
				if err == nil {
					_, err = tree.Apply(edits)
				}
				if err != nil {
					b.Fatal(err)
				}
				return processorTime(b) - start
			}
			var small, large time.Duration
			for b.Loop() {
				for range 10 { // the same work, and the same share of garbage collection
					small += took(1000)
				}
				large += took(10_000)
			}
			b.ReportMetric(10*float64(large)/float64(small), "times")
		})
	}
}
