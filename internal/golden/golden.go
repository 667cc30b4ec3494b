// Package golden runs golden cases with the plugin's own settings, renderers and rules.
//
// Settings of a case come from the directories above it, of which one named like a KServe version sets kserve-version
// and one named like a rule sets rules, from a settings file in its directory, and from a first line
// `# settings: name=value name=value`.
package golden

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/lazyregexp"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/secret"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/rules"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/transformtest"
)

// Suite returns the cases below a directory.
func Suite(dir string) transformtest.Suite {
	open := func(ctx context.Context, c transformtest.Case) ([]transform.File, transform.Config, error) {
		set, err := load(c)
		if err != nil {
			return nil, transform.Config{}, err
		}
		config, _, err := set.Options.Config()
		if err != nil {
			return nil, transform.Config{}, err
		}
		root, err := filepath.Abs(dir)
		if err != nil {
			return nil, transform.Config{}, err
		}
		read := func(path string) ([]transform.File, error) {
			source, err := render.Render(ctx, filepath.Base(path), render.Options{
				Source: set.Source, Root: root, RootLocked: true, MaxInput: int64(set.MaxInput),
				Dir: filepath.Join(root, filepath.Dir(c.Name)), Getenv: func(string) string { return "" },
			})
			return source.Files, err
		}
		if c.Previous != "" {
			if config.Previous, err = read(c.Previous); err != nil {
				return nil, transform.Config{}, err
			}
		}
		files, err := read(c.Input)
		return files, config, err
	}
	return transformtest.Suite{Dir: dir, Mask: secret.Redact, Open: open}
}

var (
	versionDir   = lazyregexp.New(`^v?\d+\.\d+(\.\d+)?$|^unknown$`)
	settingsLine = lazyregexp.New(`\A# settings: (.*)`)
)

// load works out the settings of a case.
func load(c transformtest.Case) (*settings.Settings, error) {
	given := map[string]string{}
	for _, dir := range c.Dirs() {
		switch {
		case versionDir().MatchString(dir):
			given["kserve-version"] = dir
		case slices.ContainsFunc(rules.All, func(r *transform.Rule) bool { return r.ID == dir }):
			given["rules"] = dir
		}
	}
	head, _ := os.ReadFile(c.Input) // a directory has no settings line
	if m := settingsLine().FindSubmatch(head); m != nil {
		for field := range strings.FieldsSeq(string(m[1])) {
			name, value, _ := strings.Cut(field, "=")
			given[name] = value
		}
	}
	var environ []string
	for name, value := range given {
		environ = append(environ, "ARGOCD_KSERVE_PLUGIN_"+strings.ToUpper(strings.ReplaceAll(name, "-", "_"))+"="+value)
	}
	dir := filepath.Dir(c.Input)
	return settings.Load(settings.Sources{
		Flags: settings.Bind(pflag.NewFlagSet("", pflag.ContinueOnError)), Environ: environ, Dir: dir, Shown: dir,
	})
}
