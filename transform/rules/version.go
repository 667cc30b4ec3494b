package rules

import (
	"fmt"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/lazyregexp"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// The versions of the catalogue are the minor releases of the plugin. Each rule names the one that it came with.
var (
	First  = transform.Release{0, 2}
	Newest = transform.Release{0, 2}
)

// newest stands for the newest version of the catalogue.
const newest = "newest"

var versionForm = lazyregexp.New(`^v?(\d{1,4}\.\d{1,4})$`)

// ParseVersion parses x.y, a version of the catalogue, or newest, which the empty string means too. Anything else is an
// error, and so is a version that this program does not know.
func ParseVersion(s string) (transform.Release, error) {
	if s == "" || s == newest {
		return Newest, nil
	}
	m := versionForm().FindStringSubmatch(s)
	if m == nil {
		return transform.Release{}, fmt.Errorf("%q is not %s or x.y, a minor release of the plugin", s, newest)
	}
	version, err := transform.ParseRelease(m[1] + ".0")
	switch {
	case err != nil:
		return transform.Release{}, fmt.Errorf("%q is not %s or x.y without leading zeros", s, newest)
	case version.Compare(Newest) > 0:
		return transform.Release{}, fmt.Errorf("the newest rules of this program are those of %s; "+
			"install a release %s.x of the plugin, or lower the setting", Newest.Minor(), strings.TrimPrefix(s, "v"))
	case version.Compare(First) < 0:
		return transform.Release{}, fmt.Errorf("the first rules are those of %s", First.Minor())
	}
	return version, nil
}
