package kustomize

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"sigs.k8s.io/kustomize/api/konfig"
	"sigs.k8s.io/kustomize/api/resource"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/lazyregexp"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render/kustomize/references"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/tree"
)

// kustomization is a kustomization file to check before kustomize reads it.
type kustomization struct {
	*confined
	types.Kustomization
	path string // absolute
	root yaml.Node

	generatorCharts []helmChart // the charts under generators
	otherGenerators []string    // the generators without them
	inflated        []origin    // what the charts were rendered to
}

// check refuses a kustomization that needs the network, other programs or files
// outside the root.
func (k *kustomization) check(data []byte) error {
	if err := k.Unmarshal(data); err != nil {
		return fmt.Errorf("%s: %s", k.Show(k.path), k.redact(strings.Join(strings.Fields(err.Error()), " ")))
	}
	if err := yaml.Unmarshal(data, &k.root); err != nil {
		return fmt.Errorf("%s: %s", k.Show(k.path), k.redact(err.Error()))
	}
	for _, r := range references.Of(&k.Kustomization) {
		if err := k.checkPath(r); err != nil {
			return err
		}
	}
	return k.checkPlugins()
}

// checkPath refuses a path as refusal does, with its position.
func (k *kustomization) checkPath(r references.Reference) error {
	if err := k.refusal(r); err != nil {
		return k.errorf(r.Field, r.Text, "%w", err)
	}
	return nil
}

// refusal returns why a path is refused: it is remote, absolute, missing or outside, or it is a file that the
// kustomization may not load.
func (k *kustomization) refusal(r references.Reference) error {
	dir := filepath.Dir(k.path)
	path := filepath.Join(dir, r.Path)
	switch {
	case r.Field == references.SecretGenerator && !references.IsRemote(r.Text) && !k.Exists(path):
		return errors.New("a path that is missing or outside the root; it is not shown because it may be " +
			"a value, and values belong in literals")
	case references.IsText(r.Path): // it may hold the value of a Secret
		return errors.New("a text that is neither the path of a file nor valid YAML")
	case references.IsRemote(r.Path):
		return fmt.Errorf("%s %w", withoutUser(r.Path), tree.ErrRemote)
	case filepath.IsAbs(r.Path):
		return fmt.Errorf("%s is absolute; name it relative to the kustomization", r.Path)
	}
	real, err := k.Resolve(path)
	if err != nil {
		return err
	}
	if dir, err = k.Resolve(dir); err == nil && !k.IsDir(real) && !k.mayLoad(dir, real) {
		return fmt.Errorf("%s: %w", k.Show(path), errRestricted)
	}
	return nil
}

// errorf returns an error at the position of a value in one of the fields.
func (k *kustomization) errorf(field, text, format string, args ...any) error {
	line, column := position(&k.root, field, text)
	return fmt.Errorf("%s:%d:%d: %s: %w", k.Show(k.path), line, column, field, fmt.Errorf(format, args...))
}

// position returns the position of a value in a top-level field, or the field's
// own without a value or if the value isn't there. kustomize ignores the case of
// field names.
func position(document *yaml.Node, field, text string) (line, column int) {
	line, column = 1, 1
	if len(document.Content) == 0 {
		return line, column
	}
	pairs := document.Content[0].Content
	for i := 0; i+1 < len(pairs); i += 2 {
		if !strings.EqualFold(pairs[i].Value, field) {
			continue
		}
		line, column = pairs[i].Line, pairs[i].Column
		if n := scalar(pairs[i+1], text); n != nil && text != "" {
			return n.Line, n.Column
		}
	}
	return line, column
}

// scalar returns the first scalar with the value below a node.
func scalar(n *yaml.Node, value string) *yaml.Node {
	if n.Kind == yaml.ScalarNode && n.Value == value {
		return n
	}
	for _, child := range n.Content {
		if found := scalar(child, value); found != nil {
			return found
		}
	}
	return nil
}

var userInfo = lazyregexp.New(`//[^?#\s]*@`)

// withoutUser hides the user of an address, who may be a token, unless it is git.
func withoutUser(address string) string {
	return userInfo().ReplaceAllStringFunc(address, func(user string) string {
		if user == "//git@" {
			return user
		}
		return "//***@"
	})
}

// isBuiltin reports whether an object configures a plugin that is compiled into
// kustomize. All others are executables or containers.
func isBuiltin(object *resource.Resource) bool {
	return object.GetApiVersion() == konfig.BuiltinPluginApiVersion
}
