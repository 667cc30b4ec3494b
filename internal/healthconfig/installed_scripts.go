package healthconfig

import (
	"fmt"
	"strings"

	"github.com/gobwas/glob"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/health"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// Scripts returns the health checks for kinds of serving.kserve.io that people have: in argocd-cm, Helm values and
// ArgoCD resources, except those without effect, and as entries of resourceHealthChecks in other files, such as
// patches. It is an error if there is neither a check nor an object that could have one.
func (l *Installed) Scripts() ([]health.Script, error) {
	var all []health.Script
	objects := 0
	for _, document := range l.documents {
		for _, object := range document.objects {
			objects++
			all = append(all, object.scripts()...)
		}
		all = append(all, l.entries(document)...)
	}
	if len(all)+objects == 0 {
		return nil, l.nothing()
	}
	return all, nil
}

// entries returns the checks in the entries of resourceHealthChecks, wherever they are in a document.
func (l *Installed) entries(document installedDocument) []health.Script {
	var all []health.Script
	document.tree.Root.Walk(nil, func(trail *yamldoc.Trail, n *yamldoc.Node) {
		kind, check := n.Get("kind").Str(), n.Get("check").Str()
		if n.Get("group").Str() != health.Group || kind == "" || check == "" {
			return
		}
		at := trail.Path()
		script := health.Script{Object: l.name, Key: at.String(), Kind: kind, Source: check}
		for _, object := range document.objects {
			if object.form == formOperator && object.at.Overlaps(at) {
				if object.data.Has(Override{Type: "health", Kind: kind}.Key()) {
					return // extraConfig wins
				}
				script.Object, script.Key = object.name, at[len(object.at):].String()
			}
		}
		all = append(all, script)
	})
	return all
}

// scripts returns the checks under keys of argocd-cm.
func (o installedObject) scripts() []health.Script {
	var all []health.Script
	own := map[string]bool{} // the kinds whose other checks have no effect
	prefix := Override{Type: "health"}.Key()
	for key, value := range o.data.Children() {
		key, _ := key.(string)
		if kind, ok := strings.CutPrefix(key, prefix); ok {
			own[kind] = true
			libraries := Override{Type: "useOpenLibs", Kind: kind}.Key()
			all = append(all, health.Script{
				Object: o.name, Key: key, Kind: kind, Source: value.Str(), OpenLibs: o.data.Get(libraries).Str() == "true",
			})
		}
	}
	for _, c := range o.mapped() {
		pattern, err := glob.Compile(c.pattern)
		if err != nil || c.text("health") == "" {
			continue
		}
		for _, kind := range health.Kinds {
			if pattern.Match(health.Group+"/"+kind) && !own[kind] {
				all = append(all, health.Script{
					Object: o.name, Key: fmt.Sprintf("%s: %s: %s", customizationsKey, c.pattern, kind), Kind: kind,
					Source:   c.entry.Get("health.lua").Str(),
					OpenLibs: c.entry.Get("health.lua.useOpenLibs").Str() == "true",
				})
			}
		}
	}
	return all
}
