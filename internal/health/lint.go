package health

import (
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/lazyregexp"
)

// Script is a health check that people have written.
type Script struct {
	Object   string // the object that holds it
	Key      string // where it is in the object
	Kind     string // of serving.kserve.io
	Source   string
	OpenLibs bool // Argo CD gives it every Lua library
}

// Problem is a state that a Script judges wrongly.
type Problem struct {
	Script
	Line    int // of the script, 0 if none shows it
	Message string
}

// String returns the problem as one line.
func (p Problem) String() string {
	at := p.Object + ": " + p.Key
	if p.Line > 0 {
		at += fmt.Sprintf(": line %d", p.Line)
	}
	return at + ": " + p.Message
}

//go:embed lint/situations.yaml
var situationsYAML []byte

// chunk is the name of a script in errors.
const chunk = "check"

// situation is a state in which custom checks often go wrong.
type situation struct {
	Kinds    []string
	Name     string
	State    string   // in words
	Mentions string   // what the line that is to blame mentions; the wrong status if it is empty
	Accept   []Status // the right verdicts, the best first
	Advice   string
	Unless   []string // the situations of which a wrong verdict explains this one too
	Object   Object
}

// situations returns the states for a kind, as objects at the time now.
func situations(kind string, now time.Time) ([]situation, error) {
	var all []situation
	if err := yaml.UnmarshalStrict(situationsYAML, &all); err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(s situation) bool { return !slices.Contains(s.Kinds, kind) })
	changed := now.Add(-time.Minute).UTC().Format(time.RFC3339)
	for i := range all {
		object := Object{"apiVersion": Group + "/v1beta1", "kind": kind}
		metadata := Object{"name": "example", "namespace": "default", "creationTimestamp": changed}
		if given, ok := At(all[i].Object, "metadata").(Object); ok {
			for key, value := range given {
				metadata[key] = value
			}
		}
		object["metadata"], object["spec"] = metadata, Object{"predictor": Object{}}
		if status, ok := At(all[i].Object, "status").(Object); ok {
			object["status"] = status
			conditions, _ := status["conditions"].([]any)
			for _, condition := range conditions {
				condition.(Object)["lastTransitionTime"] = changed
			}
		}
		all[i].Object = object
	}
	return all, nil
}

// Lint runs a script in states that KServe writes and returns those that it judges wrongly at the time now. The script
// has no access to files, and may not run without end.
func Lint(s Script, now time.Time) ([]Problem, error) {
	if _, known := kserve.KindVersions[s.Kind]; !known {
		message := fmt.Sprintf("Argo CD never runs it, because KServe has no kind %q%s", s.Kind, spelled(s.Kind))
		return []Problem{{s, 0, message}}, nil
	}
	check, err := Compile(chunk, s.Source, s.OpenLibs)
	if err != nil {
		return []Problem{{s, 0, "Argo CD cannot run it: " + strings.TrimSpace(err.Error())}}, nil
	}
	states, err := situations(s.Kind, now)
	if err != nil {
		return nil, err
	}
	var problems []Problem
	wrong := map[string]bool{}
	for _, state := range states {
		if slices.ContainsFunc(state.Unless, func(name string) bool { return wrong[name] }) {
			continue
		}
		verdict, err := check.confined(state.Object, now, nil)
		if err != nil {
			line, text := failure(err)
			if !wrong[text] {
				message := fmt.Sprintf("fails if %s, which makes the object Unknown: %s", state.State, text)
				if !errors.Is(err, errTooSlow) && check.needsLibraries(state.Object, now) {
					message += ": Argo CD gives it no library but table, unless the key " +
						"resource.customizations.useOpenLibs." + Group + "_" + s.Kind + ` is "true"`
				}
				problems = append(problems, Problem{s, line, message})
			}
			wrong[text] = true
			if errors.Is(err, errTooSlow) {
				break
			}
			continue
		}
		if slices.Contains(state.Accept, verdict.Status) {
			continue
		}
		wrong[state.Name] = true
		message := fmt.Sprintf("%s instead of %s if %s: %s", verdict.Status, state.Accept[0], state.State, state.Advice)
		problems = append(problems, Problem{s, check.blame(s.Source, state, verdict, now), message})
	}
	return problems, nil
}

// spelled returns the right spelling of a kind if only the case of its letters is wrong.
func spelled(kind string) string {
	for known := range kserve.KindVersions {
		if strings.EqualFold(known, kind) {
			return ": write " + known
		}
	}
	return ""
}

var (
	failedAt = lazyregexp.New(`^` + chunk + `:(\d+): `)
	address  = lazyregexp.New(`^(table|function|userdata|thread): 0x[0-9a-f]+$`)
)

// failure returns the line in which a script failed, 0 if it is not known, and how.
func failure(err error) (line int, text string) {
	text, _, _ = strings.Cut(err.Error(), "\n") // a stack trace may follow
	if at := failedAt().FindStringSubmatch(text); at != nil {
		line, _ = strconv.Atoi(at[1]) // digits
		text = text[len(at[0]):]
	}
	return line, address().ReplaceAllString(text, "the error is a $1 instead of a text")
}
