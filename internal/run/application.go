package run

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/application"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/paths"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/tree"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// checkout is the work tree that the sources of Applications are rendered from.
type checkout struct {
	*Loader
	*application.Repository
	tree  *os.Root
	units []unit
	notes []string
	moved map[string][]string // the Applications with a targetRevision that is not the one checked out
}

// applied returns the sources of the Applications that the flags name, and a line for each that is not rendered.
func (l *Loader) applied(ctx context.Context, args []string, locked *settings.Settings) ([]unit, []string, error) {
	apps, notes, err := l.readApplications(ctx, locked)
	if err != nil {
		return nil, nil, err
	}
	c, err := l.checkout(args, locked)
	if err != nil {
		return nil, nil, err
	}
	defer c.tree.Close()
	c.notes = notes
	var faults []error
	for i := range apps {
		faults = append(faults, c.add(&apps[i]))
	}
	c.notes = append(c.notes, c.movedNotes()...)
	if err := errors.Join(faults...); err != nil {
		return nil, nil, err
	}
	if len(c.units) == 0 {
		for _, note := range c.notes {
			faults = append(faults, errors.New(note))
		}
		return nil, nil, errors.Join(append(faults, c.nothing(len(apps)))...)
	}
	return c.units, c.notes, nil
}

// nothing is the error for Applications of which no source is rendered.
func (c *checkout) nothing(apps int) error {
	if apps == 0 {
		return fmt.Errorf("--application: no Application found in %s", strings.Join(c.Applications, ", "))
	}
	if len(c.Remotes) == 0 {
		return errors.New("none of the sources is rendered, and this checkout has no remotes to compare with; " +
			"pass the repoURL of this repository with --repo")
	}
	return fmt.Errorf("none of the sources is rendered; the remotes of this checkout are %s; "+
		"if a repoURL stands for it too, pass it with --repo", strings.Join(c.Remotes, ", "))
}

func (l *Loader) readApplications(ctx context.Context, locked *settings.Settings) (
	apps []application.Application, notes []string, err error,
) {
	options := l.options(locked)
	options.Source, options.Recurse, options.Include, options.Exclude = render.Auto, true, "", ""
	read := map[string]bool{}
	for _, path := range l.Applications {
		if path == "" {
			return nil, nil, errors.New("flag --application: the path is empty; . is the working directory")
		}
		result, err := render.Render(ctx, path, options)
		if err != nil {
			return nil, nil, err
		}
		result.Files = slices.DeleteFunc(result.Files, func(f transform.File) bool {
			file := l.Dir.Real(f.Path)
			again := f.Renderer == "" && path != "-" && read[file]
			read[file] = true
			return again
		})
		found, problems, err := application.Read(result.Files)
		if err != nil {
			return nil, nil, err
		}
		apps = append(apps, found...)
		for _, p := range problems {
			notes = append(notes, p.String())
		}
	}
	return apps, notes, nil
}

// checkout opens the work tree of a folder, or the root that the flags or the environment give.
func (l *Loader) checkout(args []string, locked *settings.Settings) (*checkout, error) {
	if len(args) > 1 {
		return nil, errors.New("--application takes one PATH, a folder of the checkout")
	}
	top, err := tree.WorkTree(l.Dir.Absolute(First(args)))
	if err == nil && locked.Root != "" {
		top, err = filepath.EvalSymlinks(l.Dir.Absolute(locked.Root))
	}
	if err != nil {
		return nil, err
	}
	repository, err := application.Open(top, l.Getenv)
	if err != nil {
		return nil, err
	}
	tree, err := os.OpenRoot(top)
	if err != nil {
		return nil, err
	}
	return &checkout{Loader: l, Repository: repository, tree: tree, moved: map[string][]string{}}, nil
}

// mostNamed is how many Applications a note names, and for how many revisions there is a note each.
const mostNamed = 5

// movedNotes says which Applications are rendered from another revision than theirs.
func (c *checkout) movedNotes() (notes []string) {
	revisions := slices.Sorted(maps.Keys(c.moved))
	for i, revision := range revisions {
		if more := len(revisions) - i; i == mostNamed && more > 1 {
			return append(notes, fmt.Sprintf("rendered from this checkout%s, and not from %d other targetRevisions",
				c.head(), more))
		}
		notes = append(notes, fmt.Sprintf("rendered from this checkout%s, and not from targetRevision %s: %s",
			c.head(), revision, some(c.moved[revision])))
	}
	return notes
}

