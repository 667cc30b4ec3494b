// Package checkout finds the sources of Applications in a Git work tree, and what Argo CD renders each of them with.
package checkout

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/application"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/buildenv"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/paths"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/terminal"
)

// Options say where and with what a checkout is rendered.
type Options struct {
	WorkingDir paths.Dir
	Environ    []string     // name=value
	Getenv     buildenv.Env // looks up one of them
	Repos      []string     // repoURLs that stand for this checkout, beside its remotes
}

// Checkout is the work tree that the sources of Applications are rendered from.
type Checkout struct {
	*application.Repository
	Options
	Elsewhere bool // whether a source is left out because its repoURL is not of this checkout

	left  []leftOut
	moved map[string][]string // the Applications with a targetRevision that is not the one checked out
}

// leftOut is a source that is not rendered.
type leftOut struct {
	where        application.Place
	what, reason string
}

// Source is a source of an Application, which is in the checkout.
type Source struct {
	Application string
	Cluster     string   // where the Application deploys to
	Path        string   // the folder, as messages show it
	Environ     []string // the environment that Argo CD gives the plugin
	Plugin      bool     // whether the Application names this plugin

	// Adjust changes the options that the settings make to those with which Argo CD renders the source.
	Adjust func(*settings.Settings, *render.Options) error
}

// Open opens the work tree with the top folder dir.
func Open(dir string, o Options) (*Checkout, error) {
	repository, err := application.Open(dir, o.Getenv, o.Repos...)
	if err != nil {
		return nil, err
	}
	return &Checkout{Repository: repository, Options: o, moved: map[string][]string{}}, nil
}

// Concerns reports whether an Application has a source of this checkout within some folders.
func (c *Checkout) Concerns(app *application.Application, within func(path string) bool) bool {
	return slices.ContainsFunc(c.Folders(app), within)
}

// Folders returns the folders of this checkout that the sources of an Application are, absolute, whether they are
// rendered or not.
func (c *Checkout) Folders(app *application.Application) (dirs []string) {
	for _, s := range app.Sources {
		if s.Chart == "" && (s.Path != "" || s.Ref == "") && c.Has(s.RepoURL) && filepath.IsLocal(cmp.Or(s.Path, ".")) {
			dirs = append(dirs, c.dir(s.Path))
		}
	}
	return dirs
}

// Sources returns the sources of Applications, and an error for each that is not as it has to be.
func (c *Checkout) Sources(apps []application.Application) (sources []Source, failed []error) {
	for i := range apps {
		found, faults := c.of(&apps[i])
		sources, failed = append(sources, found...), append(failed, faults...)
	}
	return sources, failed
}

// mostNamed is how many Applications a note names, and for how many revisions there is a note each.
const mostNamed = 5

// Notes has a line for each reason for which sources are not rendered, and says which Applications are rendered from
// another revision than theirs.
func (c *Checkout) Notes() (notes []string) {
	for i, s := range c.left {
		same := func(other leftOut) bool { return other.reason == s.reason }
		if slices.ContainsFunc(c.left[:i], same) {
			continue
		}
		alike := slices.DeleteFunc(slices.Clone(c.left), func(other leftOut) bool { return !same(other) })
		if len(alike) <= mostNamed {
			for _, s := range alike {
				notes = append(notes, fmt.Sprintf("not rendered: %s: %s: %s", s.where, s.what, s.reason))
			}
			continue
		}
		var names []string
		for _, s := range alike {
			names = append(names, s.what)
		}
		notes = append(notes, fmt.Sprintf("not rendered: %s: %s", terminal.Some(names, mostNamed), s.reason))
	}
	revisions := slices.Sorted(maps.Keys(c.moved))
	for i, revision := range revisions {
		if more := len(revisions) - i; i == mostNamed && more > 1 {
			return append(notes, fmt.Sprintf("rendered from this checkout%s, and not from %d other targetRevisions",
				c.head(), more))
		}
		notes = append(notes, fmt.Sprintf("rendered from this checkout%s, and not from targetRevision %s: %s",
			c.head(), revision, terminal.Some(c.moved[revision], mostNamed)))
	}
	return notes
}

// head shows what is checked out.
func (c *Checkout) head() string {
	switch commit := c.Commit[:min(len(c.Commit), 7)]; {
	case c.Branch != "":
		return " (" + c.Branch + ")"
	case commit != "":
		return " (" + commit + ")"
	}
	return ""
}

// of returns the sources of an Application. It notes why others are not rendered.
func (c *Checkout) of(app *application.Application) (sources []Source, failed []error) {
	for i := range app.Sources {
		source, reason, err := c.source(app, &app.Sources[i])
		what := "application " + app.Name
		if len(app.Sources) > 1 {
			what += fmt.Sprintf(" source %d", i+1)
		}
		switch {
		case err != nil:
			failed = append(failed, fmt.Errorf("%s: %s: %w", app.Where, what, err))
		case reason != "":
			c.left = append(c.left, leftOut{app.Where, what, reason})
		case source != nil:
			sources = append(sources, *source)
		}
	}
	if len(app.Sources) == 0 {
		c.left = append(c.left, leftOut{app.Where, "application " + app.Name, "it has no source"})
	}
	return sources, failed
}

