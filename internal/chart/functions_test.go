package chart

import (
	"strings"
	"testing"

	"github.com/Masterminds/sprig/v3"
)

// TestFunctions checks that the functions of which this package knows exist.
func TestFunctions(t *testing.T) {
	original, own := sprig.TxtFuncMap(), functions(map[string]bool{})
	for name := range own {
		if original[name] == nil {
			t.Errorf("%s is no function of Helm's templates", name)
		}
	}
	for _, name := range []string{"rand", "gen", "uuid", "now", "shuffle", "crypt", "htpasswd"} {
		for function := range original {
			if strings.Contains(strings.ToLower(function), name) && !strings.Contains("regexReplaceAllLiteral decryptAES", function) &&
				own[function] == nil {
				t.Errorf("%s may give another value on each render", function)
			}
		}
	}
}
