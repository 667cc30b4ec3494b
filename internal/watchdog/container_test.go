package watchdog

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
)

// inContainer returns a container with a limit of 1 GiB, of which the given MiB are in use, a tenth of them as page
// cache. The processes have their resident pages.
func inContainer(v2 bool, usedMiB int, processes map[string]int) container {
	dir, limit, usage, prefix := "memory/", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_"
	if v2 {
		dir, limit, usage, prefix = "", "memory.max", "memory.current", ""
	}
	file := func(format string, args ...any) *fstest.MapFile {
		return &fstest.MapFile{Data: fmt.Appendf(nil, format, args...)}
	}
	cache := usedMiB << 20 / 10
	cgroup := fstest.MapFS{
		dir + limit: file("%d\n", 1<<30),
		dir + usage: file("%d\n", usedMiB<<20),
		dir + "memory.stat": file("anon 1\n%sinactive_file %d\n%sactive_file %d\n",
			prefix, cache/2, prefix, cache-cache/2),
	}
	proc := fstest.MapFS{"7/comm": file("argocd-cmp-serv\n"), "7/statm": file("9999 9999 0\n"), "stat": file("")}
	for pid, pages := range processes {
		proc[pid+"/comm"] = file("argocd-kserve-p\n")
		proc[pid+"/statm"] = file("9999 %d 0\n", pages)
	}
	return newContainer(cgroup, proc)
}

func TestContainer(t *testing.T) {
	few := map[string]int{"9": 50, "10": 200, "11": 100}
	many := map[string]int{}
	for i := range 14 {
		many[fmt.Sprint(100+i)] = 1
	}
	for _, tc := range []struct {
		name      string
		usedMiB   int // with a tenth of page cache, so 90 percent of it count
		processes map[string]int
		self      string
		busy      bool
		exhausted string
	}{
		{"plenty of memory", 500, few, "11", false, ""},
		{"older runs take most of it", 810, few, "11", true, ""},
		{"the oldest goes on", 810, few, "9", false, ""},
		{"only page cache", 790, few, "11", false, ""},
		{"scarce, and this run is the largest", 1030, few, "10", true, "90%"},
		{"scarce, and this run is not the largest", 1030, few, "11", true, ""},
		{"exhausted", 1090, few, "11", true, "95%"},
		{"older runs will take most of it", 100, many, "113", true, ""},
		{"the last that need not wait", 100, many, "111", false, ""},
	} {
		for _, v2 := range []bool{false, true} {
			c := inContainer(v2, tc.usedMiB, tc.processes)
			if got := c.limit(); got != 1<<30 {
				t.Errorf("limit %d", got)
			}
			if got := c.busy(tc.self); got != tc.busy {
				t.Errorf("%s: busy is %t", tc.name, got)
			}
			err := c.exhausted(tc.self)
			if (err != nil) != (tc.exhausted != "") || err != nil && !strings.Contains(err.Error(), tc.exhausted+" of") {
				t.Errorf("%s: %v, want %q", tc.name, err, tc.exhausted)
			}
		}
	}
	for name, cgroup := range map[string]fstest.MapFS{
		"no cgroup":      {},
		"cgroup v2":      {"memory.max": {Data: []byte("max\n")}, "memory.current": {Data: []byte("99999999\n")}},
		"cgroup v1":      {"memory/memory.limit_in_bytes": {Data: []byte("9223372036854771712\n")}},
		"something else": {"memory.max": {Data: []byte("a lot\n")}},
	} {
		c := newContainer(cgroup, fstest.MapFS{})
		if limit, err := c.limit(), c.exhausted("1"); limit != 0 || err != nil || c.busy("1") {
			t.Errorf("%s: limit %d, %v", name, limit, err)
		}
	}
}
