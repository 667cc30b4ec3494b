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
	Changed:  changing(checkUnknownRuntime),
}

var (
	runtimePath = yamldoc.Path{"spec", kserve.Predictor, "model", "runtime"}
	formatPath  = yamldoc.Path{"spec", kserve.Predictor, "model", "modelFormat", "name"}
	versionPath = yamldoc.Path{"spec", kserve.Predictor, "model", "modelFormat", "version"}
)

// wanted is what a service wants of a runtime. Any version or protocol will do if it is "".
type wanted struct{ format, version, protocol string }

// checkUnfitRuntime does what reconcileModel does with the runtimes of the render, and with KServe's own
// (components/predictor.go@v0.11.2 to @v0.20.0).
func checkUnfitRuntime(p *pass) {
	s := p.KServe.Service(p.Object)
	m := s.Get("spec", kserve.Predictor, "model")
	want := wanted{m.Get("modelFormat", "name").Str(), given(m.Get("modelFormat", "version")),
		given(m.Get("protocolVersion"))}
	if s.Mode == kserve.ModelMesh || m.IsNull() || isPlaceholder(want.format) || checkBlank(p, m) {
		return
	}
	name := s.RuntimeName()
	written := p.Versions.DefaultProtocol(want.format)
	if m.Get("protocolVersion").Str() == "" && (name == "" || written == "v2") {
		want.protocol = written
	}
	runtime := p.KServe.Runtime(s)
	switch {
	case runtime != nil:
		why := unfit(supported(runtime), want)
		if model.Disabled(runtime) {
			why = "is disabled"
		}
		if why != "" {
			p.Report(transform.Report{At: runtimePath, Message: fmt.Sprintf(
				"no pod starts, because %s %s: %s", runtime, why, p.fitting(s, want))})
		}
	case name != "" && !isPlaceholder(name):
		p.checkNamedRuntime(s, name, want)
	case name == "" && !s.HasWorkers():
		p.checkSelected(s, want)
	}
}

// checkBlank reports the fields of a model that are written with nothing in them: KServe looks for a runtime with that,
// and for the format without a name of a model that has no format.
func checkBlank(p *pass, m *yamldoc.Node) bool {
	f := transform.Report{}
	switch {
	case isBlank(m.Get("runtime")):
		f.At = runtimePath
		f.Message = "no pod starts (RuntimeNotRecognized), because runtime is empty, and no runtime has an empty name: name " +
			"one, or remove it, and KServe selects one"
	case m.Get("modelFormat", "name").Str() == "":
		f.At = formatPath
		f.Message = "no pod starts (NoSupportingRuntime), because the model has no format: set modelFormat.name"
	case isBlank(m.Get("modelFormat", "version")):
		f.At, f.Severity = versionPath, transform.Warning
		f.Message = "no pod starts (NoSupportingRuntime), because version is empty, and KServe looks for a runtime with an " +
			"empty one: remove it; fine if the cluster has such a runtime"
	default:
		return false
	}
	p.Report(f)
	return true
}

// given returns the text of a field, "" if it is a placeholder.
func given(field *yamldoc.Node) string {
	if isPlaceholder(field.Str()) {
		return ""
	}
	return field.Str()
}

// supported returns what a runtime of the render supports.
func supported(runtime *transform.Object) kserve.Runtime {
	found := kserve.Runtime{Protocols: runtime.Get("spec", "protocolVersions").Strings()}
	for _, f := range runtime.Get("spec", "supportedModelFormats").List() {
		found.Formats = append(found.Formats, kserve.Format{Name: f.Get("name").Str(), Version: f.Get("version").Str(),
			Named: f.Get("autoSelect").Str() != "true"})
	}
	return found
}

// unfit returns why a service can't name a runtime, "" if it can (RuntimeSupportsModel in predictor_model.go and
// IsProtocolVersionSupported in servingruntime_types.go, @v0.11.2 to @v0.20.0).
func unfit(runtime kserve.Runtime, want wanted) string {
	formats, versions := map[string]bool{}, map[string]bool{}
	for _, f := range runtime.Formats {
		formats[f.Name] = true
		if f.Name == want.format && f.Version != "" {
			versions[f.Version] = true
		}
	}
	only := func(words map[string]bool) string { return joined(slices.Sorted(maps.Keys(words)), "and") }
	switch {
	case len(formats) == 0:
		return "supports no model format"
	case !formats[want.format]:
		return fmt.Sprintf("does not support the format %s, only %s", want.format, only(formats))
	case want.version != "" && len(versions) == 0:
		return fmt.Sprintf("names no version of the format %s, so that version %s does not fit", want.format, want.version)
	case want.version != "" && !versions[want.version]:
		return fmt.Sprintf("does not support version %s of the format %s, only %s", want.version, want.format, only(versions))
	case want.protocol != "" && len(runtime.Protocols) > 0 && !slices.Contains(runtime.Protocols, want.protocol):
		return fmt.Sprintf("does not support the protocol %s, only %s", want.protocol, joined(runtime.Protocols, "and"))
	}
	return ""
}

