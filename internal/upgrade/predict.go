package upgrade

import (
	"fmt"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/plan"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/terminal"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// Prediction is what KServe's own code makes of an upgrade.
type Prediction struct {
	Before    *plan.Plan // what the old release makes of the manifests
	Alone     *plan.Plan // what the new release then makes of that, before anybody applies anything
	Generated *plan.Plan // what it makes of what generate writes for it, and of any change of what stays as it is
	// Unchanged reports whether generate writes the same object for both releases.
	Unchanged func(plan.Reference) bool
}

// About returns a change with the name, the place and the source of an object, and whether anything is to be said of it.
type About func(plan.Reference) (Change, bool)

// Changes adds what the rules can't know to what they have found, and corrects what they say of restarts.
func (p Prediction) Changes(found []Change, about About) []Change {
	changes := slices.Concat(p.restarts(found, about), p.refused(about))
	before := map[plan.Reference]plan.Service{}
	for _, s := range p.Before.Services {
		before[s.Versionless()] = s
	}
	for _, s := range p.Alone.Services {
		c, told := about(s.Reference)
		if !told {
			continue
		}
		was := before[s.Versionless()]
		if faults := gainedFaults(was, s); len(faults) > 0 || s.Stuck && !was.Stuck {
			c.Effect, c.Severity = Breaks, transform.Error
			if c.Message = p.release() + " makes no workload for it"; len(faults) > 0 {
				c.Message = p.release() + " fails with it: " + strings.Join(faults, "; ")
			}
			changes = append(changes, c)
		}
		rollouts, remade := parts(&s.Node)
		if len(rollouts) > 0 {
			c.Effect, c.Severity = Rollout, transform.Advice
			c.Message, c.Fields = because(rollouts)
			c.Message = "KServe's upgrade alone restarts its pods: " + c.Message
			changes = append(changes, c)
		}
		if len(remade) > 0 {
			c.Effect, c.Severity, c.Fields = Remade, transform.Advice, nil
			c.Message = p.release() + " " + strings.Join(remade, ", ")
			changes = append(changes, c)
		}
	}
	return changes
}

func (p Prediction) release() string { return "KServe " + p.Alone.Release }

// named is an object as changes name it.
type named struct {
	source int
	object string
}

func (c Change) named() named { return named{c.Source, c.Object} }

func (c Change) isRewritten() bool { return c.Effect == Restarts || c.Effect == Rewritten }

// rules are those that the message of something rewritten names.
func (c Change) rules() string {
	_, rules, _ := strings.Cut(c.Message, ": ")
	return rules
}

// restarts returns the changes that the rules have found with the fields because of which pods restart, and which of
// them restart something.
func (p Prediction) restarts(found []Change, about About) []Change {
	all := slices.Clone(found)
	first := map[named]int{}
	for i, c := range slices.Backward(found) {
		if c.isRewritten() {
			first[c.named()] = i
		}
	}
	restarted, known := map[int]bool{}, map[named]bool{}
	for _, s := range p.Generated.Services {
		c, told := about(s.Reference)
		if !told {
			continue
		}
		rollouts, _ := parts(&s.Node)
		known[c.named()] = true
		if len(rollouts) == 0 {
			continue
		}
		why, fields := because(rollouts)
		if i, found := first[c.named()]; found {
			restarted[i] = true
			all[i].Effect, all[i].Message, all[i].Fields = Restarts, restartOnce+all[i].rules()+"; "+why, fields
			continue
		}
		c.Effect, c.Severity, c.Fields, c.Repaired = Restarts, transform.Advice, fields, !p.Unchanged(s.Reference)
		if c.Message = nextChange + why; c.Repaired {
			c.Message = restartOnce + why
		}
		all = append(all, c)
	}
	for i, c := range found {
		if c.isRewritten() && known[c.named()] && !restarted[i] {
			all[i].Effect, all[i].Message = Rewritten, rewrittenOnly+c.rules()
		}
	}
	return all
}

// refused returns the objects of KServe's that only the new release refuses or fails with, and what only that deletes. What
// is refused of others has to do with the API server, which stays.
func (p Prediction) refused(about About) (changes []Change) {
	objects := func(refused []plan.Problem) map[plan.Reference]bool {
		all := map[plan.Reference]bool{}
		for _, r := range refused {
			all[r.Object.Versionless()] = true
		}
		return all
	}
	before, alone, generated := objects(p.Before.Refused), objects(p.Alone.Refused), objects(p.Generated.Refused)
	add := func(r plan.Problem, repaired bool, object, change string) {
		c, told := about(r.Object)
		isDeleted := r.Verdict == plan.IsDeletedAgain && r.By == plan.Controller
		theirs := !strings.HasPrefix(r.Object.APIVersion, kserve.Group+"/") && !isDeleted
		if !told || theirs || before[r.Object.Versionless()] {
			return
		}
		c.Effect, c.Severity, c.Repaired = Breaks, transform.Error, repaired
		switch {
		case isDeleted:
			c.Message = p.release() + " deletes " + object
		case r.Verdict == plan.IsNotDeleted:
			c.Message = p.release() + " deletes " + object + ": " + r.Message
		case r.Verdict == plan.DoesNotWork:
			c.Message = p.release() + " fails with " + object + ": " + strings.TrimPrefix(r.Message, plan.Fails)
		default:
			c.Effect, c.Message = Refused, p.release()+" refuses "+change+": "+r.Message
		}
		changes = append(changes, c)
	}
	for _, r := range p.Alone.Refused {
		add(r, !generated[r.Object.Versionless()], "it", "every change of it")
	}
	for _, r := range p.Generated.Refused {
		if !alone[r.Object.Versionless()] {
			add(r, false, "what generate writes", "what generate writes")
		}
	}
	return changes
}

// gainedFaults are what the controllers of the new release complain about, and those of the old one did not.
func gainedFaults(before, now plan.Service) (all []string) {
	for _, problem := range now.Problems {
		known := slices.ContainsFunc(before.Problems, func(old plan.Problem) bool {
			return old.By == problem.By && old.Object.Groupless() == problem.Object.Groupless()
		})
		if !known && problem.IsFailure() {
			all = append(all, problem.Message)
		}
	}
	return all
}

// parts returns the workloads below a service whose pods restart, and what becomes of the other objects.
func parts(n *plan.Node) (rollouts []plan.Node, remade []string) {
	verbs := map[plan.Effect]string{
		plan.Made: "makes", plan.Changed: "changes", plan.Replaced: "replaces", plan.Deleted: "deletes",
	}
	for _, child := range n.Children {
		verb, changed := verbs[child.Effect]
		if len(child.Restarts) > 0 || child.Effect == plan.Replaced && child.IsWorkload() {
			workload := child
			workload.Kind = n.KindOf(child)
			rollouts = append(rollouts, workload)
		} else if changed {
			remade = append(remade, fmt.Sprintf("%s %s %s", verb, n.KindOf(child), child.Name))
		}
		below, more := parts(&child)
		rollouts, remade = append(rollouts, below...), append(remade, more...)
	}
	return rollouts, remade
}

// mostFields is how many fields a message names.
const mostFields = 4

// because says why the pods of workloads restart, and which fields of their pod templates change.
func because(workloads []plan.Node) (why string, fields []string) {
	var all []string
	for _, n := range workloads {
		fields = append(fields, n.Restarts...)
		if n.Effect == plan.Replaced {
			all = append(all, fmt.Sprintf("%s %s is deleted and made anew", n.Kind, n.Name))
			continue
		}
		shown := n.Restarts[:min(mostFields, len(n.Restarts))]
		what := fmt.Sprintf("%s %s gets another %s", n.Kind, n.Name, strings.Join(shown, ", "))
		if more := len(n.Restarts) - len(shown); more > 0 {
			what += " and " + terminal.Count(more, "more field")
		}
		all = append(all, what)
	}
	return strings.Join(all, "; "), fields
}
