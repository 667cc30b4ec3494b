package application

import (
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/lazyregexp"
)

// Repository is a Git work tree. What it knows is read from its files; git is not run.
type Repository struct {
	Dir     string   // the top of the work tree, absolute
	Remotes []string // the addresses of its remotes as Address returns them, sorted
	Commit  string   // that is checked out; empty if it is not known
	Branch  string   // that is checked out, if any

	// Ignored returns the files and folders that git ignores, absolute: Argo CD's clone lacks them. Nil for none.
	Ignored func() map[string]bool

	git, common string   // its .git, and that of the main work tree
	others      []string // further addresses that stand for it
	tree        *os.Root
}

// Open reads the work tree with the top folder dir. A folder without .git is a work tree without remotes. The
// environment says where the configuration of git's user and of the system are. Further repoURLs may stand for it.
func Open(dir string, getenv func(string) string, repoURLs ...string) (*Repository, error) {
	r := &Repository{Dir: dir, git: filepath.Join(dir, ".git")}
	for _, url := range repoURLs {
		r.others = append(r.others, Address(url))
	}
	if link, err := readSmall(r.git); err == nil { // of a linked work tree or a submodule
		target, found := strings.CutPrefix(strings.TrimSpace(link), "gitdir: ")
		if !found {
			return nil, fmt.Errorf("%s: not the file of a linked work tree", r.git)
		}
		r.git = joined(dir, target)
	}
	r.common = r.git
	if main, err := readSmall(filepath.Join(r.git, "commondir")); err == nil {
		r.common = joined(r.git, strings.TrimSpace(main))
	}
	config, err := readGitConfig(getenv, filepath.Join(r.common, "config"), filepath.Join(r.git, "config.worktree"))
	if err != nil {
		return nil, fmt.Errorf("reading the remotes of %s: %w", dir, err)
	}
	r.Remotes = config.addresses()
	head, _ := readSmall(filepath.Join(r.git, "HEAD"))
	if name, isRef := strings.CutPrefix(strings.TrimSpace(head), "ref: "); isRef {
		r.Branch = strings.TrimPrefix(name, "refs/heads/")
		r.Commit = r.resolve(name)
	} else {
		r.Commit = strings.TrimSpace(head)
	}
	r.tree, err = os.OpenRoot(dir)
	return r, err
}

// Close closes the work tree.
func (r *Repository) Close() error { return r.tree.Close() }

// IsDir reports whether there is a folder with this path below the top.
func (r *Repository) IsDir(dir string) bool {
	info, err := r.tree.Stat(dir)
	return err == nil && info.IsDir()
}

// ReadFile reads a file of the work tree; its path is below the top. A link that leads outside is an error.
func (r *Repository) ReadFile(name string) ([]byte, error) { return r.tree.ReadFile(name) }

// files returns the files of the work tree that git does not ignore, in path order, whether it tracks them or not.
func (r *Repository) files() (all []string, err error) {
	var ignored map[string]bool
	if r.Ignored != nil {
		ignored = r.Ignored()
	}
	err = fs.WalkDir(r.tree.FS(), ".", func(file string, entry fs.DirEntry, err error) error {
		switch isIgnored := ignored[filepath.Join(r.Dir, file)]; {
		case err != nil:
			return err
		case entry.IsDir() && (isIgnored || entry.Name() == ".git"):
			return fs.SkipDir
		case !isIgnored && entry.Type().IsRegular():
			all = append(all, file)
		}
		return nil
	})
	slices.Sort(all)
	return all, err
}

func joined(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// maxSmall bounds the files of git that are read.
const maxSmall = 4 << 20

func readSmall(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() || info.Size() > maxSmall {
		return "", fmt.Errorf("%s: not a regular file of at most %d bytes", path, maxSmall)
	}
	data, err := os.ReadFile(path)
	return string(data), err
}

// resolve returns the commit that a ref leads to, or "".
func (r *Repository) resolve(ref string) string {
	if !filepath.IsLocal(ref) {
		return ""
	}
	for _, dir := range []string{r.git, r.common} {
		if commit, err := readSmall(filepath.Join(dir, ref)); err == nil {
			return strings.TrimSpace(commit)
		}
	}
	packed, _ := readSmall(filepath.Join(r.common, "packed-refs"))
	commit := ""
	for line := range strings.Lines(packed) {
		id, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		peeled, isPeeled := strings.CutPrefix(id, "^") // the commit of the annotated tag on the line above
		switch {
		case commit != "" && isPeeled:
			return peeled
		case commit != "":
			return commit
		case name == ref:
			commit = id
		}
	}
	return commit
}

// minCommit is the length of the shortest commit that counts as one.
const minCommit = 7

// At reports whether a revision is known to be what is checked out. HEAD is the branch that is checked out.
func (r *Repository) At(revision string) bool {
	if revision == "" || revision == "HEAD" || revision == r.Branch {
		return true
	}
	if len(revision) >= minCommit && strings.HasPrefix(r.Commit, strings.ToLower(revision)) {
		return true
	}
	name := strings.TrimPrefix(revision, "refs/")
	for _, ref := range []string{name, "heads/" + name, "tags/" + name, "remotes/origin/" + name} {
		if commit := r.resolve("refs/" + ref); commit != "" && commit == r.Commit {
			return true
		}
	}
	return false
}

// Has reports whether a repoURL is the address of one of the remotes, or one of the further ones.
func (r *Repository) Has(repoURL string) bool {
	return slices.Contains(slices.Concat(r.Remotes, r.others), Address(repoURL))
}

// defaultPorts are the ports of the protocols of git, which an address may leave out.
var defaultPorts = map[string]string{"ssh": "22", "https": "443", "http": "80", "git": "9418"}

// scpLike matches an address without a scheme, as in git@github.com:owner/name.
var scpLike = lazyregexp.New(`^(?:[^/]*@)?([^:/]+):(.*)$`)

// Address returns the host and path of a repository in lower case, without scheme, user, default port, and .git: the
// same repository is often cloned by HTTPS, with a token, and named by SSH in Applications.
func Address(repoURL string) string {
	text := strings.ToLower(strings.TrimSpace(repoURL))
	if m := scpLike().FindStringSubmatch(text); m != nil && !strings.Contains(text, "://") {
		text = m[1] + "/" + strings.TrimPrefix(m[2], "/")
	} else if u, err := url.Parse(text); err == nil && u.Host != "" {
		host := u.Host
		if u.Port() == defaultPorts[u.Scheme] {
			host = u.Hostname()
		}
		text = host + "/" + strings.TrimPrefix(u.Path, "/")
	} else if err == nil && u.Scheme != "" {
		text = u.Path
	} else { // what is before the last @ may be a token
		text = text[strings.LastIndexByte(text, '@')+1:]
	}
	return strings.TrimSuffix(strings.TrimRight(text, "/"), ".git")
}
