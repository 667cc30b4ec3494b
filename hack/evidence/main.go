// Evidence lists when the pages in docs/evidence were last measured, in docs/evidence/README.md: with which commit, how
// many commits of the product ago, and which rules have changed since. With -check it compares the list with the pages,
// and fails if what is about a release that CI runs is older than the bound.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
)

// bound is how many commits of the product may lie between a measurement and now: some days of work.
const bound = 600

func main() {
	dir := flag.String("C", ".", "the top `folder` of the repository")
	check := flag.Bool("check", false, "compare the list with the pages instead of writing it, and fail on what is stale")
	flag.Parse()
	err := os.Chdir(*dir)
	if err == nil {
		err = evidence(*check)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// measured is what one page says about a release of KServe, or a page without releases.
type measured struct {
	page, release string
	commit        string   // the oldest
	inCI          bool     // whether CI measures it again
	ago           int      // commits of the product; unknown if the commit is not in the history
	changed       []string // rules that the page is about and that have changed since
}

func evidence(check bool) error {
	switch shallow, err := git("rev-parse", "--is-shallow-repository"); {
	case err != nil:
		return err
	case shallow == "true\n" && check:
		fmt.Println("a shallow clone has no history to count in, so nothing says how old the pages are: " +
			"git fetch --unshallow")
		return nil
	case shallow == "true\n":
		return errors.New("a shallow clone has no history to count in: git fetch --unshallow")
	}
	releases, err := inCI()
	if err != nil {
		return err
	}
	all, err := measurements(releases)
	if err != nil {
		return err
	}
	if !check {
		return write(releases, all)
	}
	if err := stale(releases, all); err != nil {
		return err
	}
	list, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	return compare(string(list), releases, all)
}

var kserve = regexp.MustCompile(`(?m)^KSERVE  \?= (.*)$`)

// inCI returns the releases that CI runs: the default of KSERVE.
func inCI() ([]string, error) {
	makefile, err := os.ReadFile("Makefile")
	if err != nil {
		return nil, err
	}
	found := kserve.FindSubmatch(makefile)
	if found == nil {
		return nil, errors.New("the Makefile has no KSERVE")
	}
	return strings.Split(string(found[1]), ","), nil
}

// stale returns an error that names what is too old, of that which is about one of the releases.
func stale(releases []string, all []measured) error {
	var old []string
	for _, m := range all {
		if m.ago > bound && !m.inCI && m.isAbout(releases) {
			old = append(old, fmt.Sprintf("%s, KServe %s: measured with %s", m.page, m.release, m.commit))
		}
	}
	if len(old) == 0 {
		return nil
	}
	return fmt.Errorf("measure anew what is more than %d commits of the product old, or of a commit that is not in the "+
		"history:\n%s", bound, strings.Join(old, "\n"))
}

// isAbout reports whether one of the releases is among those of the measurement. What names none is about all.
func (m measured) isAbout(releases []string) bool {
	return m.release == "" || slices.ContainsFunc(strings.Fields(m.release), func(word string) bool {
		return slices.Contains(releases, word)
	})
}
