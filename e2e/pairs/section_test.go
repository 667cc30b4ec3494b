package pairs

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

const introduction = `# Changes that fail, announced and made

<!-- Written by make e2e SUITE=pairs. It compares this page with what it measures; -update rewrites the page. -->

A pair is an app before and after a change. The control plane of ` + "`plan`" + ` made each change, with the manifests as they
are: it applied the old ones, then the new ones over them. A pair fails if an object is refused, a controller of KServe
never gets done with a service, or a service ends without its workload. Pairs whose old manifests fail are left out, and
those with objects of all namespaces or of several, or with placeholders. The default deployment mode is Standard.

"Announced" are the pairs of which ` + "`check --previous`" + `, without the program, reports an error for a rule that is about
such a failure: of the sync, of KServe's webhooks and controllers, or of what the change deletes. Errors of other rules,
such as a probe that pods fail, are not about what the control plane can see. "Warned of" are other pairs with a warning
of such a rule, which says when the change is fine: if the cluster has a runtime that the manifests lack, for instance,
which is all that manifests can prove. Warnings make ` + "`check`" + ` fail too, so "both" is the share that people hear of.
The control plane has neither KEDA, whose webhook refuses what KS708 and KS907 announce, nor Kubernetes' controller of
HorizontalPodAutoscalers, which stops two of one Deployment. What KS903 announces fails once KServe looks at the service
again, which it does not do when its runtime goes, and what KS501 announces at the next change of the service. What
KS401 announces of a runtime fails once a service uses it. An error that ` + "`check`" + ` reports of the old manifests too,
such as about a runtime that no service uses, is no announcement of a change that goes through. Where the new manifests
fail in an empty cluster, and go through over the old ones, the announcement is right too: a field that KServe's webhook
has added, such as the model in the place of a framework, stays when the manifests lose what it was made of. With the
program, ` + "`plan --previous`" + ` is what "that fail" was made with.

The mutants are changes of one place of the golden cases and of the manifests that KServe publishes, as the plugin makes
them: a value deleted, added or replaced, or an object left out.
`

// section is the part of the page about a release.
type section struct{ pairs []*pair }

// announcing matches the findings, as RULE: MESSAGE, that are about what the control plane sees. KS102's others are
// about probes that fail, KS201's about two autoscalers, KS208's about metrics, KS718's about servers that do not
// start, and KS721's about what stays.
var announcing = regexp.MustCompile("^(KS(106|40[15]|50[1-46]|512|70[6-9]|71[0-79]|72[689]|73[123]|8..|9..): |" +
	"KS102: the API server refuses|KS201: (KServe (refuses|makes)|.* which is refused)|KS208: .*without triggers|" +
	"KS718: .*nil pointer|KS721: the Deployment never changes)")

// blind are those of them about autoscalers beside each other, which the control plane has nothing against, and about
// what fails when KServe looks at the service again.
var blind = []string{"KS501", "KS708", "KS903", "KS907"}

