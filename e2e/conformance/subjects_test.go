package conformance

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// subject is an object that a release of KServe judges.
type subject struct {
	where     string // file, line, kind and name
	before    map[string]any
	after     map[string]any // with every repair
	synced    map[string]any // with the drift repairs only
	refusal   string         // the message of an error of KS801 to KS899, which say that KServe refuses the object
	announced bool           // there is an error of any rule: KS401 too is about what KServe's definitions refuse
	left      []string       // the fields that the command drift names after every repair
}

// release is one of KServe with the default mode that a cluster has.
type release struct {
	version, mode string
	drift         []string // the rules whose repairs make Git equal what is stored
}

// driftRules asks the plugin for its rules KS601 to KS699.
func driftRules() (ids []string, err error) {
	out, err := exec.Command(binary, "rules", "-o", "json").Output()
	if err != nil {
		return nil, err
	}
	var rules []struct{ ID string }
	if err := json.Unmarshal(out, &rules); err != nil {
		return nil, err
	}
	for _, rule := range rules {
		if strings.HasPrefix(rule.ID, "KS6") {
			ids = append(ids, rule.ID)
		}
	}
	return ids, nil
}

// judgedApp is an app with its settings, but for the release and the mode.
type judgedApp struct {
	app
	settings []string
}

// judgedApps are the apps of KServe's manifests that may concern a rule, and the golden cases, each an app of its own.
// With -manifests they are those of that folder: the files of each folder in it make an app.
func judgedApps(source source) ([]judgedApp, error) {
	if *manifestsFlag != "" {
		apps, _, err := readApps(*manifestsFlag, []string{"."}, 100)
		if err == nil && len(apps) == 0 {
			err = fmt.Errorf("-manifests: there is none in %s", *manifestsFlag)
		}
		return withoutSettings(apps), err
	}
	samples, _, err := source.read()
	if err != nil {
		return nil, err
	}
	samples = slices.DeleteFunc(samples, func(a app) bool { return !a.concerns() })
	goldens, err := goldenApps()
	return append(withoutSettings(samples), goldens...), err
}

func withoutSettings(apps []app) (all []judgedApp) {
	for _, a := range apps {
		all = append(all, judgedApp{app: a})
	}
	return all
}

// goldenApps are the golden cases but those of kustomize. A case keeps its settings but for the rules.
func goldenApps() (apps []judgedApp, err error) {
	const folder = "../../testdata"
	return apps, filepath.WalkDir(filepath.Join(folder, "rules"), func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(folder, path)
		if err != nil || !manifestFile(path) || strings.Count(name, "/") != 3 { // rules/KS101/0.15.2/case.yaml
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if _, err := read(data); err != nil {
			return nil // a case about what Kubernetes can't read
		}
		settings := slices.DeleteFunc(settingsOf(path, data), func(flag string) bool {
			return strings.HasPrefix(flag, "--rules=") || flag == "--autoscaler=finalizer" // for releases up to 0.15.0
		})
		apps = append(apps, judgedApp{app{name, map[string][]byte{name: data}}, settings})
		return nil
	})
}

// subjects are the objects of KServe's kinds in an app.
func (r release) subjects(t *testing.T, a judgedApp) (all []subject) {
	t.Helper()
	settings := append(slices.Clone(a.settings), "--source=directory", "--directory-recurse", "--allow-empty",
		"--kserve-version="+r.version, "--default-deployment-mode="+r.mode)
	run := &run{app: a.app, plugin: plugin{t.TempDir(), settings}}
	if err := run.app.write(run.plugin.dir); err != nil {
		t.Fatal(err)
	}
	run.refuse(t)
	findings, _, err := run.plugin.check(".")
	if err != nil {
		t.Fatal(err)
	}
	after, synced := run.app.files, run.app.files
	if slices.ContainsFunc(findings, func(f finding) bool { return f.Repair }) {
		after = run.fix(t)
	}
	left := run.drift(t)
	if rules := r.driftRulesOf(findings); len(rules) > 0 {
		again := *run
		again.plugin = plugin{t.TempDir(), append(settings, "--rules="+strings.Join(rules, ","))}
		if err := again.app.write(again.plugin.dir); err != nil {
			t.Fatal(err)
		}
		synced = again.fix(t)
	}
	for _, path := range run.app.paths() {
		docs := parsed(t, path, run.app.files)
		before, is, asStored := locate(docs), locate(parsed(t, path, after)), locate(parsed(t, path, synced))
		if len(is) != len(before) || len(asStored) != len(before) {
			t.Fatalf("%s: %d objects became %d and %d", path, len(before), len(is), len(asStored))
		}
		for i, o := range before {
			all = append(all, subject{
				where:  fmt.Sprintf("%s:%d: %s %s", path, o.line, text(o.object["kind"]), name(o.object)),
				before: o.object, after: is[i].object, synced: asStored[i].object,
				refusal:   firstError(slices.DeleteFunc(slices.Clone(findings), unjudged), "KS8", path, docs, o),
				announced: firstError(findings, "", path, docs, o) != "",
				left:      left[objectName(is[i].object)],
			})
		}
	}
	return all
}

