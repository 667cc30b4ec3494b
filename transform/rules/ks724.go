package rules

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/lazyregexp"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

//go:embed ks724.md
var ks724Doc string

var probeScheme = &transform.Rule{
	ID:       "KS724",
	Name:     "probe-scheme",
	Title:    "A probe of an LLMInferenceService asks by HTTPS, and the server has no certificate",
	Doc:      ks724Doc,
	Windows:  []transform.Window{kserve.LLM["v1alpha1"]},
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{kserve.LLMInferenceService},
	Example:  "0.17.0/preset",
	Severity: transform.Error,
	Run:      run(checkScheme),
}

// certified matches what a server with a certificate has among its words, or a file that may name one.
var certified = lazyregexp.New(`(?i)ssl|tls|cert|https|--config\b`)

func checkScheme(p *pass) {
	for _, pod := range []kserve.LLMPod{kserve.LLMTemplate, kserve.LLMPrefill} {
		c := p.KServe.LLMContainer(p.Object, pod, p.mainName(pod))
		if c.Node == nil || otherPort(c, pod) != "" {
			continue
		}
		why := p.servesPlainly(c, pod)
		if why == "" {
			continue
		}
		for _, probe := range model.Probes {
			request := c.Get(probe, string(model.HTTPGet))
			port, numeric := request.Get("port").Int()
			if request.Get("scheme").Str() != "HTTPS" || !numeric || !slices.Contains(pod.Ports, port) {
				continue
			}
			result := "the pods never get ready"
			if probe != "readinessProbe" {
				result = "the kubelet restarts the container again and again"
			}
			p.Report(transform.Report{At: c.Path.With(probe, string(model.HTTPGet), "scheme"), Message: fmt.Sprintf(
				"%s, because this probe asks by HTTPS, and %s: write HTTP", result, why)})
		}
	}
}

// servesPlainly says why the server in a container certainly has no certificate, or nothing. From 0.18 on the
// configuration decides it for the presets (EnableTLS in config/llmisvcconfig@v0.18.0), and OpenDataHub's fork sets it.
func (p *pass) servesPlainly(c model.Container, pod kserve.LLMPod) string {
	words, all := c.Words()
	if !all || slices.ContainsFunc(words, certified().MatchString) || slices.ContainsFunc(words, isPlaceholder) {
		return ""
	}
	s := p.KServe.LLMService(p.Object)
	if len(s.Missing) > 0 {
		return ""
	}
	own := c.Has("command") || c.MergedElsewhere("command")
	routed := s.Has("spec", kserve.Prefill) && pod.Path[0] != kserve.Prefill // a sidecar of the preset has port 8000
	switch {
	case own && !routed && startsServer().MatchString(strings.Join(words, " ")):
		return "its server starts without --ssl-certfile"
	case !own && p.KServe.LLMVersions(p.Object).All(withoutTLS) && !p.Versions.Likened() && !p.KServe.ReplacesPresets():
		return "KServe before 0.18 starts the server without a certificate"
	}
	return ""
}

// withoutTLS are the releases whose presets have no certificate.
var withoutTLS = transform.Window{From: transform.Release{0, 16, 0}, Before: transform.Release{0, 18, 0}}