// some lists names, of many only a few.
func some(names []string) string {
	if more := len(names) - mostNamed; more > 1 {
		return fmt.Sprintf("%s and %d others", strings.Join(names[:mostNamed], ", "), more)
	}
	return strings.Join(names, ", ")
}

// head shows what is checked out.
func (c *checkout) head() string {
	switch commit := c.Commit[:min(len(c.Commit), 7)]; {
	case c.Branch != "":
		return " (" + c.Branch + ")"
	case commit != "":
		return " (" + commit + ")"
	}
	return ""
}

// add adds the sources of an Application to the units, or says why they are not rendered.
func (c *checkout) add(app *application.Application) error {
	var faults []error
	for i := range app.Sources {
		s := &app.Sources[i]
		reason, err := c.addSource(app, s)
		at := ""
		if len(app.Sources) > 1 {
			at = fmt.Sprintf(" source %d", i+1)
		}
		switch {
		case err != nil:
			faults = append(faults, fmt.Errorf("%s: application %s%s: %w", app.Where, app.Name, at, err))
		case reason != "":
			c.notes = append(c.notes, fmt.Sprintf("%s: application %s%s is not rendered: %s", app.Where, app.Name, at, reason))
		}
	}
	if len(app.Sources) == 0 {
		c.notes = append(c.notes, fmt.Sprintf("%s: application %s is not rendered: it has no source", app.Where, app.Name))
	}
	return errors.Join(faults...)
}

// addSource adds a source, or returns why it is not rendered. A source that only gives values to others needs no
// reason.
func (c *checkout) addSource(app *application.Application, s *application.Source) (reason string, err error) {
	switch {
	case s.Chart != "":
		return "chart " + s.Chart + " of a Helm repository", nil
	case s.RepoURL == "":
		return "it has no repoURL", nil
	case !c.Has(s.RepoURL, c.Repos):
		return "it is in another repository, " + application.Address(s.RepoURL), nil
	case s.Ref != "" && s.Path == "" && len(app.Sources) > 1:
		return "", nil
	case !filepath.IsLocal(cmp.Or(s.Path, ".")):
		return "", fmt.Errorf("path %s: not below the top of the repository", s.Path)
	}
	if info, err := c.tree.Stat(cmp.Or(s.Path, ".")); err != nil || !info.IsDir() {
		return "", fmt.Errorf("path %s: no such folder in this checkout", s.Path)
	}
	full, err := s.Overridden(app.Name, c.tree.ReadFile)
	if err != nil {
		return "", err
	}
	types := full.Types()
	if len(types) > 1 {
		return "", fmt.Errorf("the fields %v contradict each other; Argo CD takes one of them", types)
	}
	if full.Plugin != nil && !isThisPlugin(full.Plugin.Name) {
		return fmt.Sprintf("the plugin %q renders it", full.Plugin.Name), nil
	}
	if reason := c.values(app, &full); reason != "" {
		return reason, nil
	}
	if !c.At(s.TargetRevision) && !slices.Contains(c.moved[s.TargetRevision], app.Name) {
		c.moved[s.TargetRevision] = append(c.moved[s.TargetRevision], app.Name)
	}
	u, err := c.unit(app, &full)
	c.units = append(c.units, u)
	return "", err
}

// plugin is the name of this plugin.
const plugin = "argocd-kserve-plugin"

// isThisPlugin reports whether a plugin is this one: by its name, or with a version in its plugin.yaml.
func isThisPlugin(name string) bool { return name == plugin || strings.HasPrefix(name, plugin+"-") }

