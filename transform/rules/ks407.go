package rules

import (
	"bytes"
	_ "embed"
	"fmt"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks407.md
var ks407Doc string

var nodeGroup = &transform.Rule{
	ID:    "KS407",
	Name:  "node-group",
	Title: "A model cache finds no node group, or its models where KServe does not look",
	Doc:   ks407Doc,
	Issues: []string{
		"https://github.com/kserve/kserve/issues/4151", "https://github.com/kserve/kserve/issues/4852",
	},
	Windows:  []transform.Window{hasModelCache},
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{kserve.LocalModelCache, localModelNamespaceCache, localModelNodeGroup},
	Example:  "0.20.0/groups",
	Severity: transform.Warning,
	Run: run(func(p *pass) {
		if p.Object.GroupKind() == localModelNodeGroup {
			p.checkModelsPath()
			return
		}
		for _, group := range p.groupReferences() {
			p.checkNodeGroup(group)
		}
	}),
}

// checkNodeGroup looks for a node group with a similar name if the render has node groups, but not this one. Without it
// KServe makes nothing for the cache (Reconcile in pkg/controller/v1alpha1/localmodel@v0.14.1 to @v0.20.0).
func (p *pass) checkNodeGroup(r reference) {
	groups := p.index.nodeGroups()
	if r.name == "" || groups.named[r.name] != nil || len(p.renamed(r)) > 0 { // KS507
		return
	}
	if similar := groups.similar(r.name, nil); similar != nil {
		p.Report(transform.Report{At: r.at, Message: fmt.Sprintf("KServe loads no model, because these manifests have no "+
			"LocalModelNodeGroup %s: did you mean %s? Fine if the cluster has it", r.name, similar.Name)})
	}
}

// nodeAgent is the DaemonSet that looks for models on the nodes (config/localmodelnodes/manager.yaml@v0.14.1 to
// @v0.20.0). Its path on the node differs between KServe's ways to install it, /models and /mnt/models.
const nodeAgent = "kserve-localmodelnode-agent"

// checkModelsPath compares where the jobs of a node group write models, the path of its volume, with where the agent of
// the render looks for them.
func (p *pass) checkModelsPath() {
	looked := p.index.agentPath()
	for _, source := range []string{"hostPath", "local"} {
		at := yamldoc.Path{"spec", "persistentVolumeSpec", source, "path"}
		path := p.Object.Get(at...).Str()
		if looked == "" || path == "" || isPlaceholder(path) || strings.TrimRight(path, "/") == looked {
			continue
		}
		p.Report(transform.Report{At: at, Severity: transform.Error, Message: fmt.Sprintf("KServe loads the models again and "+
			"again and no service gets them, because they are in %s of the node, and the DaemonSet %s looks for them in %s: "+
			"set the same path in both", path, nodeAgent, looked)})
	}
}

// findAgentPath returns the path on the node that the agent of the render looks into, "" if there is none or several.
func findAgentPath(render *transform.Snapshot) (path string) {
	several := false
	render.Search(func(text []byte) bool { return bytes.Contains(text, []byte(nodeAgent)) }, func(o *transform.Object) {
		if o.Kind != "DaemonSet" || o.Name != nodeAgent {
			return
		}
		for _, volume := range o.Get("spec", "template", "spec", "volumes").List() {
			if found := volume.Get("hostPath", "path").Str(); found != "" && volume.Get("name").Str() == "models" {
				several = several || path != ""
				path = strings.TrimRight(found, "/")
			}
		}
	})
	if several || isPlaceholder(path) {
		return ""
	}
	return path
}
