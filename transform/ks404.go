package transform

import (
	"fmt"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

var storageContainerName = &Rule{
	ID:    "KS404",
	Name:  "storage-container-name",
	Title: "A ClusterStorageContainer is not called storage-initializer",
	Doc: `The pod webhook looks for an init container called ` + "`storage-initializer`" + ` to see whether it has run before. Under any other
name it does not find its own work, and when Kubernetes calls it a second time the pod gets the init container and its
volume twice and is refused. No release checks for another name.

The container is renamed; nothing else refers to the name.`,
	Issues:   []string{"https://github.com/kserve/kserve/issues/3900"},
	Kinds:    []string{"ClusterStorageContainer"},
	Example:  "unknown/name",
	Severity: Error,
	Run: func(p *Pass) {
		at := yamldoc.Path{"spec", "container", "name"}
		if name := p.Object.Get(at...).Str(); name != "" && name != kserve.StorageInitializer {
			p.Report(Finding{At: at, Edits: []Edit{{p.Object, yamldoc.Set(at, kserve.StorageInitializer)}},
				Message: fmt.Sprintf("KServe adds the container %s twice when its webhook runs twice: rename it to %s", name, kserve.StorageInitializer)})
		}
	},
}
