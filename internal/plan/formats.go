package plan

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/encoding"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/terminal"
)

// Formats are those of the command, the default first.
var Formats = []encoding.Format[*Plan]{
	{Name: "text", Write: Text},
	{Name: "markdown", Write: Markdown},
	{Name: "json", Write: JSON},
	{Name: "yaml", Write: YAML},
}

// jsonVersion is that of the form. A field that is added leaves it; one that goes or changes its meaning raises it.
const jsonVersion = 1

// JSON writes the plan for programs; docs/plan.schema.json describes it.
func JSON(w io.Writer, p *Plan) error {
	return encoding.JSON(w, struct {
		Version int `json:"version"`
		*Plan
	}{jsonVersion, p})
}

// YAML writes all objects as manifests, for programs that judge what runs.
func YAML(w io.Writer, p *Plan) error {
	for _, o := range p.made {
		if _, err := io.WriteString(w, "---\n"+text(Plain(o))); err != nil {
			return err
		}
	}
	return nil
}

// Text writes the plan as trees.
func Text(w io.Writer, p *Plan) error {
	var b strings.Builder
	fmt.Fprintf(&b, "What KServe %s makes%s\n", p.Release, p.likeness())
	for _, refused := range p.Refused {
		fmt.Fprintf(&b, "\n%s%s %s\n  %s\n", place(refused.Place), terminal.Quote(refused.Object.String()), refused.Verdict,
			terminal.Quote(refused.Message))
	}
	for _, s := range p.Services {
		if !p.Compared || s.differs() {
			s.text(&b)
		}
	}
	for _, w := range p.Warnings {
		fmt.Fprintf(&b, "\n%s%s\n  ! %s: %s\n", place(w.Place), terminal.Quote(w.Object.String()), w.By, terminal.Quote(w.Message))
	}
	if len(p.Later) > 0 {
		fmt.Fprintf(&b, "\n%s:\n", nextLook)
	}
	for _, s := range p.Later {
		s.text(&b)
	}
	fmt.Fprintf(&b, "\n%s\n", p.summary())
	_, err := io.WriteString(w, b.String())
	return err
}

// nextLook is when what a change has deleted is missed.
const nextLook = "At KServe's next look, in some ten hours or when its controllers restart"

// differs reports whether there is something to say of a service where only changes count.
func (s *Service) differs() bool { return s.moves() || len(s.Problems) > 0 || s.Stuck }

// text writes a service with what it makes.
func (s *Service) text(b *strings.Builder) {
	fmt.Fprintf(b, "\n%s%s\n", place(s.Place), line(s.Node, s.Reference.String()))
	s.tree(b, "  ")
	for _, problem := range s.Problems {
		fmt.Fprintf(b, "  ! %s: %s\n", problem.By, terminal.Quote(problem.Message))
	}
	if s.Stuck {
		b.WriteString("  ! it ends without a workload\n")
	}
}

func (p *Plan) likeness() string {
	if p.For == "" {
		return ""
	}
	return ", which stands in for " + p.For
}

func place(place string) string {
	if place == "" {
		return ""
	}
	return terminal.Quote(place) + ": "
}

func line(n Node, name string) string {
	shown := terminal.Quote(name)
	if n.Effect != "" {
		shown += " " + string(n.Effect)
	}
	if len(n.Facts) > 0 {
		shown += ": " + terminal.Quote(strings.Join(n.Facts, "; "))
	}
	return shown
}

// tree writes what a node has below it, and what has changed in it.
func (n *Node) tree(b *strings.Builder, indent string) {
	if len(n.Restarts) > 0 {
		fmt.Fprintf(b, "%spods restart: %s\n", indent, terminal.Quote(strings.Join(n.Restarts, ", ")))
	}
	for diff := range strings.Lines(n.Diff) {
		b.WriteString(indent + "| " + terminal.Quote(strings.TrimSuffix(diff, "\n")) + "\n")
	}
	for _, child := range n.Children {
		b.WriteString(indent + line(child, n.KindOf(child)+" "+child.Name) + "\n")
		child.tree(b, indent+"  ")
	}
}

// KindOf is the kind of a child, with its group where another child has a kind of the same name, as kubectl writes it. A
// Service of Knative always has it.
func (n *Node) KindOf(child Node) string {
	group, _, grouped := strings.Cut(child.APIVersion, "/")
	if grouped && child.Kind == "Service" {
		return child.Kind + "." + group
	}
	for _, other := range n.Children {
		if grouped && other.Kind == child.Kind && !strings.HasPrefix(other.APIVersion, group+"/") {
			return child.Kind + "." + group
		}
	}
	return child.Kind
}

// moves reports whether anything changes in the tree.
func (n *Node) moves() bool {
	if n.Effect != Unchanged {
		return true
	}
	for _, child := range n.Children {
		if child.moves() {
			return true
		}
	}
	return false
}

// count adds up the effects of a tree.
func (n *Node) count(effects map[Effect]int, restarts *int) {
	effects[n.Effect]++
	if len(n.Restarts) > 0 {
		*restarts++
	}
	for _, child := range n.Children {
		child.count(effects, restarts)
	}
}

