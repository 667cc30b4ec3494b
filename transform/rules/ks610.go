package rules

import (
	_ "embed"
	"fmt"
	"net/url"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks610.md
var ks610Doc string

var modelURI = &transform.Rule{
	ID:       "KS610",
	Name:     "model-uri",
	Title:    "KServe writes the URI of an LLM's model in another form",
	Doc:      ks610Doc,
	Windows:  []transform.Window{kserve.LLM["v1alpha1"]},
	Since:    transform.Release{0, 2},
	Kinds:    model.LLMKinds,
	Example:  "0.20.0/escaped",
	Severity: transform.Warning,
	Together: true,
	Run:      run(checkModelURI),
}

func checkModelURI(p *pass) {
	by := p.rewriter()
	if by == "" {
		return
	}
	for _, at := range append(p.adapters(), llmModel) {
		at = at.With("uri")
		uri := p.Object.Get(at...).Str()
		stored, ok := storedURI(uri)
		if !ok || stored == uri || namesNone(uri) { // KS713 reports one that names nothing
			continue
		}
		p.Report(transform.Report{At: at, AsStored: true, Edits: p.Object.Edits(yamldoc.Set(at, stored)),
			Message: fmt.Sprintf("%s, because %s writes %s as %s: write %[4]s", p.outOfSync(), by, uri, stored)})
	}
}

// storedURI returns what Go's net/url makes of a URI, as MarshalJSON and UnmarshalJSON do in apis/url.go of
// knative.dev/pkg@v0.0.0-20260120122510-4a022ed9999a, with which KServe 0.20.0 is built. ok is false for what Go cannot
// read, for a URI with a placeholder, and where the result might come out in yet another form.
func storedURI(uri string) (stored string, ok bool) {
	parsed, err := url.Parse(uri)
	if err != nil || strings.ContainsAny(uri, "{}<>") {
		return "", false
	}
	stored = parsed.String()
	again, err := url.Parse(stored)
	notASCII := func(r rune) bool { return r < ' ' || r > '~' }
	return stored, err == nil && again.String() == stored && !strings.ContainsFunc(stored, notASCII)
}