// fitting says which runtime of the render, or of KServe, to name instead.
func (p *pass) fitting(s *model.Service, want wanted) string {
	if fits := p.offer(s, want).runtime; fits != nil {
		return "name " + fits.Name + ", which fits, or change the runtime"
	}
	for _, protocol := range []string{cmp.Or(want.protocol, p.Versions.DefaultProtocol(want.format)), want.protocol} {
		if rows, every := p.Versions.Selectable(want.format, want.version, protocol); every {
			return "name " + rows[0].Name + ", which fits, or change the runtime"
		}
	}
	return "name another runtime, or change this one"
}

// checkNamedRuntime looks at a runtime that the manifests lack: one of KServe's own, or what a misspelt name may mean.
func (p *pass) checkNamedRuntime(s *model.Service, name string, want wanted) {
	rows, every := p.Versions.Runtimes(name)
	var all kserve.Runtime
	var why string
	for _, row := range rows {
		if why = unfit(row, want); why == "" || row.Formats == nil {
			return
		}
		all.Formats, all.Protocols = append(all.Formats, row.Formats...), row.Protocols
	}
	why = cmp.Or(unfit(all, want), why)
	f := transform.Report{At: runtimePath, Severity: transform.Warning}
	if every {
		f.Message = fmt.Sprintf("no pod starts (NoSupportingRuntime), because KServe's own runtime %s %s: %s; fine if the "+
			"cluster's runtime differs", name, why, p.fitting(s, want))
		p.Report(f)
		return
	}
	if o := p.KServe.RuntimeElsewhere(s); rows == nil && o != nil {
		f.Message = fmt.Sprintf("no pod starts (RuntimeNotRecognized), because %s is in another namespace, and KServe looks "+
			"only in that of the service, and for a ClusterServingRuntime: add it to %s, or make it a ClusterServingRuntime; "+
			"fine if the cluster has one", o, s.Namespace)
		p.Report(f)
		return
	}
	if near := p.nearRuntime(name); rows == nil && near != "" {
		f.Message = fmt.Sprintf("no pod starts (RuntimeNotRecognized), because these manifests and KServe have no runtime "+
			"%s: did you mean %s? Fine if the cluster has it", name, near)
		p.Report(f)
	}
}

// nearRuntime returns the runtime of KServe's own or of the manifests that a misspelt name may mean, "" if there is none.
func (p *pass) nearRuntime(name string) string {
	for _, row := range kserve.Runtimes {
		if p.Versions.Any(row.Shipped) && isTypo(name, row.Name) {
			return row.Name
		}
	}
	isNear := func(o *transform.Object) bool {
		return o.GroupKind() == kserve.ClusterServingRuntime || o.Namespace == p.Object.Namespace
	}
	if o := p.index.runtimes().similar(name, isNear); o != nil {
		return o.Name
	}
	return ""
}

// checkSelected looks at a model for which KServe has to select a runtime: only those with autoSelect and the protocol
// (getServingRuntimeSupportedModelFormatLabelSet and GetSupportingRuntimes in predictor_model.go@v0.11.2 to @v0.20.0).
func (p *pass) checkSelected(s *model.Service, want wanted) {
	if p.selectable(s, want) {
		return
	}
	at, because, repair := formatPath, "", ""
	offered := p.offer(s, wanted{format: want.format})
	switch found := offered.runtime; {
	case p.selectable(s, wanted{want.format, want.version, ""}):
		because = fmt.Sprintf("no runtime of KServe or of these manifests with autoSelect for the format %s has the protocol "+
			"%s", want.format, want.protocol)
		if s.Get("spec", kserve.Predictor, "model", "protocolVersion").Str() == "" {
			because += ", which KServe looks for without protocolVersion"
		}
		repair = "set model.protocolVersion to " + joined(p.protocols(s, want), "or")
	case p.selectable(s, wanted{format: want.format}):
		at, because = versionPath, fmt.Sprintf("no runtime of KServe or of these manifests with autoSelect for the format %s "+
			"has version %s", want.format, want.version)
		repair = "leave the version out, or name a runtime that has it"
	case found != nil:
		because = fmt.Sprintf("%s has no autoSelect for the format %s, and the service names no runtime", found, want.format)
		repair = "set model.runtime to " + found.Name
	case offered.idle != nil:
		because = fmt.Sprintf("%s, which has the format %s, %s", offered.idle, want.format, idleness(offered.idle))
		repair = "change that, or name a runtime that has the format"
	default:
		if o := p.formatElsewhere(s, want.format); o != nil {
			because = fmt.Sprintf("%s, which has the format %s, is in another namespace, and KServe looks only in that of the "+
				"service, and for a ClusterServingRuntime", o, want.format)
			repair = fmt.Sprintf("add it to %s, or make it a ClusterServingRuntime", s.Namespace)
			break
		}
		if near := p.nearFormat(s, want.format); near != "" {
			p.Report(transform.Report{At: formatPath, Severity: transform.Warning, Message: fmt.Sprintf(
				"no pod starts (NoSupportingRuntime), because no runtime of KServe or of these manifests supports the format "+
					"%s: did you mean %s? Fine if the cluster has one", want.format, near)})
		}
		return
	}
	p.Report(transform.Report{At: at, Severity: transform.Warning, Message: fmt.Sprintf("no pod starts "+
		"(NoSupportingRuntime), because %s: %s; fine if the cluster has another one", because, repair)})
}

