// Evidence lists when the pages in docs/evidence were last measured, in docs/evidence/README.md: with which commit, how
// many commits of the product ago, and which rules have changed since. With -check it compares the list with the pages,
// and fails if what is about a release that CI runs is older than the bound.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// oldest is how many commits of the product may lie between a measurement and now: some days of work.
const oldest = 600

// product is what people run.
var product = []string{"cmd", "internal", "transform", "resource_customizations"}

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
		fmt.Println("a shallow clone has no history to count in, so nothing says how old the pages are: git fetch --unshallow")
		return nil
	case shallow == "true\n":
		return errors.New("a shallow clone has no history to count in: git fetch --unshallow")
	}
	known := ages{}
	all, err := measurements(known)
	if err != nil {
		return err
	}
	releases, err := inCI()
	if err != nil {
		return err
	}
	var stale []string
	for i := range all {
		m := &all[i]
		if m.ago, err = known.of(m.commit); err != nil {
			return err
		}
		if m.page == "restarts.md" {
			if m.changed, err = changedRules(m.commit); err != nil {
				return err
			}
		}
		m.inCI = m.page == "compatibility.md" && slices.Contains(releases, m.release)
		if m.ago > oldest && !m.inCI && m.commit != notNoted && m.isAbout(releases) {
			stale = append(stale, fmt.Sprintf("%s, KServe %s: measured with %s", m.page, m.release, m.commit))
		}
	}
	if !check {
		return write(all, releases)
	}
	if len(stale) > 0 {
		return fmt.Errorf("measure anew what is more than %d commits of the product old, or of a commit that is not in the "+
			"history:\n%s", oldest, strings.Join(stale, "\n"))
	}
	list, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	return compare(string(list), all)
}

// compare returns an error if the list has other rows than those of what was measured.
func compare(list string, all []measured) error {
	var rows []string
	for line := range strings.Lines(list) {
		if strings.HasPrefix(line, "| [") {
			rows = append(rows, line)
		}
	}
	for i := range max(len(rows), len(all)) {
		switch {
		case i >= len(all):
			return fmt.Errorf("%s has %q, and no page says so; make evidence takes it out", page, rows[i])
		case i >= len(rows) || !strings.HasPrefix(rows[i], all[i].head()):
			return fmt.Errorf("%s lacks %q; make evidence writes it", page, all[i].head())
		}
	}
	return nil
}

// isAbout reports whether one of the releases is among those of the measurement. What names none is about all.
func (m measured) isAbout(releases []string) bool {
	return m.release == "" || slices.ContainsFunc(strings.Fields(m.release), func(word string) bool {
		return slices.Contains(releases, word)
	})
}

var (
	section  = regexp.MustCompile(`(?m)^## KServe (.+)\n\nMeasured with commit ([0-9a-f]+)\.$`)
	whole    = regexp.MustCompile(`(?m)^Measured .*with commit ([0-9a-f]+)[ ,.]`)
	kserve   = regexp.MustCompile(`(?m)^KSERVE  \?= (.*)$`)
	ruleFile = regexp.MustCompile(`^transform/rules/ks(\d+)\.go$`)
)

// notNoted stands for the commit of a page that names none.
const notNoted = "not noted"

var (
	// compared are the pages that CI compares with the program, and the list itself.
	compared = []string{"README.md", "contract.md", "health.md", "security.md"}
	// undated are the pages that may name no commit: they were written by programs that did not note it.
	undated = []string{"comparison.md", "performance.md"}
	// folders are where the results behind a page are, of each release.
	folders = map[string]string{"compatibility.md": ".", "keda.md": "keda", "knative.md": "knative"}
)

// measurements returns what the pages and the results behind them name, without ages.
func measurements(known ages) (all []measured, err error) {
	pages, err := filepath.Glob("docs/evidence/*.md")
	if err != nil {
		return nil, err
	}
	for _, path := range pages {
		name := filepath.Base(path)
		if slices.Contains(compared, name) {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		of := said(name, string(text))
		if folder, found := folders[name]; found {
			if of, err = resultsIn(name, filepath.Join("e2e/cluster/testdata/results", folder), known); err != nil {
				return nil, err
			}
		}
		switch {
		case len(of) > 0:
		case slices.Contains(undated, name):
			of = []measured{{page: name, commit: notNoted}}
		default:
			return nil, fmt.Errorf("%s does not say with which commit it was measured", path)
		}
		all = append(all, of...)
	}
	slices.SortFunc(all, func(a, b measured) int { return strings.Compare(a.page+" "+a.release, b.page+" "+b.release) })
	return all, nil
}

// said returns what a page says of its sections, each of a release or of two, or of itself.
func said(name, text string) (all []measured) {
	for _, s := range section.FindAllStringSubmatch(text, -1) {
		all = append(all, measured{page: name, release: s[1], commit: s[2]})
	}
	if one := whole.FindStringSubmatch(text); all == nil && one != nil {
		all = append(all, measured{page: name, commit: one[1]})
	}
	return all
}

// resultsIn returns the oldest measurement in each file of a folder.
func resultsIn(page, folder string, known ages) (all []measured, err error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		m, err := results(file, known)
		if err != nil {
			return nil, err
		}
		m.page = page
		all = append(all, m)
	}
	return all, nil
}

