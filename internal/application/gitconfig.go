package application

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// gitConfig is what git's configuration says about the addresses of repositories (git-config(1)).
type gitConfig struct {
	home     string
	remotes  []string // remote.<name>.url
	rewrites []rewrite
	worktree bool // extensions.worktreeConfig
}

// rewrite is url.<base>.insteadOf: the base replaces the prefixes.
type rewrite struct {
	base     string
	prefixes []string
}

// readGitConfig reads the configuration of the system and of the user, which the environment names, that of a
// repository and of its work tree, and that in the environment. It follows include.path, but not includeIf.
func readGitConfig(getenv func(string) string, repository, worktree string) (*gitConfig, error) {
	c := &gitConfig{home: cmp.Or(getenv("HOME"), getenv("USERPROFILE"))}
	var files []string
	if !isTrue(getenv("GIT_CONFIG_NOSYSTEM")) {
		files = append(files, cmp.Or(getenv("GIT_CONFIG_SYSTEM"), "/etc/gitconfig"))
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
	for _, file := range append(files, repository) {
		if err := c.read(file, 0); err != nil {
			return nil, err
		}
	}
	if c.worktree {
		if err := c.read(worktree, 0); err != nil {
			return nil, err
		}
	}
	count, _ := strconv.Atoi(getenv("GIT_CONFIG_COUNT"))
	for i := range count {
		number := strconv.Itoa(i)
		key := getenv("GIT_CONFIG_KEY_" + number)
		if key == "" {
			return nil, fmt.Errorf("GIT_CONFIG_COUNT is %d, and GIT_CONFIG_KEY_%d is not set", count, i)
		}
		c.set(gitSetting{key, getenv("GIT_CONFIG_VALUE_" + number), true})
	}
	return c, nil
}

// isTrue reports whether git takes a value for true.
func isTrue(value string) bool {
	return !slices.Contains([]string{"", "0", "false", "no", "off"}, strings.ToLower(value))
}

// maxIncludes is how deep files may include each other, as in git (MAX_INCLUDE_DEPTH in config.c).
const maxIncludes = 10

// read adds a file, which need not be there. What it includes comes in the place of the include.
func (c *gitConfig) read(file string, depth int) error {
	if depth > maxIncludes {
		return fmt.Errorf("%s: more than %d files include each other", file, maxIncludes)
	}
	if file == os.DevNull {
		return nil
	}
	text, err := readSmall(file)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil
	}
	if err != nil {
		return err
	}
	for setting, err := range gitSettings(text) {
		if err != nil {
			return fmt.Errorf("%s:%w", file, err)
		}
		if setting.key == "include.path" && setting.value != "" {
			if err := c.read(c.included(file, setting.value), depth+1); err != nil {
				return err
			}
		}
		c.set(setting)
	}
	return nil
}

// set adds a setting.
func (c *gitConfig) set(s gitSetting) {
	section, name, _ := strings.Cut(s.key, ".")
	last := strings.LastIndexByte(name, '.')
	name, key := name[:max(last, 0)], name[last+1:]
	switch strings.ToLower(section + "." + key) {
	case "extensions.worktreeconfig":
		c.worktree = !s.valued || isTrue(s.value)
	case "remote.url":
		if s.value != "" {
			c.remotes = append(c.remotes, s.value)
		}
	case "url.insteadof":
		i := slices.IndexFunc(c.rewrites, func(r rewrite) bool { return r.base == name })
		if i < 0 {
			i = len(c.rewrites)
			c.rewrites = append(c.rewrites, rewrite{base: name})
		}
		c.rewrites[i].prefixes = append(c.rewrites[i].prefixes, s.value)
	}
}

// included returns the path of a file that another one includes.
func (c *gitConfig) included(by, path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		return filepath.Join(c.home, rest)
	}
	return joined(filepath.Dir(by), path)
}

// addresses returns the addresses of the remotes, sorted: those that the configuration has, and those that git uses
// instead.
func (c *gitConfig) addresses() []string {
	var all []string
	for _, url := range c.remotes {
		all = append(all, Address(url), Address(c.rewritten(url)))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// rewritten returns the address that git uses: the longest prefix wins, and the first of several bases (alias_url in
// remote.c).
func (c *gitConfig) rewritten(url string) string {
	longest, instead := -1, url
	for _, r := range c.rewrites {
		for _, prefix := range r.prefixes {
			if rest, ok := strings.CutPrefix(url, prefix); ok && len(prefix) > longest {
				longest, instead = len(prefix), r.base+rest
			}
		}
	}
	return instead
}
