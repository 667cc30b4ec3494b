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
	Title:    "A probe of an LLMInferenceService asks by HTTP or HTTPS, and its server answers the other one",
	Doc:      ks724Doc,
	Windows:  []transform.Window{kserve.LLM["v1alpha1"]},
	Since:    transform.Release{0, 2},
	Kinds:    model.LLMKinds,
	Example:  "0.17.0/preset",
	Severity: transform.Error,
	Run:      run(checkScheme),
}

// certified matches what a server with a certificate has among its words, a file or a command that may name one, or what
// makes a script start a second server.
var certified = lazyregexp.New(`(?i)ssl|tls|cert|https|--config\b|\$\([^(]|` + "`" + `|[^&>]&(\s|$)`)

// certificate matches an argument that certainly gives a server one, or a command that is nothing but its start. vLLM and
// SGLang hand it to uvicorn, which takes no request by HTTP then (is_ssl in uvicorn/config.py@0.35.0).
var certificate = lazyregexp.New(`^(?:(?:exec\s+)?vllm\s+serve\s(?:[^;&|#$]*\s)?)?--ssl-certfile(?:[=\s]|$)`)

// The schemes of a probe.
const (
	plain     = "HTTP"
	encrypted = "HTTPS"
)

func checkScheme(p *pass) {
	for _, pod := range []kserve.LLMPod{kserve.LLMTemplate, kserve.LLMPrefill} {
		c := p.KServe.LLMContainer(p.Object, pod, p.mainName(pod))
		if c.Node == nil || otherPort(c, pod) != "" {
			continue
		}
		answers, why := p.serverScheme(c, pod)
		for _, probe := range model.Probes {
			asks := p.probeScheme(c, pod, probe)
			if answers == "" || asks == "" || asks == answers {
				continue
			}
			result := "the pods never get ready"
			if probe != "readinessProbe" {
				result = "the kubelet restarts the container again and again"
			}
			at := c.Path.With(probe, string(model.HTTPGet), "scheme")
			asking := "this probe asks by " + asks
			if p.Object.Get(at...).IsNull() {
				asking = "the preset's " + probe + " asks by " + asks
			}
			p.Report(transform.Report{At: at, Message: fmt.Sprintf("%s, because %s, and %s: write %s", result, asking, why,
				answers)})
		}
	}
}

// probeScheme returns the scheme by which a probe asks the server's port, or nothing if that is not certain.
func (p *pass) probeScheme(c model.Container, pod kserve.LLMPod, probe string) string {
	request := c.Get(probe, string(model.HTTPGet))
	port, numeric := request.Get("port").Int()
	if !request.Has("port") {
		port, numeric = pod.Ports[0], true
	}
	elsewhere, _ := c.ServesElsewhere(port)
	counts := func(field string) bool { // the last layer is the service
		isLast := p.KServe.LLMService(p.Object) != nil && request.Has(field)
		return isLast || !c.MergedElsewhere(probe, string(model.HTTPGet), field)
	}
	handler := model.HandlerOf(c.Get(probe))
	if handler != model.NoHandler && handler != model.HTTPGet || !counts("port") || !counts("scheme") ||
		!numeric || !slices.Contains(pod.Ports, port) || elsewhere != "" || request.Get("host").Str() != "" {
		return ""
	}
	preset, _, _ := pod.Preset(probe, false, p.KServe.LLMVersions(p.Object))
	if scheme := request.Get("scheme").Str(); scheme != "" || !preset || !p.withoutTLS() {
		return scheme
	}
	return plain
}

// serverScheme returns the scheme that the server in a container certainly answers, and why, or nothing. Beside prefill pods
// it is behind a sidecar of the preset, which has port 8000.
func (p *pass) serverScheme(c model.Container, pod kserve.LLMPod) (scheme, why string) {
	users := p.KServe.LLMUsers(p.Object)
	words, all := c.Words()
	isMissing := func(s *model.LLMService) bool { return len(s.Missing) > 0 }
	isPrefilled := func(s *model.LLMService) bool { return s.Has("spec", kserve.Prefill) }
	if len(users) == 0 || slices.ContainsFunc(users, isMissing) || slices.ContainsFunc(words, isPlaceholder) {
		return "", ""
	}
	own := c.Has("command") || c.MergedElsewhere("command")
	starts := own && startsServer().MatchString(strings.Join(words, " "))
	behind := pod.Path[0] != kserve.Prefill && slices.ContainsFunc(users, isPrefilled)
	given := slices.ContainsFunc(slices.Concat(c.Get("command").Strings(), c.Get("args").Strings()), certificate().MatchString)
	certain := all && !slices.ContainsFunc(words, certified().MatchString)
	switch {
	case given && !behind && !c.MergedElsewhere("args") && !c.MergedElsewhere("command") &&
		(starts || !own && !p.leadsWorkers(pod) && p.hasPresets()):
		return encrypted, "its server has a certificate (--ssl-certfile)"
	case certain && starts && !behind:
		return plain, "its server starts without --ssl-certfile"
	case certain && !own && p.withoutTLS():
		return plain, "KServe before 0.18 starts the server without a certificate"
	}
	return "", ""
}

// withoutTLS reports whether the presets certainly have no certificate, and probes by HTTP. From 0.18 on the
// configuration decides it (EnableTLS in config/llmisvcconfig@v0.18.0), and OpenDataHub's fork sets it.
func (p *pass) withoutTLS() bool {
	return p.KServe.LLMVersions(p.Object).All(withoutTLS) && p.hasPresets()
}

// hasPresets reports whether the presets are certainly those of KServe.
func (p *pass) hasPresets() bool { return !p.Versions.Likened() && !p.KServe.ReplacesPresets() }

// withoutTLS are the releases whose presets have no certificate.
var withoutTLS = transform.Window{Before: transform.Release{0, 18, 0}}
