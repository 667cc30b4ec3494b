package run

import (
	"context"
	"fmt"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/krm"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// LoadResourceList reads standard input within the limits that the flags and the environment set, since the
// functionConfig comes with it.
func (l *Loader) LoadResourceList(ctx context.Context) (*krm.ResourceList, *Input, error) {
	locked, err := l.Locked()
	if err != nil {
		return nil, nil, err
	}
	l.LimitMemory(ctx, locked.MaxMemory)
	stdin, err := render.Render(ctx, "-", render.Options{MaxInput: int64(locked.MaxInput), Stdin: l.Stdin})
	if err != nil {
		return nil, nil, err
	}
	list, err := krm.Read(stdin.Files[0].Data)
	if err != nil {
		return nil, nil, fmt.Errorf("stdin: %w", err)
	}
	config, err := list.Config()
	if err != nil {
		return nil, nil, fmt.Errorf("stdin:%w", err)
	}
	from := l.From("-")
	from.Function = &settings.Part{Shown: "stdin", Tree: list.Tree, Line: list.Line, Node: config}
	set, err := l.settings(ctx, from)
	if err != nil {
		return nil, nil, err
	}
	set.AllowEmpty = true
	items, err := list.List()
	if err != nil {
		return nil, nil, fmt.Errorf("stdin: %w", err)
	}
	files := []transform.File{{Path: "stdin", Data: items}}
	return list, &Input{Path: "-", Settings: set, source: render.Result{Files: files}}, nil
}
