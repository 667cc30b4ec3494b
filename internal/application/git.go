package application

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/lazyregexp"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// gitGenerator is GitGenerator (pkg/apis/application/v1alpha1/applicationset_types.go@v3.5.7).
type gitGenerator struct {
	RepoURL         string            `json:"repoURL"`
	Revision        string            `json:"revision"`
	Directories     []gitPattern      `json:"directories"`
	Files           []gitPattern      `json:"files"`
	PathParamPrefix string            `json:"pathParamPrefix"`
	Values          map[string]string `json:"values"`
}

type gitPattern struct {
	Path    string `json:"path"`
	Exclude bool   `json:"exclude"`
}

// git returns the parameters of a git generator (applicationset/generators/git.go@v3.5.7). It takes the files as they
// are in the work tree, and notes that another revision is asked for.
func (s *set) git(content map[string]any, node *yamldoc.Node) ([]map[string]any, error) {
	g, err := typed[gitGenerator](content)
	switch {
	case err != nil:
		return nil, err
	case s.Repository == nil || !s.Repository.Has(g.RepoURL):
		s.problem(node, "the generator git lists another repository, %s, so its Applications are not rendered; if "+
			"that stands for this checkout, pass it with --repo", Address(g.RepoURL))
		return nil, errUnexpanded
	case len(g.Directories) == 0 && len(g.Files) == 0:
		return nil, errors.New("neither directories nor files")
	case !s.Repository.At(g.Revision):
		s.problem(node, "the generator git lists the files of this checkout, and not those of revision %s", g.Revision)
		s.problems[len(s.problems)-1].Expanded = true
	}
	files, err := s.Repository.files()
	if err != nil {
		return nil, err
	}
	var all []map[string]any
	if len(g.Directories) > 0 {
		for _, dir := range chosen(g.Directories, directories(files), matchesDirectory) {
			all = append(all, s.located(g.PathParamPrefix, dir, ""))
		}
	} else if all, err = s.contents(g, chosen(g.Files, files, matchesFile)); err != nil {
		return nil, err
	}
	for _, params := range all {
		if err := s.addValues(params, g.Values); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// chosen returns the paths that a pattern matches, and none that excludes.
func chosen(patterns []gitPattern, paths []string, matches func(pattern, path string) bool) []string {
	return slices.DeleteFunc(slices.Clone(paths), func(path string) bool {
		included, excluded := false, false
		for _, p := range patterns {
			if matches(p.Path, path) {
				included, excluded = included || !p.Exclude, excluded || p.Exclude
			}
		}
		return !included || excluded
	})
}

// directories returns the folders above the files, without hidden ones and without the top, in path order
// (GetGitDirectories in reposerver/repository/repository.go@v3.5.7).
func directories(files []string) []string {
	found := map[string]bool{}
	for _, file := range files {
		for dir := path.Dir(file); dir != "." && !found[dir]; dir = path.Dir(dir) {
			found[dir] = true
		}
	}
	maps.DeleteFunc(found, func(dir string, _ bool) bool { return strings.HasPrefix(dir, ".") || strings.Contains(dir, "/.") })
	return slices.Sorted(maps.Keys(found))
}

func matchesDirectory(pattern, dir string) bool {
	matched, err := path.Match(pattern, dir)
	return err == nil && matched // Argo CD passes over a bad pattern
}

// special matches what is no plain character in a path of git (gitglossary(7), pathspec). Between two folders a
// star is no other than elsewhere, because Argo CD does not ask for the magic word glob.
var special = lazyregexp.New(`\*+|\?|\[[!^]?\]?[^]]*\]|\\.`)

// matchesFile matches a file as git ls-files does (LsFiles in util/git/client.go@v3.5.7).
func matchesFile(pattern, file string) bool {
	pattern = path.Clean(pattern)
	if pattern == "." || pattern == file || strings.HasPrefix(file, pattern+"/") {
		return true
	}
	if !strings.ContainsAny(pattern, `*?[\`) {
		return false
	}
	var b strings.Builder
	rest := pattern
	for rest != "" {
		at := special().FindStringIndex(rest)
		if at == nil {
			at = []int{len(rest), len(rest)}
		}
		b.WriteString(regexp.QuoteMeta(rest[:at[0]]))
		switch token := rest[at[0]:at[1]]; {
		case token == "":
		case token[0] == '*':
			b.WriteString(".*")
		case token[0] == '?':
			b.WriteString(".")
		case token[0] == '[':
			b.WriteString(strings.Replace(token, "[!", "[^", 1))
		default:
			b.WriteString(regexp.QuoteMeta(token[1:]))
		}
		rest = rest[at[1]:]
	}
	whole, err := regexp.Compile("^(?s:" + b.String() + ")$")
	return err == nil && whole.MatchString(file)
}

// contents returns the parameters in files, each with a mapping or a list of mappings.
func (s *set) contents(g gitGenerator, files []string) (all []map[string]any, err error) {
	for _, file := range files {
		data, err := s.Repository.ReadFile(file)
		if err != nil {
			return nil, err
		}
		elements := []map[string]any{{}}
		if yaml.Unmarshal(data, &elements[0]) != nil {
			if err := yaml.Unmarshal(data, &elements); err != nil {
				return nil, fmt.Errorf("%s: neither a mapping nor a list of mappings", file)
			}
		}
		for _, element := range elements {
			params := map[string]any{}
			if s.goTemplate {
				maps.Copy(params, element)
			} else {
				flat := map[string]string{}
				flatten(flat, "", element)
				for name, value := range flat {
					params[name] = value
				}
			}
			maps.Copy(params, s.located(g.PathParamPrefix, path.Dir(file), path.Base(file)))
			all = append(all, params)
		}
	}
	return all, nil
}

// located returns the parameters about a folder, and about the name of a file in it if there is one.
func (s *set) located(prefix, dir, file string) map[string]any {
	at := map[string]any{"basename": path.Base(dir), "basenameNormalized": normalize(path.Base(dir))}
	if file != "" {
		at["filename"], at["filenameNormalized"] = file, normalize(file)
	}
	segments := strings.Split(dir, "/")
	if s.goTemplate {
		at["path"], at["segments"] = dir, segments
		if prefix != "" {
			return map[string]any{prefix: map[string]any{"path": at}}
		}
		return map[string]any{"path": at}
	}
	name := "path"
	if prefix != "" {
		name = prefix + ".path"
	}
	flat := map[string]any{name: dir}
	for key, value := range at {
		flat[name+"."+key] = value
	}
	for i, segment := range segments {
		flat[name+"["+strconv.Itoa(i)+"]"] = segment
	}
	return flat
}

// addValues adds the values of a generator, which may use its parameters
// (applicationset/generators/value_interpolation.go@v3.5.7).
func (s *set) addValues(params map[string]any, values map[string]string) error {
	made := map[string]string{}
	for name, text := range values {
		var err error
		if made[name], err = s.text(text, params); err != nil {
			return err
		}
	}
	if s.goTemplate && len(values) > 0 {
		params["values"] = made
		return nil
	}
	for name, value := range made {
		params["values."+name] = value
	}
	return nil
}