func (p *Plan) summary() string {
	effects, restarts, stuck, verdicts := map[Effect]int{}, 0, 0, map[Verdict]int{}
	for _, r := range p.Refused {
		verdicts[r.Verdict]++
	}
	for _, s := range p.Services {
		s.count(effects, &restarts)
		if s.Stuck {
			stuck++
		} else if s.fails() {
			verdicts[DoesNotWork]++
		}
	}
	failing := 0
	for _, s := range p.Later {
		if s.breaks() {
			failing++
		}
	}
	parts := []string{terminal.Count(len(p.Services), "service")}
	add := func(n int, what string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, what))
		}
	}
	for _, effect := range []Effect{Made, Changed, Replaced, Deleted} {
		add(effects[effect], string(effect))
	}
	switch {
	case !p.Compared:
		parts = append(parts, terminal.Count(effects[""]-len(p.Services), "object")+" made")
	case len(parts) == 1 && len(p.Later) > 0:
		parts = append(parts, "nothing changes at once")
	case len(parts) == 1:
		parts = append(parts, "nothing changes")
	}
	if restarts > 0 {
		parts = append(parts, "pods of "+terminal.Count(restarts, "workload")+" restart")
	}
	add(verdicts[IsRefused], "refused")
	add(verdicts[IsNotDeleted], "not deleted")
	add(verdicts[IsDeletedAgain], "deleted again")
	add(stuck, "without a workload")
	add(verdicts[DoesNotWork], "on which KServe fails")
	add(len(p.Later)-failing, "changed at KServe's next look")
	add(failing, "failing at KServe's next look")
	return strings.Join(parts, ", ")
}

// maxMarkdown leaves room in the 65,536 characters that a comment on GitHub may have.
const maxMarkdown = 60_000

// Markdown writes the plan for a comment on a pull request. Where GitHub would refuse it, diffs are left out, and then
// services.
func Markdown(w io.Writer, p *Plan) error {
	var b strings.Builder
	fmt.Fprintf(&b, "### What KServe %s makes%s\n\n%s\n", encoding.Markdown(p.Release), encoding.Markdown(p.likeness()),
		encoding.Markdown(p.summary()))
	left := 0
	// add writes the first of the texts for which there is room.
	add := func(texts ...string) {
		for _, text := range texts {
			if b.Len()+len(text) <= maxMarkdown {
				b.WriteString(text)
				return
			}
		}
		left++
	}
	for _, refused := range p.Refused {
		add(fmt.Sprintf("\n**%s %s** %s\n\n> %s\n", encoding.Markdown(refused.Object.String()), refused.Verdict,
			encoding.Markdown(refused.Place), encoding.Markdown(refused.Message)))
	}
	for _, s := range p.Services {
		if !p.Compared || s.differs() {
			add(s.markdown(true), s.markdown(false))
		}
	}
	for _, w := range p.Warnings {
		add(fmt.Sprintf("\n**%s** %s\n\n> %s: %s\n", encoding.Markdown(w.Object.String()), encoding.Markdown(w.Place),
			encoding.Markdown(w.By), encoding.Markdown(w.Message)))
	}
	if len(p.Later) > 0 {
		fmt.Fprintf(&b, "\n#### %s\n", encoding.Markdown(nextLook))
	}
	for _, s := range p.Later {
		add(s.markdown(true), s.markdown(false))
	}
	if left > 0 {
		fmt.Fprintf(&b, "\nThe comment has no room for %d more; run `plan` to see all.\n", left)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// markdown returns a service with what it makes, with its diffs or without.
func (s *Service) markdown(diffs bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n**%s**", encoding.Markdown(s.Reference.String()))
	if s.Effect != "" {
		b.WriteString(" " + string(s.Effect))
	}
	fmt.Fprintf(&b, "%s %s\n\n", s.markdownFacts(), encoding.Markdown(s.Place))
	for _, problem := range s.Problems {
		fmt.Fprintf(&b, "> %s: %s\n\n", encoding.Markdown(problem.By), encoding.Markdown(problem.Message))
	}
	if s.Stuck {
		b.WriteString("> It ends without a workload.\n\n")
	}
	s.changes(&b, "", diffs)
	s.below(&b, "", diffs)
	return b.String()
}

func (n *Node) markdownFacts() string {
	if len(n.Facts) == 0 {
		return ""
	}
	return ": " + encoding.Markdown(strings.Join(n.Facts, "; "))
}

func (n *Node) below(b *strings.Builder, indent string, diffs bool) {
	for _, child := range n.Children {
		effect := cmp.Or(string(child.Effect), "made")
		fmt.Fprintf(b, "%s- %s `%s` %s%s\n", indent, encoding.Markdown(n.KindOf(child)),
			strings.ReplaceAll(terminal.Quote(child.Name), "`", ""), effect, child.markdownFacts())
		child.changes(b, indent+"  ", diffs)
		child.below(b, indent+"  ", diffs)
	}
}

// changes writes what has changed in a node.
func (n *Node) changes(b *strings.Builder, indent string, diffs bool) {
	if len(n.Restarts) > 0 {
		fmt.Fprintf(b, "%s**pods restart**: %s\n", indent, encoding.Markdown(strings.Join(n.Restarts, ", ")))
	}
	if n.Diff != "" && diffs {
		fmt.Fprintf(b, "\n%s<details><summary>changes</summary>\n\n", indent)
		for diff := range strings.Lines(n.Diff) {
			fmt.Fprintf(b, "%s    %s\n", indent, terminal.Quote(strings.TrimSuffix(diff, "\n")))
		}
		fmt.Fprintf(b, "\n%s</details>\n\n", indent)
	}
}
