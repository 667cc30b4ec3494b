package render

import (
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/tree"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// stdin reads standard input. Messages call it stdin.
func stdin(o Options) (Result, error) {
	data, err := tree.ReadAll(o.Stdin, "stdin", o.MaxInput)
	if err != nil {
		return Result{}, err
	}
	return Result{Files: []transform.File{{Path: "stdin", Data: data, Live: o.Live}}}, nil
}