// results returns the oldest measurement in a file of e2e/cluster.
func results(file string, known ages) (measured, error) {
	m := measured{release: strings.TrimSuffix(filepath.Base(file), ".json")}
	data, err := os.ReadFile(file)
	if err != nil {
		return m, err
	}
	var rows []struct{ Commit string }
	if err := json.Unmarshal(data, &rows); err != nil {
		return m, fmt.Errorf("%s: %w", file, err)
	}
	most := -1
	for _, row := range rows {
		n, err := known.of(row.Commit)
		if err != nil {
			return m, err
		}
		if n > most {
			most, m.commit = n, row.Commit
		}
	}
	return m, nil
}

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

// unknown is the age of a commit that is not in the history, as one that a rebase has replaced.
const unknown = 1 << 20

// ages are those of commits, as far as they have been asked for.
type ages map[string]int

// of returns how many commits have changed the product since one.
func (known ages) of(commit string) (int, error) {
	if n, found := known[commit]; found {
		return n, nil
	}
	if exec.Command("git", "merge-base", "--is-ancestor", commit, "HEAD").Run() != nil {
		known[commit] = unknown
		return unknown, nil
	}
	out, err := git(append([]string{"rev-list", "--count", "--no-merges", commit + "..HEAD", "--"}, product...)...)
	if err != nil {
		return 0, err
	}
	n := 0
	_, err = fmt.Sscan(out, &n)
	known[commit] = n
	return n, err
}

// changedRules returns the rules whose source has changed since a commit.
func changedRules(commit string) (ids []string, err error) {
	out, err := git("diff", "--name-only", commit, "HEAD", "--", "transform/rules")
	for name := range strings.Lines(out) {
		if found := ruleFile.FindStringSubmatch(strings.TrimSpace(name)); found != nil {
			ids = append(ids, "KS"+found[1])
		}
	}
	return ids, err
}

func git(args ...string) (string, error) {
	out, err := exec.Command("git", args...).Output()
	if failed := new(exec.ExitError); errors.As(err, &failed) {
		return "", fmt.Errorf("git %s: %s", strings.Join(args, " "), bytes.TrimSpace(failed.Stderr))
	}
	return string(out), err
}

const page = "docs/evidence/README.md"

const introduction = `# How old the evidence is

<!-- Written by make evidence, which make stale compares with the pages. -->

CI runs each test that [contract.md](contract.md) and [security.md](security.md) name, and compares
[health.md](health.md), but for its section Measured, and the rules' pages with what the program makes. It measures
[compatibility.md](compatibility.md) again for KServe %[2]s, except the table Scaling and the slow ones of
the table Drift. Everything else below was measured by hand, with the commit that is named, and nothing compares it.

An age is the number of commits of the product since then: those that change what people run. CI fails if a row about
KServe %[2]s is older than %[1]d, and if a page has no row. Of restarts.md, the rules that have changed since
are named: what the page says about them may be wrong. Of a row whose cells come from several commits, the oldest
counts. The two pages without a commit were written before it was noted.

| page | KServe | commit | age at %[3]s | changed since |
|---|---|---|---|---|
`

// head is the part of a row that the pages give.
func (m measured) head() string {
	return fmt.Sprintf("| [%s](%[1]s) | %s | %s |", m.page, m.release, m.commit)
}

func write(all []measured, releases []string) error {
	now, err := git("rev-parse", "--short=8", "HEAD")
	if err != nil {
		return err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, introduction, oldest, strings.Join(releases, " and "), strings.TrimSpace(now))
	for _, m := range all {
		age := fmt.Sprint(m.ago)
		switch {
		case m.commit == notNoted:
			age = "**stale**"
		case m.ago == unknown:
			age = "not in the history, **stale**"
		case m.ago > oldest:
			age += ", **stale**"
		}
		if m.inCI {
			age = "measured by CI"
		}
		changed := strings.Join(m.changed, " ")
		if len(m.changed) > 0 {
			age += ", **stale** where a rule has changed"
		}
		if n := len(m.changed); n > 10 {
			changed = fmt.Sprintf("%d rules", n)
		}
		fmt.Fprintf(&b, "%s %s | %s |\n", m.head(), age, changed)
	}
	return os.WriteFile(page, b.Bytes(), 0o666)
}
