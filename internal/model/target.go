package model

import (
	"bytes"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// targetName is an object as the target of an autoscaler.
type targetName struct {
	kind string // one of the constants
	objectName
}

// renders reports whether the render has an object of the kind of a target.
func (m *Model) renders(namespace, kind, name string) bool {
	known := m.targets()
	return known[targetName{kind, objectName{namespace, name}}] || known[targetName{kind, objectName{everywhere, name}}]
}

// findTargets returns the objects of the render that autoscalers may scale. A document that can't be parsed may contain
// each target that it mentions, in any namespace.
func findTargets(render *transform.Snapshot) map[targetName]bool {
	wanted, found := map[targetName]bool{}, map[targetName]bool{}
	for _, o := range render.Objects(AutoscalerKinds...) {
		kind, name := Autoscaler{o}.Target()
		wanted[targetName{kind, objectName{everywhere, name}}] = true
	}
	mayHold := func(text []byte) bool { return len(mentionedTargets(text, wanted)) > 0 }
	unreadable := render.Search(mayHold, func(o *transform.Object) {
		if kind := targetKind(o.APIVersion, o.Kind); kind != "" && !IsMade(o) {
			found[targetName{kind, objectName{o.Namespace, o.Name}}] = true
		}
	})
	for _, text := range unreadable {
		for _, t := range mentionedTargets(text, wanted) {
			found[t] = true
		}
	}
	return found
}

// mentionedTargets returns the wanted targets whose kind and name are words of the text.
func mentionedTargets(text []byte, wanted map[targetName]bool) (found []targetName) {
	for _, kind := range []string{DeploymentTarget, KnativeServiceTarget} {
		if !bytes.Contains(text, []byte(kind)) {
			continue
		}
		for word := range bytes.FieldsFuncSeq(text, outsideNames) {
			if t := (targetName{kind, objectName{everywhere, string(word)}}); wanted[t] {
				found = append(found, t)
			}
		}
	}
	return found
}

// outsideNames reports whether no name of a Deployment or a Service has the character.
func outsideNames(r rune) bool { return !alphanumeric(r) && r != '-' && r != '.' }
