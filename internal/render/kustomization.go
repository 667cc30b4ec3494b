package render

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"sigs.k8s.io/kustomize/api/konfig"
	"sigs.k8s.io/kustomize/api/provider"
	"sigs.k8s.io/kustomize/api/resource"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/lazyregexp"
)

var errRemote = errors.New("is remote; nothing is fetched, so copy it into the repository")

// kustomization is a kustomization file to check before kustomize reads it.
type kustomization struct {
	*confined
	types.Kustomization
	path string // absolute
	root yaml.Node

	generatorCharts []helmChart // the charts under generators
	otherGenerators []string    // the generators without them
	inflated        []source    // what the charts were rendered to
}

// reference is a path that kustomize would load.
type reference struct {
	field string // the top-level field that contains it
	text  string // the text in that field
	path  string
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
	for _, r := range k.references() {
		if err := k.checkPath(r); err != nil {
			return err
		}
	}
	return k.checkPlugins()
}

// checkPath refuses a path as refusal does, with its position.
func (k *kustomization) checkPath(r reference) error {
	if err := k.refusal(r); err != nil {
		return k.errorf(r.field, r.text, "%w", err)
	}
	return nil
}

// refusal returns why a path is refused: it is remote, absolute, missing or outside, or it is a file that the
// kustomization may not load.
func (k *kustomization) refusal(r reference) error {
	dir := filepath.Dir(k.path)
	path := filepath.Join(dir, r.path)
	switch {
	case r.field == secretGenerator && !isRemote(r.text) && !k.exists(path):
		return errors.New("a path that is missing or outside the root; it is not shown because it may be " +
			"a value, and values belong in literals")
	case isText(r.path): // it may hold the value of a Secret
		return errors.New("a text that is neither the path of a file nor valid YAML")
	case isRemote(r.path):
		return fmt.Errorf("%s %w", withoutUser(r.path), errRemote)
	case filepath.IsAbs(r.path):
		return fmt.Errorf("%s is absolute; name it relative to the kustomization", r.path)
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

// secretGenerator is the field whose sources may be values by mistake.
const secretGenerator = "secretGenerator"

// exists reports whether a path leads to something below the root.
func (c *confined) exists(path string) bool {
	_, err := c.Resolve(path)
	return err == nil
}

// references returns the paths of a kustomization: the values that kustomize
// passes to its loader (api/internal/target/kusttarget*.go@v0.21.2). Deprecated
// fields are among them, because kustomize still reads them.
func (k *kustomization) references() references {
	var list references
	list.add("resources", k.Resources...)
	//lint:ignore SA1019 see above
	list.add("bases", k.Bases...)
	list.add("components", k.Components...)
	list.add("crds", k.Crds...)
	list.add("configurations", k.Configurations...)
	list.add("openapi", k.OpenAPI["path"])
	for _, patch := range k.Patches {
		list.add("patches", patch.Path)
	}
	//lint:ignore SA1019 see above
	for _, patch := range k.PatchesJson6902 {
		list.add("patchesJson6902", patch.Path)
	}
	//lint:ignore SA1019 see above
	for _, patch := range k.PatchesStrategicMerge {
		list.addPatch("patchesStrategicMerge", string(patch))
	}
	for _, replacement := range k.Replacements {
		list.add("replacements", replacement.Path)
	}
	for _, g := range k.ConfigMapGenerator {
		list.addSources("configMapGenerator", g.KvPairSources)
	}
	for _, g := range k.SecretGenerator {
		list.addSources(secretGenerator, g.KvPairSources)
	}
	return list
}

type references []reference

func (list *references) add(field string, paths ...string) {
	for _, path := range paths {
		if path != "" {
			*list = append(*list, reference{field, path, path})
		}
	}
}

// addPatch adds a text that is either an inline patch or the path of one.
func (list *references) addPatch(field, text string) {
	if _, isInline := inline(text); !isInline {
		list.add(field, text)
	}
}

// addSources adds the files of a generator. The form is [key=]path; a remote
// address is taken as a whole, because it may contain an equals sign.
func (list *references) addSources(field string, s types.KvPairSources) {
	list.add(field, s.EnvSource)
	list.add(field, s.EnvSources...)
	for _, text := range s.FileSources {
		_, path, found := strings.Cut(text, "=")
		if !found || isRemote(text) {
			path = text
		}
		*list = append(*list, reference{field, text, path})
	}
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

// remote matches what kustomize fetches or clones. It also matches addresses
// with other schemes, which kustomize would treat as files (isRemoteFile in
// api/internal/loader/fileloader.go@v0.21.2, NewRepoSpecFromURL in
// api/internal/git/repospec.go@v0.21.2).
var remote = lazyregexp.New(
	`(?is)^(git::|https?:|[a-z][a-z0-9+.-]*://|github\.com[/:]|[a-z][a-z0-9-]*@.*[/:])|\?(ref|version)=`,
)

// isText reports whether what should be a path is something else, such as an
// inline patch that isn't valid.
func isText(path string) bool { return strings.Contains(path, "\n") || strings.Contains(path, ": ") }

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

func isRemote(path string) bool { return remote().MatchString(strings.TrimSpace(path)) }

// factory parses objects as kustomize does.
var factory = provider.NewDefaultDepProvider().GetResourceFactory()

// inline returns the objects in a text. isInline is false for a path.
func inline(text string) (objects []*resource.Resource, isInline bool) {
	objects, err := factory.SliceFromBytes([]byte(text))
	return objects, err == nil
}

// isBuiltin reports whether an object configures a plugin that is compiled into
// kustomize. All others are executables or containers.
func isBuiltin(object *resource.Resource) bool {
	return object.GetApiVersion() == konfig.BuiltinPluginApiVersion
}
