package application

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-git/gcfg/v2"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/lazyregexp"
)

// gitConfig is what git's configuration says about the addresses of repositories (git-config(1)).
type gitConfig struct {
	home    string
	remotes []string          // remote.<name>.url
	instead map[string]string // url.<base>.insteadOf: the base by the prefix that it replaces
}

// readGitConfig reads the configuration of the system and of the user, which the environment names, and then that of a
// repository. It follows include.path, but not includeIf.
func readGitConfig(getenv func(string) string, repository ...string) (*gitConfig, error) {
	c := &gitConfig{home: getenv("HOME"), instead: map[string]string{}}
	if c.home == "" {
		c.home = getenv("USERPROFILE")
	}
	var files []string
	switch system := getenv("GIT_CONFIG_SYSTEM"); {
	case getenv("GIT_CONFIG_NOSYSTEM") != "":
	case system != "":
		files = append(files, system)
	default:
		files = append(files, "/etc/gitconfig")
	}
	xdg := getenv("XDG_CONFIG_HOME")
	if xdg == "" && c.home != "" {
		xdg = filepath.Join(c.home, ".config")
	}
	if global := getenv("GIT_CONFIG_GLOBAL"); global != "" {
		files = append(files, global)
	} else {
		if xdg != "" {
			files = append(files, filepath.Join(xdg, "git", "config"))
		}
		if c.home != "" {
			files = append(files, filepath.Join(c.home, ".gitconfig"))
		}
	}
	for _, file := range append(files, repository...) {
		if err := c.read(file, 0); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// maxIncludes is how deep files may include each other, as in git (MAX_INCLUDE_DEPTH in config.c).
const maxIncludes = 10

// read adds a file, which need not be there.
func (c *gitConfig) read(file string, depth int) error {
	if depth > maxIncludes {
		return fmt.Errorf("%s: more than %d files include each other", file, maxIncludes)
	}
	text, err := readSmall(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var includes []string
	text = headed().ReplaceAllString(text, "$1\n")
	err = gcfg.ReadWithCallback(strings.NewReader(text), func(section, name, key, value string, _ bool) error {
		switch setting := strings.ToLower(section + "." + key); {
		case setting == "remote.url" && value != "":
			c.remotes = append(c.remotes, value)
		case setting == "url.insteadof":
			c.instead[value] = name
		case setting == "include.path" && value != "":
			includes = append(includes, c.included(file, value))
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("%s:%w", file, err)
	}
	for _, included := range includes {
		if err := c.read(included, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// headed matches the header of a section before a setting in the same line, which git reads and gcfg v2.0.2 refuses.
var headed = lazyregexp.New(`(?m)^([ \t]*\[[^"\]\n]*(?:"(?:\\.|[^"\\\n])*"[ \t]*)?\])[ \t]*`)

// included returns the path of a file that another one includes.
func (c *gitConfig) included(by, path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		return filepath.Join(c.home, rest)
	}
	return joined(filepath.Dir(by), path)
}

// addresses returns the addresses of the remotes, sorted: those that the configuration has, and those that git uses
// instead, where the longest prefix wins.
func (c *gitConfig) addresses() []string {
	var all []string
	for _, url := range c.remotes {
		all = append(all, Address(url))
		longest := ""
		for prefix := range c.instead {
			if len(prefix) > len(longest) && strings.HasPrefix(url, prefix) {
				longest = prefix
			}
		}
		if longest != "" {
			all = append(all, Address(c.instead[longest]+url[len(longest):]))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