// selectable reports whether KServe finds a runtime for a service that names none, on some release in question.
func (p *pass) selectable(s *model.Service, want wanted) bool {
	rows, _ := p.Versions.Selectable(want.format, want.version, want.protocol)
	return len(rows) > 0 || p.offer(s, want).automatic
}

// protocols returns the protocols of the runtimes that have all else that a service wants.
func (p *pass) protocols(s *model.Service, want wanted) []string {
	want.protocol = ""
	rows, _ := p.Versions.Selectable(want.format, want.version, "")
	if found := p.offer(s, want).runtime; found != nil {
		rows = append(rows, supported(found))
	}
	var found []string
	for _, row := range rows {
		for _, protocol := range row.Protocols {
			if !slices.Contains(found, protocol) {
				found = append(found, protocol)
			}
		}
	}
	return found
}

// idleness says why KServe never selects a runtime.
func idleness(runtime *transform.Object) string {
	if model.Disabled(runtime) {
		return "is disabled"
	}
	return "is for ModelMesh alone (multiModel)"
}

// nearFormat returns the format of KServe's own runtimes, or of those among the manifests, that is this one, or that a
// misspelt one may mean, "" if there is none. People choose the formats of their own runtimes as they like, so only the
// case counts there.
func (p *pass) nearFormat(s *model.Service, format string) string {
	for _, other := range p.Versions.Formats() {
		if strings.EqualFold(other, format) || spelling.Distance(other, format) == 1 {
			return other
		}
	}
	return p.offer(s, wanted{format: strings.ToLower(format)}).spelt
}

// checkUnknownRuntime looks at a runtime or a format that a change brings, and that neither the manifests nor KServe
// have. The cluster may have it, and surely has what a service had before.
func checkUnknownRuntime(p *pass) {
	s := p.KServe.Service(p.Object)
	_, format := s.Framework(kserve.Predictor)
	use := modelUse{runtime: s.RuntimeName(), format: format}
	if s.Mode == kserve.ModelMesh || use == (modelUse{}) || p.change().models()[use.sought()] {
		return
	}
	f := transform.Report{At: runtimePath, Severity: transform.Warning}
	rows, _ := p.Versions.Runtimes(use.runtime)
	switch {
	case isPlaceholder(use.runtime + use.format):
		return
	case use.runtime != "":
		if p.KServe.Runtime(s) != nil || p.Before.Runtime(s) != nil || p.KServe.RuntimeElsewhere(s) != nil || rows != nil ||
			p.nearRuntime(use.runtime) != "" {
			return // or KS903 tells of it
		}
		f.Message = fmt.Sprintf("KServe can change nothing about the service any more (RuntimeNotRecognized), because these "+
			"manifests and KServe have no runtime %s, and no service named it before: name another one; fine if the cluster "+
			"has it", use.runtime)
	default:
		if s.HasWorkers() || p.nearFormat(s, format) != "" || p.formatElsewhere(s, format) != nil {
			return
		}
		f.At = formatPath
		f.Message = fmt.Sprintf("KServe can change nothing about the service any more (NoSupportingRuntime), because no "+
			"runtime of KServe or of these manifests has the format %s, and no service got one by it before: set another "+
			"one, or name a runtime; fine if the cluster has one", format)
	}
	p.Report(f)
}

// modelUse is how a service finds its runtime: by its name, else by the format.
type modelUse struct{ runtime, format string }

// sought is what KServe looks for.
func (u modelUse) sought() modelUse {
	if u.runtime != "" {
		u.format = ""
	}
	return u
}

// findModels returns what the services of the previous manifests had.
func (p *pass) findModels() map[modelUse]bool {
	found := map[modelUse]bool{}
	for _, o := range p.Previous.Objects(kserve.InferenceService) {
		s := p.Before.Service(o)
		_, format := s.Framework(kserve.Predictor)
		found[modelUse{s.RuntimeName(), format}.sought()] = true
	}
	return found
}
