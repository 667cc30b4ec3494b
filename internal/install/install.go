// Package install is the sidecar as data, the forms in which people install it, and the comparison of an installed
// sidecar with it.
package install

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"strings"
	"time"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/quantity"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// Version is the release that install pins. The settings and mounts below are those of this release.
const Version = "v0.2.0"

// containerName is the name of the container in every form.
const containerName = "argocd-kserve-plugin"

// Image is the image of the release.
const Image = "ghcr.io/argocd-kserve-plugin/argocd-kserve-plugin:" + Version

// The definition of the sidecar: the list with its container, and the list with its volumes. The volumes var-files and
// plugins are Argo CD's own, in the manifests of 2.14 to 3.5, in the chart and in what the operator makes.
var (
	//go:embed container.yaml
	containerYAML []byte
	//go:embed volumes.yaml
	volumesYAML []byte
	// pluginYAML is the plugin.yaml in the image.
	//go:embed plugin.yaml
	pluginYAML []byte
)

// Options are what differs from one installation to another.
type Options struct {
	Image string // "" for the one of this release

	// The facts about the cluster, as the settings have them, or Unknown.
	KServeVersion, DefaultDeploymentMode string

	RulesAsOf string // "" for the rules of this release
	Report    string // the setting report, "" for its default

	Timeout             time.Duration // 0 for that of the definition, as below
	MaxInput, MaxMemory settings.Size
}

// rulesAsOf is the setting that keeps repairs of newer releases back.
const rulesAsOf = "rules-as-of"

// runs is how many times max-memory the container needs: install/README.md has what was measured.
const runs = 4

// Unknown stands for a fact about the cluster that nobody gave.
const Unknown = "unknown"

// container returns the definition of the container, with the options in it. Without a user, the platform chooses it.
func (o Options) container(user bool) (*yamldoc.Tree, error) {
	definition := containerYAML
	if o.Report != "" {
		last := []byte("    - name: HOME\n")
		entry := fmt.Appendf(nil, "    - name: %s\n      value: %s\n%s", settings.Variable("report"), o.Report, last)
		definition = bytes.Replace(definition, last, entry, 1)
	}
	tree, err := yamldoc.Parse(definition)
	if err != nil {
		return nil, err
	}
	edits := []yamldoc.Edit{yamldoc.Set(yamldoc.Path{0, "image"}, cmp.Or(o.Image, Image))}
	values := o.Facts()
	if o.RulesAsOf != "" {
		values[rulesAsOf] = o.RulesAsOf
	}
	if o.Timeout > 0 {
		values["timeout"] = o.Timeout.String()
	}
	if o.MaxInput > 0 {
		values["max-input"] = compact(o.MaxInput)
	}
	if o.MaxMemory > 0 {
		values["max-memory"] = compact(o.MaxMemory)
		edits = append(edits, raise(tree, yamldoc.Path{0, "resources", "limits", "memory"}, runs*o.MaxMemory)...)
	}
	for i, entry := range tree.Root.Get(0, "env").List() {
		for setting, value := range values {
			if entry.Get("name").Str() == settings.Variable(setting) {
				edits = append(edits, yamldoc.Set(yamldoc.Path{0, "env", i, "value"}, value))
			}
		}
	}
	if !user {
		edits = append(edits, yamldoc.Delete(yamldoc.Path{0, "securityContext", "runAsUser"}))
	}
	return tree.Apply(edits)
}

// volumes returns the definition of the volumes, with room for what is copied.
func (o Options) volumes() (*yamldoc.Tree, error) {
	tree, err := yamldoc.Parse(volumesYAML)
	if err != nil {
		return nil, err
	}
	return tree.Apply(raise(tree, yamldoc.Path{0, "emptyDir", "sizeLimit"}, o.MaxInput))
}

// raise returns the edit of a limit that is below a size.
func raise(tree *yamldoc.Tree, limit yamldoc.Path, size settings.Size) []yamldoc.Edit {
	if n, _ := quantity.Whole(tree.Root.Get(limit...).Str()); n >= int64(size) {
		return nil
	}
	return []yamldoc.Edit{yamldoc.Set(limit, strings.TrimSuffix(compact(size), "B"))}
}

// compact writes a size as environment variables have it, without the space.
func compact(size settings.Size) string { return strings.ReplaceAll(size.String(), " ", "") }

// Facts are the settings about the cluster.
func (o Options) Facts() map[string]string {
	return map[string]string{
		"kserve-version": o.KServeVersion, "default-deployment-mode": o.DefaultDeploymentMode,
	}
}
