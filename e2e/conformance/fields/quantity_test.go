package fields

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"
)

// TestQuantities checks the canonical forms that the plugin's package internal/quantity is tested with against
// Kubernetes' own. UPDATE_GOLDEN=1 writes them.
func TestQuantities(t *testing.T) {
	var want bytes.Buffer
	for _, number := range []string{
		"0", "0.0", "1", "1.0", "1.5", "0.5", "0.1", "1.500", "1.250", "1.2500", "1.500000", "1.000", "10.000", "12.345678", "7",
		"10", "100", "250", "512", "999", "1000", "1023", "1024", "1025", "1500", "1536", "2048", "10000", "65536", "1000000",
		"1048576", "1500000", "0.001", "0.25", "0.010", "0.0009765625", "123456789", "128974848", "1.0009765625",
		"123456789.123456789", "1234567890.123456789", "0.000000001", "9007199254740993", "1000000000000000000",
		"1024000000000000000", "9223372036854775807", "9223372036854775808",
	} {
		for _, suffix := range []string{
			"", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei",
		} {
			var q resource.Quantity
			if err := q.UnmarshalJSON([]byte(number + suffix)); err != nil {
				t.Fatal(err)
			}
			text, err := q.MarshalJSON()
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&want, "%s%s %s\n", number, suffix, bytes.Trim(text, `"`))
		}
	}
	path := filepath.Join("..", "..", "..", "internal", "quantity", "testdata", "canonical.txt")
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(path, want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(have, want.Bytes()) {
		t.Error("Kubernetes says otherwise: run it with UPDATE_GOLDEN=1 and look at the difference")
	}
}