// unjudged reports whether a finding is about objects together, and the judge's cluster has no other, or about what
// KServe makes of an object that it takes.
func unjudged(f finding) bool {
	return f.Rule == "KS807" || strings.Contains(f.Message, "KServe never finishes with the service")
}

var columns = regexp.MustCompile(` {2,}`)

// drift returns the fields that the plugin's command of that name lists, by object.
func (r *run) drift(t *testing.T) map[string][]string {
	t.Helper()
	a, err := r.plugin.run(nil, "drift", ".")
	must(t)(a, err)
	fields := map[string][]string{}
	for line := range strings.Lines(string(a.stdout)) {
		if row := columns.Split(line, 3); len(row) == 3 {
			fields[row[0]] = append(fields[row[0]], row[1])
		}
	}
	return fields
}

// objectName returns kind, namespace and name as the plugin's reports have them.
func objectName(object map[string]any) string {
	metadata, _ := object["metadata"].(map[string]any)
	qualified := text(metadata["name"])
	if namespace := text(metadata["namespace"]); namespace != "" {
		qualified = namespace + "/" + qualified
	}
	return text(object["kind"]) + " " + qualified
}

func (r *run) fix(t *testing.T) map[string][]byte {
	t.Helper()
	must(t)(r.plugin.run(nil, "fix", "."))
	return r.read(t)
}

func parsed(t *testing.T, path string, files map[string][]byte) []document {
	t.Helper()
	docs, err := read(files[path])
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return docs
}

// driftRulesOf are the drift rules that repair something. KS501 is one of them where its repairs restart nothing, since
// the defaulter writes the same. KS606 is none where it moves a field, which has an effect then.
func (r release) driftRulesOf(findings []finding) []string {
	rules := map[string]bool{}
	for _, f := range findings {
		if f.Repair && (slices.Contains(r.drift, f.Rule) || f.Rule == "KS501" && !f.Restarts) {
			rules[f.Rule] = true
		}
	}
	for _, f := range findings {
		if f.Repair && (f.Restarts || f.Rule == "KS606" && strings.Contains(f.Message, " move ")) {
			delete(rules, f.Rule)
		}
	}
	return slices.Sorted(maps.Keys(rules))
}

// located is an object of KServe's kinds, the number of its document and the line on which that starts.
type located struct {
	object         map[string]any
	document, line int
}

func locate(docs []document) (all []located) {
	for i, d := range docs {
		for _, value := range d.values {
			if !manifest(value) {
				continue
			}
			for _, object := range objects(value) {
				if strings.HasPrefix(text(object["apiVersion"]), "serving.kserve.io/") {
					all = append(all, located{object, i, d.line})
				}
			}
		}
	}
	return all
}

// firstError is what the first error about an object says, of the rules whose ID starts so.
func firstError(findings []finding, rules, path string, docs []document, o located) string {
	for _, f := range findings {
		if f.File == path && at(docs, f.Line) == o.document && f.Kind == text(o.object["kind"]) && f.Name == name(o.object) &&
			strings.HasPrefix(f.Rule, rules) && f.Severity == "error" {
			return f.Rule + ": " + f.Message
		}
	}
	return ""
}