// values replaces $name/path, which is in the source with that ref, by a path below the top of this checkout. It
// returns why it can't.
func (c *checkout) values(app *application.Application, s *application.Source) (reason string) {
	if s.Helm == nil {
		return ""
	}
	replaced := func(file string) string {
		name, rest, _ := strings.Cut(file, "/")
		for _, other := range app.Sources {
			if other.Ref == "" || name != "$"+other.Ref {
				continue
			}
			if other.Chart != "" || !c.Has(other.RepoURL, c.Repos) {
				reason = fmt.Sprintf("%s is in another repository, %s", file, application.Address(other.RepoURL))
			}
			return "/" + rest
		}
		return file
	}
	helm := *s.Helm
	helm.ValueFiles, helm.FileParameters = slices.Clone(helm.ValueFiles), slices.Clone(helm.FileParameters)
	for i := range helm.ValueFiles {
		helm.ValueFiles[i] = replaced(helm.ValueFiles[i])
	}
	for i := range helm.FileParameters {
		helm.FileParameters[i].Path = replaced(helm.FileParameters[i].Path)
	}
	s.Helm = &helm
	return reason
}

// unit returns how a source of this checkout is rendered.
func (c *checkout) unit(app *application.Application, s *application.Source) (unit, error) {
	dir := filepath.Join(c.Repository.Dir, filepath.FromSlash(s.Path))
	shown := dir
	if here, err := filepath.EvalSymlinks(string(c.Loader.Dir)); err == nil {
		if rel, err := filepath.Rel(here, dir); err == nil {
			shown = rel
		}
	}
	build := app.Env(s, c.Commit)
	from := c.From(shown)
	environ, err := c.environ(build, s.Plugin)
	from.Environ = environ
	adjust := func(set *settings.Settings, o *render.Options) error {
		o.Getenv = func(name string) string {
			if !strings.HasPrefix(name, "ARGOCD_") {
				return c.Getenv(name)
			}
			return build.Get(name)
		}
		if err := c.confine(set, o, dir); err != nil || s.Plugin != nil {
			return err
		}
		return asArgoCD(app, s, o)
	}
	return unit{application: app.Name, path: shown, from: from, adjust: adjust, plain: s.Plugin == nil}, err
}

// jsonnet returns a warning for each file that Argo CD renders in a directory and this program does not.
func jsonnet(skipped []render.Skip) []string {
	var warnings []string
	for _, skip := range skipped {
		if filepath.Ext(skip.Path) == ".jsonnet" {
			warnings = append(warnings, skip.Path+": jsonnet is not supported, so the objects that it makes are missing")
		}
	}
	return warnings
}

// environ returns the environment that Argo CD gives the plugin (getPluginParamEnvs in
// reposerver/repository/repository.go@v3.5.7), without ARGOCD_APP_NAME: on a command line a flag wins.
func (c *checkout) environ(build application.Env, plugin *application.Plugin) ([]string, error) {
	environ := slices.DeleteFunc(slices.Clone(c.Environ), func(entry string) bool {
		return strings.HasPrefix(entry, "ARGOCD_APP_") || strings.HasPrefix(entry, "ARGOCD_ENV_")
	})
	environ = append(environ, "ARGOCD_APP_NAMESPACE="+build.Get("ARGOCD_APP_NAMESPACE"))
	if plugin == nil {
		return environ, nil
	}
	for _, variable := range plugin.Env {
		environ = append(environ, "ARGOCD_ENV_"+variable.Name+"="+build.Substitute(variable.Value))
	}
	parameters, err := json.Marshal(plugin.Parameters)
	return append(environ, "ARGOCD_APP_PARAMETERS="+string(parameters)), err
}

// confine sets the root: the checkout, or what the source asks for below it.
func (c *checkout) confine(set *settings.Settings, o *render.Options, dir string) error {
	o.Root, o.RootLocked = c.Repository.Dir, true
	if set.Root == "" || set.Locked("root") {
		return nil
	}
	root := set.Root
	if !filepath.IsAbs(root) {
		root = filepath.Join(dir, root)
	}
	root, err := filepath.EvalSymlinks(root)
	if err != nil {
		return fmt.Errorf("root %s: %w", set.Root, paths.Reason(err))
	}
	if rel, err := filepath.Rel(c.Repository.Dir, root); err != nil || !filepath.IsLocal(rel) {
		return fmt.Errorf("root %s: outside the repository", set.Root)
	}
	o.Root = root
	return nil
}
