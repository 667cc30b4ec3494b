// Package quantity writes Kubernetes quantities as Kubernetes does.
package quantity

import (
	"cmp"
	"math/big"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/lazyregexp"
)

var form = lazyregexp.New(`^(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:([KMGTPE]i)|([numkMGTPE]?))$`)

// unit is a suffix and its factor. Values are counted in billionths, the precision of a quantity.
type unit struct {
	suffix string
	factor *big.Int
}

// The units, from the largest to the smallest.
var (
	binary  = units(1024, billion, "Ei", "Pi", "Ti", "Gi", "Mi", "Ki", "")
	decimal = units(1000, big.NewInt(1), "E", "P", "T", "G", "M", "k", "", "m", "u", "n")
)

func units(base int64, smallest *big.Int, suffixes ...string) []unit {
	all := make([]unit, len(suffixes))
	factor := smallest
	for i := len(suffixes) - 1; i >= 0; i-- {
		all[i] = unit{suffixes[i], factor}
		factor = new(big.Int).Mul(factor, big.NewInt(base))
	}
	return all
}

var (
	billion = big.NewInt(1e9)
	kibi    = new(big.Int).Mul(big.NewInt(1024), billion)
	limit   = new(big.Int).Mul(new(big.Int).Lsh(big.NewInt(1), 63), billion)
)

// Canonical returns what Kubernetes writes for a quantity that it has read: the number with the largest suffix of its
// kind that leaves no fraction, or a short decimal fraction of three, six or nine digits as it is (ParseQuantity and
// CanonicalizeBytes in pkg/api/resource/quantity.go of k8s.io/apimachinery@v0.34.5). ok is false for any other string,
// for a number with a sign or an exponent, and for one that Kubernetes does not keep exactly: from 2^63 on, or finer
// than a billionth.
func Canonical(s string) (canonical string, ok bool) {
	if isShort(s) {
		return s, true
	}
	m := form().FindStringSubmatch(s)
	if m == nil {
		return "", false
	}
	whole, fraction, isBinary := m[1], m[2], m[3] != ""
	number, kind := billionths(m)
	value := number.Num()
	switch {
	case !number.IsInt() || value.Cmp(limit) >= 0:
		return "", false
	case value.Sign() == 0:
		return "0", true
	case isBinary && (value.Cmp(kibi) < 0 || !divides(billion, value)):
		kind = decimal
	case !isBinary && fraction != "" && len(fraction)%3 == 0 && whole != "0" &&
		len(whole+fraction) <= 18 && !strings.HasSuffix(fraction, "000"):
		return s, true
	}
	for _, u := range kind {
		if divides(u.factor, value) {
			return new(big.Int).Quo(value, u.factor).String() + u.suffix, true
		}
	}
	return "", false // not reached: the smallest unit divides every value that is left
}

// Whole returns a quantity in whole units, rounded down. ok is false for a string that is not a quantity, for a number
// with a sign or an exponent, and from 2^63 on.
func Whole(s string) (n int64, ok bool) {
	m := form().FindStringSubmatch(s)
	if m == nil {
		return 0, false
	}
	number, _ := billionths(m)
	whole := new(big.Int).Quo(number.Num(), new(big.Int).Mul(number.Denom(), billion))
	return whole.Int64(), whole.IsInt64()
}

// Compare returns a number below 0 if quantity a is less than b, 0 if both are equal, and a number above 0 if it is
// more. ok is false if one of them is not a quantity, or has a sign or an exponent.
func Compare(a, b string) (order int, ok bool) {
	if isShort(a) && isShort(b) && unitOf(a) == unitOf(b) {
		return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b)), true
	}
	first, second := form().FindStringSubmatch(a), form().FindStringSubmatch(b)
	if first == nil || second == nil {
		return 0, false
	}
	x, _ := billionths(first)
	y, _ := billionths(second)
	return x.Cmp(y), true
}

// billionths returns the number in a match of the form, and the units of its kind.
func billionths(m []string) (number *big.Rat, kind []unit) {
	suffix, kind := m[4], decimal
	if m[3] != "" {
		suffix, kind = m[3], binary
	}
	number, _ = new(big.Rat).SetString(m[1] + "." + m[2])
	return number.Mul(number, new(big.Rat).SetInt(find(kind, suffix))), kind
}

// isShort reports whether s is a whole number below 1000, not 0, without a suffix or with one below E. That is
// how most quantities are written, and what Kubernetes writes too.
func isShort(s string) bool {
	suffix := unitOf(s)
	digits := len(s) - len(suffix)
	if digits == 0 || digits > 3 || s[0] == '0' {
		return false
	}
	switch suffix {
	case "", "n", "u", "m", "k", "M", "G", "T", "P", "Ki", "Mi", "Gi", "Ti", "Pi":
		return true
	}
	return false
}

// unitOf returns what is behind the digits of a whole number.
func unitOf(s string) string { return strings.TrimLeft(s, "0123456789") }

func find(kind []unit, suffix string) *big.Int {
	for _, u := range kind {
		if u.suffix == suffix {
			return u.factor
		}
	}
	return nil // not reached: the form allows no other suffix
}

func divides(factor, value *big.Int) bool { return new(big.Int).Rem(value, factor).Sign() == 0 }
