package rules

import (
	_ "embed"
	"fmt"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/lazyregexp"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks511.md
var ks511Doc string

var llmName = &transform.Rule{
	ID:       "KS511",
	Name:     "llm-name",
	Title:    "KServe can't make the objects of an LLMInferenceService, because of a name",
	Doc:      ks511Doc,
	Windows:  []transform.Window{kserve.LLM["v1alpha1"]},
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{kserve.LLMInferenceService},
	Example:  "unknown/taken",
	Severity: transform.Error,
	Run:      run(checkLLMName),
}

// The names that the API server accepts for an LLMInferenceService, and those of them with which the name of a Service
// may start. KServe makes a Service with the service's name. (DNS-1123 and DNS-1035,
// pkg/util/validation/validation.go@v0.34.5 of k8s.io/apimachinery.)
var (
	dns1123 = lazyregexp.New(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)
	dns1035 = lazyregexp.New(`^[a-z][-a-z0-9]*$`)
)

// longestLabel is the length of the longest value of a label. KServe writes the service's name into one.
const longestLabel = 63

func checkLLMName(p *pass) {
	s := p.KServe.LLMService(p.Object)
	f := transform.Report{At: yamldoc.Path{"metadata", "name"}}
	const dead = "the service never gets ready, because "
	switch name := s.Name; {
	case len(p.KServe.LLMVersions(p.Object).Releases()) == 0:
		return
	case isPlaceholder(name), p.Object.Get("metadata", "name").IsNull():
	case !dns1123().MatchString(name):
		f.Message = "the API server refuses the name: use small letters, digits and hyphens, and start with a letter"
		p.Report(f)
	case !dns1035().MatchString(name):
		f.Message = dead + "the name of a Service can't start with it: start with a letter, and use no dots"
		p.Report(f)
	case len(name) > longestLabel:
		f.Message = fmt.Sprintf(dead+"a label can't hold its %d characters: use at most %d", len(name), longestLabel)
		p.Report(f)
	}
	for _, other := range p.KServe.Namesakes(s) {
		f.Category = other.String()
		f.Message = fmt.Sprintf("the service never gets ready (%s), because KServe makes or deletes an object with the name "+
			"of %s and stops at one that is not its own: give one of the two another name", other.Child.Reason, other)
		p.Report(f)
	}
}
