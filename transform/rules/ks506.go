package rules

import (
	"cmp"
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/spelling"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks506.md
var ks506Doc string

var unfitRuntime = &transform.Rule{
	ID:    "KS506",
	Name:  "unfit-runtime",
	Title: "The serving runtime of a service does not fit its model",
	Doc:   ks506Doc,
	Issues: []string{
		"https://github.com/kserve/kserve/issues/2372", "https://github.com/kserve/kserve/issues/3632",
		"https://github.com/kserve/kserve/issues/4464", "https://github.com/kserve/kserve/issues/5029",
	},
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{kserve.InferenceService},
	Example:  "unknown/named",
	Severity: transform.Error,
	Run:      run(checkUnfitRuntime),
}

var (
	runtimePath = yamldoc.Path{"spec", kserve.Predictor, "model", "runtime"}
	formatPath  = yamldoc.Path{"spec", kserve.Predictor, "model", "modelFormat", "name"}
)

// checkUnfitRuntime does what reconcileModel does with the runtimes of the render (components/predictor.go@v0.11.2 to
// @v0.20.0).
func checkUnfitRuntime(p *pass) {
	s := p.KServe.Service(p.Object)
	format := s.Get(formatPath...).Str()
	if s.Mode == kserve.ModelMesh || format == "" || isPlaceholder(format) {
		return
	}
	runtime := p.KServe.Runtime(s)
	switch name := s.RuntimeName(); {
	case runtime != nil:
		if why := unfit(runtime, s); why != "" {
			p.Report(transform.Report{At: runtimePath, Message: fmt.Sprintf(
				"no pod starts, because %s %s: %s", runtime, why, p.fitting(s))})
		}
	case name != "" && !isPlaceholder(name):
		p.checkMissingRuntime(name)
	case name == "" && !s.HasWorkers():
		p.checkFormat(s, format)
	}
}

// unfit returns why a service can't name a runtime, "" if it can (RuntimeSupportsModel in predictor_model.go and
// IsProtocolVersionSupported in servingruntime_types.go, @v0.11.2 to @v0.20.0).
func unfit(runtime *transform.Object, s *model.Service) string {
	m := s.Get("spec", kserve.Predictor, "model")
	format, version := m.Get("modelFormat", "name").Str(), m.Get("modelFormat", "version").Str()
	var formats, versions []string
	for _, supported := range runtime.Get("spec", "supportedModelFormats").List() {
		formats = append(formats, supported.Get("name").Str())
		if supported.Get("name").Str() == format {
			versions = append(versions, supported.Get("version").Str())
		}
	}
	protocol, protocols := m.Get("protocolVersion").Str(), runtime.Get("spec", "protocolVersions").Strings()
	switch {
	case disabled(runtime):
		return "is disabled"
	case versions == nil:
		return fmt.Sprintf("does not support the format %s, only %s", format, joined(orNone(formats), "and"))
	case version != "" && !isPlaceholder(version) && !slices.Contains(versions, version):
		return fmt.Sprintf("does not support version %s of the format %s, only %s", version, format,
			joined(orNone(versions), "and"))
	case protocol != "" && !isPlaceholder(protocol) && len(protocols) > 0 && !slices.Contains(protocols, protocol):
		return fmt.Sprintf("does not support the protocol %s, only %s", protocol, joined(protocols, "and"))
	}
	return ""
}

// orNone returns the words that are not empty, each once, or the word "none".
func orNone(words []string) []string {
	words = slices.DeleteFunc(slices.Clone(words), func(word string) bool { return word == "" })
	slices.Sort(words)
	if words = slices.Compact(words); len(words) == 0 {
		return []string{"none"}
	}
	return words
}

// fitting says which runtime of the render to name instead.
func (p *pass) fitting(s *model.Service) string {
	m := s.Get("spec", kserve.Predictor, "model")
	want := wanted{format: m.Get("modelFormat", "name").Str(), version: m.Get("modelFormat", "version").Str(),
		protocol: m.Get("protocolVersion").Str()}
	if fits := p.offer(s, want).runtime; fits != nil {
		return "name " + fits.Name + ", which fits, or change the runtime"
	}
	return "name another runtime, or change this one"
}

// checkMissingRuntime looks for the one of KServe's own runtimes that a misspelt name may mean.
func (p *pass) checkMissingRuntime(name string) {
	if rows, _ := p.Versions.Runtimes(name); rows != nil {
		return
	}
	for _, row := range kserve.Runtimes {
		if p.Versions.Any(row.Shipped) && spelling.Distance(name, row.Name) == 1 {
			p.Report(transform.Report{At: runtimePath, Severity: transform.Warning, Message: fmt.Sprintf(
				"no pod starts (RuntimeNotRecognized), because these manifests and KServe have no runtime %s: did you mean %s? "+
					"Fine if the cluster has it", name, row.Name)})
			return
		}
	}
}

// checkFormat looks at a model format for which KServe has to select a runtime: only those with autoSelect and the
// protocol (getServingRuntimeSupportedModelFormatLabelSet and GetSupportingRuntimes in predictor_model.go@v0.11.2 to
// @v0.20.0).
func (p *pass) checkFormat(s *model.Service, format string) {
	given := s.Get("spec", kserve.Predictor, "model", "protocolVersion").Str()
	want := wanted{format: format, protocol: cmp.Or(given, kserve.DefaultProtocol(format))}
	own, known := kserve.SelectedFormats[format]
	known = known && p.Versions.Any(own)
	v2, only := kserve.V2Formats[format]
	misses := only && want.protocol == "v1" && p.Versions.All(v2)
	if known && !misses || p.offer(s, want).automatic {
		return
	}
	f := transform.Report{At: formatPath, Severity: transform.Warning}
	found := p.offer(s, wanted{format: format})
	if known || found.automatic {
		because, to := "protocolVersion is "+given, ""
		if given == "" {
			because = "without protocolVersion KServe looks for a runtime with " + want.protocol
		}
		if known {
			to = " to v2"
		} else if found.runtime != nil {
			to = " to " + joined(found.runtime.Get("spec", "protocolVersions").Strings(), "or")
		}
		f.Message = fmt.Sprintf("no pod starts (NoSupportingRuntime), because %s, and no runtime of KServe or of these "+
			"manifests with autoSelect for the format %s has it: set model.protocolVersion%s; fine if the cluster has another "+
			"one", because, format, to)
		p.Report(f)
		return
	}
	if found.runtime != nil {
		f.Message = fmt.Sprintf("no pod starts (NoSupportingRuntime), because %s has no autoSelect for the format %s, and "+
			"the service names no runtime: set model.runtime to %s; fine if the cluster has another one",
			found.runtime, format, found.runtime.Name)
		p.Report(f)
		return
	}
	for _, other := range slices.Sorted(maps.Keys(kserve.SelectedFormats)) {
		near := strings.EqualFold(other, format) || spelling.Distance(other, format) == 1
		if near && p.Versions.Any(kserve.SelectedFormats[other]) {
			f.Message = fmt.Sprintf("no pod starts (NoSupportingRuntime), because no runtime of KServe or of these manifests "+
				"supports the format %s: did you mean %s? Fine if the cluster has one", format, other)
			p.Report(f)
			return
		}
	}
}

// wanted is what a service wants of a runtime. Any version or protocol will do if it is empty or a placeholder.
type wanted struct{ format, version, protocol string }

// anyProtocol is what a runtime without protocolVersions supports.
const anyProtocol = "*"

// offered is a place where KServe looks for a runtime, and what it wants there.
type offered struct {
	cluster   bool   // a ClusterServingRuntime
	namespace string // of a ServingRuntime
	wanted
}

// offer is what the runtimes of the render offer somebody.
type offer struct {
	runtime   *transform.Object // the first
	automatic bool              // one of them has autoSelect
}

// add adds another offer.
func (o offer) add(other offer) offer {
	if o.runtime == nil {
		o.runtime = other.runtime
	}
	o.automatic = o.automatic || other.automatic
	return o
}

// offer returns what a service finds, in its own namespace first.
func (p *pass) offer(s *model.Service, want wanted) (found offer) {
	if isPlaceholder(want.version) {
		want.version = ""
	}
	protocols := []string{want.protocol, anyProtocol}
	if want.protocol == "" || isPlaceholder(want.protocol) {
		protocols = []string{""}
	}
	for _, at := range []offered{{namespace: s.Namespace, wanted: want}, {cluster: true, wanted: want}} {
		for _, at.protocol = range protocols {
			found = found.add(p.index.offers()[at])
		}
	}
	return found
}

// findOffers returns what all runtimes offer, except for those that are disabled.
func findOffers(render *transform.Snapshot) map[offered]offer {
	found := map[offered]offer{}
	for _, kind := range []transform.GroupKind{kserve.ServingRuntime, kserve.ClusterServingRuntime} {
		for _, o := range render.Objects(kind) {
			if disabled(o) {
				continue
			}
			at := offered{cluster: kind == kserve.ClusterServingRuntime}
			if !at.cluster {
				at.namespace = o.Namespace
			}
			protocols := append(o.Get("spec", "protocolVersions").Strings(), "")
			if len(protocols) == 1 {
				protocols = []string{anyProtocol, ""}
			}
			for _, supported := range o.Get("spec", "supportedModelFormats").List() {
				at.format = supported.Get("name").Str()
				one := offer{o, supported.Get("autoSelect").Str() == "true"}
				if o.Get("spec", "multiModel").Str() == "true" { // for ModelMesh, so nobody is told to name it
					one.runtime = nil
				}
				for _, at.version = range slices.Compact([]string{"", supported.Get("version").Str()}) {
					for _, at.protocol = range protocols {
						found[at] = found[at].add(one)
					}
				}
			}
		}
	}
	return found
}
