package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// documents are the files beside the programs that are the same for every platform.
type documents struct {
	legal   []file // of archives and image
	archive []file // the README, and completions for the shells
	config  []file // plugin.yaml at its place in the image
}

// configPath is where argocd-cmp-server reads plugin.yaml (common.DefaultPluginConfigFilePath and
// PluginConfigFileName in common/common.go of argo-cd@v3.5.7).
const configPath = "home/argocd/cmp-server/config/plugin.yaml"

// completions are the names that the shells look for.
var completions = map[string]string{
	"bash": program + ".bash", "zsh": "_" + program, "fish": program + ".fish", "powershell": program + ".ps1",
}

func (r *release) documents(ctx context.Context) (documents, error) {
	var all documents
	for _, one := range []struct {
		from, to string
		into     *[]file
	}{
		{"LICENSE", "LICENSE", &all.legal},
		{"README.md", "README.md", &all.archive},
		{"plugin.yaml", configPath, &all.config},
	} {
		data, err := os.ReadFile(filepath.Join(r.source, one.from))
		if err != nil {
			return all, err
		}
		*one.into = append(*one.into, file{one.to, 0o644, data})
	}
	for shell, name := range completions {
		script, err := outputWith(ctx, r.source, goEnviron, "go", "run", "./cmd/"+program, "completion", shell)
		if err != nil {
			return all, err
		}
		all.archive = append(all.archive, file{"completions/" + name, 0o644, []byte(script + "\n")})
	}
	return all, nil
}

// legalNames are the names of the files that a licence asks to pass on.
var legalNames = regexp.MustCompile(`(?i)^(licen[cs]e|copying|copyright|notice|patents)([.-].*)?$`)

// notices returns the licences of what is linked into the programs: Go and the modules.
func (r *release) notices(ctx context.Context, programs []file) (file, error) {
	linked, err := modules(programs)
	if err != nil {
		return file{}, err
	}
	delete(linked, stdlib)
	list := append([]string{"list", "-m", "-json"}, slices.Sorted(maps.Keys(linked))...)
	listed, err := output(ctx, r.source, "go", list...)
	if err != nil {
		return file{}, err
	}
	root, err := output(ctx, r.source, "go", "env", "GOROOT")
	if err != nil {
		return file{}, err
	}
	type module struct{ Path, Version, Dir string }
	all := []module{{Path: "Go", Dir: root}}
	for decoder := json.NewDecoder(strings.NewReader(listed)); decoder.More(); {
		var m module
		if err := decoder.Decode(&m); err != nil {
			return file{}, err
		}
		all = append(all, m)
	}
	var text bytes.Buffer
	fmt.Fprintf(&text, "The programs contain the modules below, under these licences.\n")
	for _, m := range all {
		entries, err := os.ReadDir(m.Dir)
		if err != nil {
			return file{}, fmt.Errorf("the source of %s: %w", m.Path, err)
		}
		found := false
		for _, entry := range entries {
			if !legalNames.MatchString(entry.Name()) || entry.IsDir() {
				continue
			}
			data, err := os.ReadFile(filepath.Join(m.Dir, entry.Name()))
			if err != nil {
				return file{}, err
			}
			found = true
			title := strings.TrimSpace(m.Path + " " + m.Version)
			fmt.Fprintf(&text, "\n== %s: %s\n\n%s\n", title, entry.Name(), bytes.TrimSpace(data))
		}
		if !found {
			return file{}, fmt.Errorf("%s has no licence", m.Path)
		}
	}
	return file{"THIRD-PARTY-LICENSES.txt", 0o644, text.Bytes()}, nil
}