// source returns a source, or why it is not rendered. One that only gives values to others needs no reason.
func (c *Checkout) source(app *application.Application, s *application.Source) (_ *Source, reason string, err error) {
	switch {
	case s.Chart != "":
		return nil, "chart " + s.Chart + " of a Helm repository", nil
	case s.RepoURL == "":
		return nil, "it has no repoURL", nil
	case !c.Has(s.RepoURL):
		c.Elsewhere = true
		return nil, "it is in another repository, " + application.Address(s.RepoURL), nil
	case s.Ref != "" && s.Path == "" && len(app.Sources) > 1:
		c.compare(app, s)
		return nil, "", nil
	case !filepath.IsLocal(cmp.Or(s.Path, ".")):
		return nil, "", fmt.Errorf("path %s: not below the top of the repository", s.Path)
	}
	if !c.IsDir(cmp.Or(s.Path, ".")) {
		return nil, "", fmt.Errorf("path %s: no such folder in this checkout", s.Path)
	}
	full, err := s.Overridden(app.Name, c.ReadFile)
	if err != nil {
		return nil, "", err
	}
	types := full.Types()
	if len(types) > 1 {
		hint := ""
		if full.Plugin != nil {
			hint = ": leave the others out, in a templatePatch with null"
		}
		return nil, "", fmt.Errorf("the fields %v contradict each other; Argo CD takes one of them%s", types, hint)
	}
	if full.Plugin != nil && !isThisPlugin(full.Plugin.Name) {
		return nil, fmt.Sprintf("the plugin %q renders it", full.Plugin.Name), nil
	}
	if reason := c.values(app, &full); reason != "" {
		return nil, reason, nil
	}
	c.compare(app, s)
	source, err := c.rendered(app, &full)
	return source, "", err
}

// compare notes the Application if its source is of another revision than the one checked out.
func (c *Checkout) compare(app *application.Application, s *application.Source) {
	if !c.At(s.TargetRevision) && !slices.Contains(c.moved[s.TargetRevision], app.Name) {
		c.moved[s.TargetRevision] = append(c.moved[s.TargetRevision], app.Name)
	}
}

// plugin is the name of this plugin.
const plugin = "argocd-kserve-plugin"

// isThisPlugin reports whether a plugin is this one: by its name, or with a version in its plugin.yaml.
func isThisPlugin(name string) bool { return name == plugin || strings.HasPrefix(name, plugin+"-") }

// values replaces $name/path, which is in the source with that ref, by a path below the top of this checkout. It
// returns why it can't.
func (c *Checkout) values(app *application.Application, s *application.Source) (reason string) {
	if s.Helm == nil {
		return ""
	}
	replaced := func(file string) string {
		name, rest, _ := strings.Cut(file, "/")
		for _, other := range app.Sources {
			if other.Ref == "" || name != "$"+other.Ref {
				continue
			}
			if other.Chart != "" || !c.Has(other.RepoURL) {
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

// dir returns the folder of a source, absolute.
func (c *Checkout) dir(path string) string { return filepath.Join(c.Dir, filepath.FromSlash(path)) }

// rendered returns how a source of this checkout is rendered.
func (c *Checkout) rendered(app *application.Application, s *application.Source) (*Source, error) {
	dir := c.dir(s.Path)
	shown := dir
	if here, err := filepath.EvalSymlinks(string(c.WorkingDir)); err == nil {
		if rel, err := filepath.Rel(here, dir); err == nil {
			shown = rel
		}
	}
	build := app.Env(s, c.Commit)
	environ, err := c.environ(build, s.Plugin)
	adjust := func(set *settings.Settings, o *render.Options) error {
		set.AppliedByServer = slices.Contains(app.SyncOptions, "ServerSideApply=true") ||
			slices.Contains(app.SyncOptions, "Replace=true")
		o.Getenv = func(name string) string {
			if !strings.HasPrefix(name, "ARGOCD_") {
				return c.Getenv(name)
			}
			return build(name)
		}
		if err := c.confine(set, o, dir); err != nil || s.Plugin != nil {
			return err
		}
		return asArgoCD(app, s, o)
	}
	return &Source{
		Application: app.Name, Cluster: app.Cluster, Path: shown, Environ: environ, Plugin: s.Plugin != nil, Adjust: adjust,
	}, err
}

// environ returns the environment that Argo CD gives the plugin (getPluginParamEnvs in
// reposerver/repository/repository.go@v3.5.7), without ARGOCD_APP_NAME: on a command line a flag wins.
func (c *Checkout) environ(build buildenv.Env, plugin *application.Plugin) ([]string, error) {
	environ := slices.DeleteFunc(slices.Clone(c.Environ), func(entry string) bool {
		return strings.HasPrefix(entry, "ARGOCD_APP_") || strings.HasPrefix(entry, "ARGOCD_ENV_")
	})
	environ = append(environ, "ARGOCD_APP_NAMESPACE="+build("ARGOCD_APP_NAMESPACE"))
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
func (c *Checkout) confine(set *settings.Settings, o *render.Options, dir string) error {
	o.Root, o.RootLocked = c.Dir, true
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
	if rel, err := filepath.Rel(c.Dir, root); err != nil || !filepath.IsLocal(rel) {
		return fmt.Errorf("root %s: outside the repository", set.Root)
	}
	o.Root = root
	return nil
}
