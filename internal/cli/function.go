package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/krm"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/rules"
)

func newFunctionCommand(env *Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "function",
		Short: "Repair manifests as a KRM function of kustomize or kpt",
		Long: `Repair the items of a ResourceList that kustomize or kpt writes to standard input, and write the ResourceList
with the findings as its results to standard output. The settings are in the spec of the functionConfig, or in the data
of a ConfigMap. Findings at or above fail-on end with exit code 1, after the output.`,
		Example: `  kustomize build --enable-alpha-plugins --enable-exec overlays/prod`,
	}
	src := newSource(env, cmd)
	cmd.Args = takes(0, 0)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		list, in, err := src.readResourceList(cmd.Context())
		if err != nil {
			return err
		}
		out, err := in.transform(cmd.Context(), in.settings.Options, rules.All)
		if err != nil {
			return err
		}
		data, err := list.Output(out.Files()[0].After, results(out.Problems()))
		if err != nil {
			return err
		}
		if err := env.write(cmd.Context(), data); err != nil {
			return err
		}
		out.warn(env)
		if err := out.contradictions(); err != nil {
			return err
		}
		left := out.Left()
		if err := failing(left, cmp.Or(out.settings.FailOn, never)); err != nil {
			io.WriteString(env.Stderr, lines(left))
			return err
		}
		return nil
	}
	return cmd
}

// readResourceList reads standard input within the limits that the flags and the environment set, since the
// functionConfig comes with it.
func (s source) readResourceList(ctx context.Context) (*krm.ResourceList, *input, error) {
	locked, err := s.locked()
	if err != nil {
		return nil, nil, err
	}
	s.env.memory.Limit(ctx, locked.MaxMemory)
	stdin, err := render.Render(ctx, "-", render.Options{MaxInput: int64(locked.MaxInput), Stdin: s.env.Stdin})
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
	from := s.from("-")
	from.Function = &settings.Part{Shown: "stdin", Tree: list.Tree, Line: list.Line, Node: config}
	set, err := s.load(ctx, from)
	if err != nil {
		return nil, nil, err
	}
	set.AllowEmpty = true
	items, err := list.List()
	if err != nil {
		return nil, nil, fmt.Errorf("stdin: %w", err)
	}
	files := []transform.File{{Path: "stdin", Data: items}}
	return list, &input{
		path: "-", settings: set, source: render.Result{Files: files},
		maxCopied: int64(min(set.MaxInput, set.MaxMemory/4)),
	}, nil
}

// severities are those of KRM functions.
var severities = map[transform.Severity]string{
	transform.Advice: "info", transform.Warning: "warning", transform.Error: "error",
}

// results returns the findings as results. What the output repairs is information.
func results(findings []transform.Finding) []krm.Result {
	var all []krm.Result
	for _, f := range findings {
		severity, message := severities[f.Severity], f.Text()
		if f.Repaired() {
			severity, message = "info", "repaired: "+message
		}
		all = append(all, krm.Result{
			Message: f.Rule.ID + ": " + message, Severity: severity, Field: f.At.String(),
			ResourceRef: krm.ResourceRef{
				APIVersion: f.Object.APIVersion, Kind: f.Object.Kind, Namespace: f.Object.Namespace, Name: f.Object.Name,
			},
		})
	}
	return all
}