// rules returns the rules of those of the findings that are about such failures.
func rules(findings []finding) (all []string) {
	for _, f := range findings {
		if announcing.MatchString(f.String()) {
			all = append(all, f.Rule)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// nothing says what was not measured at all, "" for nothing of that.
func (s section) nothing() string {
	failed := slices.ContainsFunc(s.pairs, func(p *pair) bool { return len(p.failed) > 0 })
	passed := slices.ContainsFunc(s.pairs, func(p *pair) bool { return len(p.failed) == 0 })
	if !failed || !passed {
		return "no pair fails, or all do"
	}
	return ""
}

// verdict is how what check --previous says of a pair compares with what the control plane says.
type verdict int

const (
	quiet     verdict = iota // it goes through, and nothing is said
	cautioned                // it goes through, with warnings
	unseen                   // it is announced, and the control plane can't see it
	kept                     // it is announced, and fails only where the app is new
	alarmed                  // it is announced, and goes through
	missed                   // it fails, and nothing is said
	warned                   // it fails, with warnings
	announced                // it fails, as announced
)

// verdict is what the pair counts as, and what pairs of one cause have in common: the rules, or what the control plane
// says.
func (p *pair) verdict() (v verdict, cause string) {
	errors, arisen, warnings := rules(p.announced), rules(p.arisen), rules(p.warned)
	failed := len(p.failed) > 0
	switch {
	case failed && len(errors) > 0:
		return announced, strings.Join(errors, " ")
	case failed && len(warnings) > 0:
		return warned, strings.Join(warnings, " ")
	case failed:
		cause = shape(p.failed[0])
		if advice := rules(p.advised); len(advice) > 0 {
			cause += " (with advice of " + strings.Join(advice, " ") + ")"
		}
		return missed, cause
	case slices.ContainsFunc(arisen, func(rule string) bool { return !slices.Contains(blind, rule) }):
		if len(p.anew) > 0 {
			return kept, strings.Join(arisen, " ")
		}
		return alarmed, strings.Join(arisen, " ")
	case len(arisen) > 0:
		return unseen, strings.Join(arisen, " ")
	case len(warnings) > 0:
		return cautioned, strings.Join(warnings, " ")
	}
	return quiet, ""
}

func (s section) String() string {
	var b strings.Builder
	rows, total := map[string]row{}, row{}
	causes := map[verdict]map[string][]string{missed: {}, alarmed: {}, kept: {}, unseen: {}}
	for _, p := range s.pairs {
		v, cause := p.verdict()
		if rows[p.kind] == nil {
			rows[p.kind] = row{}
		}
		rows[p.kind][v]++
		total[v]++
		if names := causes[v]; names != nil {
			names[cause] = append(names[cause], p.name)
		}
	}
	b.WriteString("| pairs | in all | that fail | announced as an error | warned of | both | " +
		"go through: announced | warned of |\n|---|---|---|---|---|---|---|---|\n")
	for _, kind := range slices.Sorted(maps.Keys(rows)) {
		rows[kind].write(&b, kind)
	}
	total.write(&b, "all")
	list(&b, "Neither announced nor warned of, by what the control plane says:", causes[missed])
	list(&b, "Announced, and goes through, by rule:", causes[alarmed])
	list(&b, "Announced, and fails only where the app is new, by rule:", causes[kept])
	list(&b, "Announced, and not for the control plane to see, by rule:", causes[unseen])
	return b.String()
}

// row counts pairs.
type row map[verdict]int

func (n row) write(b *strings.Builder, name string) {
	heard := n[announced] + n[warned]
	failed, share := heard+n[missed], "-"
	if failed > 0 {
		share = fmt.Sprintf("%d %%", 100*heard/failed)
	}
	passed := n[quiet] + n[cautioned] + n[unseen] + n[kept] + n[alarmed]
	fmt.Fprintf(b, "| %s | %d | %d | %d | %d | %s | %d | %d |\n",
		name, failed+passed, failed, n[announced], n[warned], share, n[alarmed], n[cautioned])
}

// list writes how many pairs there are of each, the most first, with an example.
func list(b *strings.Builder, title string, all map[string][]string) {
	if len(all) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s\n\n", title)
	names := slices.SortedFunc(maps.Keys(all), func(x, y string) int {
		return cmp.Or(len(all[y])-len(all[x]), strings.Compare(x, y))
	})
	for _, name := range names {
		fmt.Fprintf(b, "- %d: %s, such as `%s`\n", len(all[name]), name, all[name][0])
	}
}

// What differs between messages of one cause: names, values and places.
var (
	quoted = regexp.MustCompile(`"[^"]*"|'[^']*'|\[[^\]]*\]|\{[^}]*\}`)
	named  = regexp.MustCompile(`\bpair-\d+\S*|\b\d+\b`)
)

// longest is how much of a message tells its cause.
const longest = 160

// shape is a message without what differs between two of one cause.
func shape(message string) string {
	line, _, _ := strings.Cut(message, "\n")
	line = named.ReplaceAllString(quoted.ReplaceAllString(line, "…"), "…")
	if len(line) > longest {
		line = strings.ToValidUTF8(line[:longest], "") + "…"
	}
	return strings.ReplaceAll(line, "`", "")
}
