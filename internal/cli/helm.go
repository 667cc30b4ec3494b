package cli

import (
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
)

// helm returns what charts are rendered with.
func (s source) helm(set *settings.Settings) render.HelmOptions {
	return render.HelmOptions{Charts: s.env.Charts}
}
