package fields

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// releases are those of KServe whose sources the Go module proxy has, and whose fields the plugin knows.
var releases = []string{
	"v0.11.2", "v0.12.1", "v0.13.1", "v0.14.1", "v0.15.0", "v0.15.2", "v0.16.0", "v0.17.0", "v0.19.0", "v0.20.0",
}

// TestTable checks that the plugin's data equals what KServe's sources say. UPDATE_GOLDEN=1 writes it.
func TestTable(t *testing.T) {
	var table Table
	for _, version := range releases {
		if err := table.Add(version); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join("..", "..", "..", "internal", "schema", "fields.txt")
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(path, table.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(have, table.Bytes()) {
		t.Error("KServe's sources say otherwise: run it with UPDATE_GOLDEN=1 and look at the difference")
	}
}
