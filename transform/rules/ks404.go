package rules

import (
	_ "embed"
	"fmt"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks404.md
var ks404Doc string

var storageContainerName = &transform.Rule{
	ID:       "KS404",
	Name:     "storage-container-name",
	Title:    "The container of a ClusterStorageContainer is not named storage-initializer",
	Doc:      ks404Doc,
	Issues:   []string{"https://github.com/kserve/kserve/issues/3900"},
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{kserve.ClusterStorageContainer},
	Example:  "unknown/name",
	Severity: transform.Error,
	Run: run(func(p *pass) {
		at := yamldoc.Path{"spec", "container", "name"}
		if name := p.Object.Get(at...).Str(); name != "" && name != kserve.StorageInitializer {
			p.Report(transform.Report{At: at, Edits: p.Object.Edits(yamldoc.Set(at, kserve.StorageInitializer)),
				Message: fmt.Sprintf("the pods are refused if KServe's webhook runs twice, because it then adds the container %s "+
					"twice: rename it to %s",
					name, kserve.StorageInitializer)})
		}
	}),
}
