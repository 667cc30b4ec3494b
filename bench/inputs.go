package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// inputs write what the commands read. The name of an input is the name of its file.
var inputs = map[string]func(w io.Writer, n int){
	"services.yaml": documents(service),
	"small.yaml":    documents(smallDocument),
	"foreign.yaml":  documents(foreignDocument + strings.Repeat("    option: value of an option of document %[1]d\n", 40)),
	"mixed.yaml":    documents(mixed),
	"stale.yaml":    documents(stale),
	"runtimes.yaml": func(w io.Writer, n int) {
		repeat(w, n, "", withRuntime+"---\n")
		repeat(w, n/40, "---\n", withoutRuntime)
	},
	"live.yaml": documents(live),
	"made.yaml": documents(made),
	"list.yaml": func(w io.Writer, n int) {
		io.WriteString(w, "apiVersion: v1\nkind: List\nitems:\n")
		repeat(w, n, "", "-"+indented(service, "  ")[1:])
	},
	"list.json": func(w io.Writer, n int) {
		io.WriteString(w, `{"apiVersion": "v1", "kind": "List", "items": [`)
		repeat(w, n, ", ", jsonService)
		io.WriteString(w, "]}\n")
	},
	"request.json": func(w io.Writer, n int) {
		io.WriteString(w, `{"version": 3, "mode": "Standard", "namespace": "team", "objects": [`)
		repeat(w, n, ", ", jsonService)
		io.WriteString(w, "]}\n")
	},
	"duplicates.yaml": func(w io.Writer, n int) {
		repeat(w, 1, "", service+"        env:\n")
		repeat(w, n, "", "        - name: A\n          value: b\n")
	},
	"changes.json": func(w io.Writer, n int) {
		repeat(w, n, "", fmt.Sprintf(change, "ADDED", "False"))
		for range 9 {
			repeat(w, n, "", fmt.Sprintf(change, "MODIFIED", "False"))
		}
		repeat(w, n, "", fmt.Sprintf(change, "MODIFIED", "True"))
	},
	"repairs.yq": func(w io.Writer, _ int) { io.WriteString(w, repairs) },
}

// documents returns an input of n YAML documents.
func documents(entry string) func(io.Writer, int) {
	return func(w io.Writer, n int) { repeat(w, n, "---\n", entry) }
}

// repeat writes an entry n times. In it, %[1]d is the entry's number and %[2]d that of one of 50 teams.
func repeat(w io.Writer, n int, separator, entry string) {
	for i := range n {
		if i > 0 {
			io.WriteString(w, separator)
		}
		strings.NewReplacer("%[1]d", strconv.Itoa(i), "%[2]d", strconv.Itoa(i%50)).WriteString(w, entry)
	}
}

// files is a folder with inputs.
type files struct{ dir string }

// write writes an input such as services.yaml*5000, if it is not there yet. It returns its path and size.
func (f files) write(input string) (path string, size int64, err error) {
	name, count, _ := strings.Cut(input, "*")
	n, err := strconv.Atoi(count)
	if err != nil {
		return "", 0, fmt.Errorf("input %s: %w", input, err)
	}
	switch name {
	case "names":
		var names strings.Builder
		repeat(&names, n, " ", "team-%[2]d/model-%[1]d")
		return names.String(), 0, nil
	case "overlay":
		path, err = f.overlay(n)
		return path, 0, err
	case "chart":
		path, err = f.chart(n)
		return path, 0, err
	}
	path = filepath.Join(f.dir, count, name)
	if !fileExists(path) {
		if err := writeFile(path, inputs[name], n); err != nil {
			return "", 0, err
		}
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", 0, err
	}
	return path, info.Size(), nil
}

// overlay writes a base with n services and an overlay that prefixes their names, and returns the folder of both.
func (f files) overlay(n int) (string, error) {
	dir := filepath.Join(f.dir, "overlay")
	for path, content := range map[string]func(io.Writer, int){
		"base/services.yaml":            inputs["services.yaml"],
		"base/kustomization.yaml":       text("resources: [services.yaml]\n"),
		"production/kustomization.yaml": text("namePrefix: prod-\nresources: [../base]\n"),
	} {
		if err := writeFile(filepath.Join(dir, path), content, n); err != nil {
			return "", err
		}
	}
	return dir, nil
}

// chart writes a chart whose values name n services, and returns the folder.
func (f files) chart(n int) (string, error) {
	dir := filepath.Join(f.dir, "chart", strconv.Itoa(n))
	for path, content := range map[string]func(io.Writer, int){
		"Chart.yaml":              text("apiVersion: v2\nname: models\nversion: 1.0.0\n"),
		"templates/_helpers.tpl":  text(chartHelpers),
		"templates/services.yaml": text(chartServices),
		"values.yaml": func(w io.Writer, n int) {
			io.WriteString(w, "services:\n")
			repeat(w, n, "", "  model-%[1]d: {team: team-%[2]d, env: {NUMBER: \"%[1]d\", TEAM: team-%[2]d}}\n")
		},
	} {
		if err := writeFile(filepath.Join(dir, path), content, n); err != nil {
			return "", err
		}
	}
	return dir, nil
}

func text(s string) func(io.Writer, int) { return func(w io.Writer, _ int) { io.WriteString(w, s) } }

func writeFile(path string, content func(io.Writer, int), n int) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	w := bufio.NewWriter(file)
	content(w, n)
	return w.Flush()
}
