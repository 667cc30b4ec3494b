package render

import "github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"

// stdin reads standard input, which messages call stdin.
func stdin(o Options) ([]transform.File, error) {
	data, err := readAll(o.Stdin, "stdin", o.MaxInput)
	if err != nil {
		return nil, err
	}
	return []transform.File{{Path: "stdin", Data: data}}, nil
}
