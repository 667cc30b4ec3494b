package compatibility

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestSyncSections writes two releases, then measures one of them again.
func TestSyncSections(t *testing.T) {
	page := filepath.Join(t.TempDir(), "page.md")
	sync := func(commit string, sections map[string]string, update bool) error {
		return SyncSections(page, "# Page\n", commit, sections, update)
	}
	if err := sync("1234567", map[string]string{"0.15.2": "old\n", "0.20.0": "new\n"}, true); err != nil {
		t.Fatal(err)
	}
	if err := sync("7654321", map[string]string{"0.20.0": "new\n"}, false); err != nil {
		t.Errorf("the same, measured with another commit: %v", err)
	}
	if err := sync("7654321", map[string]string{"0.20.0": "other\n"}, false); !errors.Is(err, ErrStale) {
		t.Errorf("something else was measured: %v", err)
	}
	if err := sync("7654321", map[string]string{"0.20.0": "other\n"}, true); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(page)
	const want = "# Page\n\n## KServe 0.15.2\n\nMeasured with commit 1234567.\n\nold\n" +
		"\n## KServe 0.20.0\n\nMeasured with commit 7654321.\n\nother\n"
	if err != nil || string(got) != want {
		t.Errorf("%v: %q, not %q", err, got, want)
	}
}
