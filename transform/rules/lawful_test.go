package rules_test

import (
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/quantity"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// taking is what a rule may take away or overwrite.
type taking struct {
	rule   string
	place  string          // a regular expression for the path of the value in the object
	clause string          // of the law
	proof  func(loss) bool // that the value is of this kind, or that its intent is in the output
	asked  string          // the setting without which the rule must leave the value alone
}

// The clauses of the law in docs/developers/development.md. What this plugin writes itself are its own annotations.
const (
	empty    = "empty, a duplicate, or a live object's"
	equal    = "replaced by KServe by an equal meaning"
	own      = "what this plugin writes itself"
	same     = "what does exactly the same is in its place"
	replaced = "an error, with the same intent put in its place"
	breaking = "an error, and it can only break the service"
)

// needsError reports whether the rule may take the value only if it is an error. What a setting asks for need not be.
func (row taking) needsError() bool {
	return row.asked == "" && (row.clause == replaced || row.clause == breaking)
}

const (
	component = `spec\.(predictor|transformer|explainer)\.`
	anyProbe  = `(readiness|liveness|startup)Probe\.`
	// liveMetadata is what the API server, kubectl or KServe writes there.
	liveMetadata = `^metadata\.(creationTimestamp|deletionGracePeriodSeconds|deletionTimestamp|generation|` +
		`managedFields|resourceVersion|selfLink|uid|annotations\.kubectl\.kubernetes\.io/last-applied-configuration|` +
		`(annotations|labels)\.internal\.serving\.kserve\.io/localmodel|labels\.serving\.kserve\.io/routing-group)`
	handlers = `(exec|grpc|httpGet|tcpSocket)`
)

// allows reports whether the row is about a value.
func (row taking) allows(l loss) bool {
	return regexp.MustCompile(row.place).MatchString(l.at.String()) && row.proof(l)
}

func kserveAnnotation(name string) string {
	return `annotations\.serving\.kserve\.io/` + name + `$`
}

func anything(loss) bool { return true }

// isEmpty reports whether a value holds nothing. One that is filled loses nothing; one that is gone may have meant
// something.
func isEmpty(n *yamldoc.Node) bool { return n.Value == "" && len(n.Entries) == 0 && len(n.Items) == 0 }

func holdsNothing(l loss) bool { return isEmpty(l.value) }

// get returns what the output has at a place. That of a framework may be that of the model now, by KS601.
func (l loss) get(at yamldoc.Path) *yamldoc.Node {
	if got := l.after.Get(at...); got != nil || len(at) < 3 || at[1] != "predictor" {
		return got
	}
	return l.after.Get(yamldoc.Path{"spec", "predictor", "model"}.With(at[3:]...)...)
}

// now is what the output has at the place.
func (l loss) now() *yamldoc.Node { return l.get(l.at) }

func isThere(l loss) bool { return l.now().Str() != "" }

func becomes(texts ...string) func(loss) bool {
	return func(l loss) bool { return slices.Contains(texts, l.now().Str()) }
}

// holdsBefore reports whether a name is part of the one that takes its place.
func holdsBefore(l loss) bool { return strings.Contains(l.now().Str(), l.value.Value) }

// claimsBefore is holdsBefore for the claim in the URI of a model.
func claimsBefore(l loss) bool {
	was, after, _ := strings.Cut(strings.TrimPrefix(l.value.Value, "pvc://"), "/")
	is, now, isClaim := strings.Cut(strings.TrimPrefix(l.now().Str(), "pvc://"), "/")
	return strings.Contains(is, was) && now == after && isClaim == strings.Contains(l.value.Value[len("pvc://"):], "/")
}

func was(texts ...string) func(loss) bool {
	return func(l loss) bool { return slices.Contains(texts, l.value.Value) }
}

// isController reports whether a finalizer is one that a controller of KServe or OpenDataHub adds itself.
func isController(l loss) bool {
	return slices.Contains([]string{
		"inferenceservice.finalizers", "odh.inferenceservice.finalizers", "trainedmodel.finalizer",
		"localmodel.kserve.io/finalizer", "localmodelnamespacecache.kserve.io/finalizer",
		"serving.kserve.io/llmisvc-finalizer", "serving.kserve.io/llmisvcconfig-finalizer",
	}, l.value.Value)
}

// isPort reports whether a probe names a number now that the object has already: the one in quotes, or that of a port
// of the container. KServe's own is the default.
func isPort(l loss) bool {
	number, ok := l.now().Int()
	found := number == kserve.DefaultPort || l.value.Value == strconv.Itoa(number)
	for i := range l.at {
		for _, port := range l.before.Get(l.at[:i].With("ports")...).List() {
			declared, _ := port.Get("containerPort").Int()
			found = found || declared == number
		}
	}
	return ok && found
}

// hasHandler reports whether the probe around a value has one handler afterwards, which is no command.
func hasHandler(l loss) bool {
	probe := l.probe()
	return probe.Has("httpGet") != probe.Has("tcpSocket") && !probe.Has("exec") && !probe.Has("grpc")
}

// isRequested reports whether an HTTP request takes the place of a command that names its path and port.
func isRequested(l loss) bool {
	request := l.probe().Get("httpGet")
	return hasHandler(l) && request.Has("path") && request.Has("port")
}

// probe is what the output has of the probe around a value.
func (l loss) probe() *yamldoc.Node {
	i := slices.IndexFunc(l.at, func(step any) bool {
		name, _ := step.(string)
		return strings.HasSuffix(name, "Probe")
	})
	return l.get(l.at[:i+1])
}

// ofMain reports whether a value is of the container main, which KServe merges with that of its preset, or of one
// without an image, which can run in no other way.
func ofMain(l loss) bool {
	container := l.after.Get(l.at[:slices.Index(l.at, any("containers"))+2]...)
	return container.Get("name").Str() == kserve.MainContainer || !container.Has("image")
}

// isServer reports whether a container gets the preset's name that is no helper's.
func isServer(l loss) bool {
	helpers := []string{"storage-initializer", "agent", "kserve-router", "llm-d-routing-sidecar", "tokenizer"}
	return l.now().Str() == kserve.MainContainer && !slices.Contains(helpers, l.value.Value)
}

// ofKEDA reports whether a value is of a metric that only KEDA knows.
func ofKEDA(l loss) bool {
	metric := slices.Index(l.at, any("metrics")) + 2
	return slices.Contains([]string{"External", "PodMetric"}, l.before.Get(l.at[:metric].With("type")...).Str())
}

var external = regexp.MustCompile(`-external(-\d+)?$`)

// isRenamed reports whether a string names another object now: one with the name that the rules give to an autoscaler,
// or one that says that it had the old name.
func isRenamed(l loss) bool {
	name := l.now().Str()
	said := slices.ContainsFunc(l.objects, func(o *yamldoc.Node) bool {
		return o.Get("metadata", "name").Str() == name &&
			o.Get("metadata", "annotations", "argocd-kserve-plugin/renamed-from").Str() == l.value.Value
	})
	return said || external.MatchString(name) && strings.Contains(external.ReplaceAllString(name, ""), l.value.Value)
}

// isTarget reports whether a target is a workload now, whose name begins with that of a service or a graph in the
// output or with the old target, or the other way round. KServe cuts the names of LLM services that are too long.
func isTarget(l loss) bool {
	ref, was := l.after.Get("spec", "scaleTargetRef"), l.before.Get("spec", "scaleTargetRef", "name").Str()
	name, apiVersion := ref.Get("name").Str(), ref.Get("apiVersion").Str()
	apiVersions := map[string]string{"Deployment": "apps/v1", "LeaderWorkerSet": "leaderworkerset.x-k8s.io/v1"}
	begins := func(name, start string) bool { return start != "" && strings.HasPrefix(name+"-", start+"-") }
	isKept := ref.Get("kind").Equal(l.before.Get("spec", "scaleTargetRef", "kind"))
	isService := func(o *yamldoc.Node) bool {
		service := o.Get("metadata", "name").Str()
		return strings.HasPrefix(o.Get("apiVersion").Str(), kserve.Group+"/") &&
			(begins(name, service) || len(service) > 20 && strings.HasPrefix(name, service[:20]))
	}
	return (isKept || apiVersion == apiVersions[ref.Get("kind").Str()]) &&
		(begins(name, was) || begins(was, name) || slices.ContainsFunc(l.objects, isService))
}

// isScaleField reports whether a field of the component says what an annotation said.
func isScaleField(l loss) bool {
	field := "scaleTarget"
	if l.at[len(l.at)-1] == "serving.kserve.io/metrics" {
		field = "scaleMetric"
	}
	for _, c := range []string{"predictor", "transformer", "explainer"} {
		if got := l.after.Get("spec", c, field); got != nil && got.Value == l.value.Value {
			return true
		}
	}
	return false
}

func isExtended(l loss) bool { return strings.Contains(l.now().Str(), l.value.Value) }

// isDuplicate reports whether a list had another item that equals the one with the value, and still has as many items
// as it had different ones.
func isDuplicate(l loss) bool {
	for i, step := range l.at {
		own, isItem := step.(int)
		items, equal, different := l.before.Get(l.at[:i]...).List(), 0, 0
		if !isItem || own >= len(items) {
			continue
		}
		for j, item := range items {
			if item.Equal(items[own]) {
				equal++
			}
			if !slices.ContainsFunc(items[:j], item.Equal) {
				different++
			}
		}
		if equal > 1 && len(l.get(l.at[:i]).List()) >= different {
			return true
		}
	}
	return false
}

// isScaled reports whether the output has an autoscaler of the user's.
func isScaled(l loss) bool {
	return slices.ContainsFunc(l.objects, func(o *yamldoc.Node) bool { return o.Get("spec").Has("scaleTargetRef") })
}

// isModel reports whether a value of a framework is that of a model of its format now.
func isModel(l loss) bool {
	format := l.after.Get("spec", "predictor", "model", "modelFormat", "name").Str()
	return l.at[2] == format && (len(l.at) == 3 || l.value.Equal(l.now()))
}

// isMode reports whether the annotation says the same mode by its other name.
func isMode(l loss) bool {
	names := map[string]string{"RawDeployment": "Standard", "Serverless": "Knative"}
	was, is := l.value.Value, l.now().Str()
	return is != "" && (names[was] == is || names[is] == was)
}

func saidKnative(l loss) bool { return was("Knative", "Serverless")(l) && l.now() == nil }

func isSameQuantity(l loss) bool {
	before, _ := quantity.Canonical(l.value.Value)
	after, ok := quantity.Canonical(l.now().Str())
	number, err := strconv.ParseFloat(l.value.Value, 64) // YAML writes 4e9 for 4G
	whole, _ := quantity.Whole(l.now().Str())
	return ok && (before == after || err == nil && number == float64(whole))
}

func isSameURI(l loss) bool {
	before, err := url.Parse(l.value.Value)
	after, err2 := url.Parse(l.now().Str())
	return err == nil && err2 == nil && before.Path == after.Path && before.Host == after.Host &&
		before.Scheme == after.Scheme && before.RawQuery == after.RawQuery && before.Fragment == after.Fragment
}

// isMoved reports whether the output has the value in another place: by its own key, or in the same object by another
// one, which may have a list.
func isMoved(l loss) (found bool) {
	object, key := l.at[:len(l.at)-1], l.at[len(l.at)-1]
	l.after.Walk(nil, func(at *yamldoc.Trail, n *yamldoc.Node) {
		path := at.Path()
		if n.Kind == yamldoc.Sequence && len(path) > 0 {
			path = path[:len(path)-1]
		}
		for step, child := range n.Children() {
			found = found || child.Equal(l.value) && (step == key || slices.Equal(path, object))
		}
	})
	return found
}

// lawful is all that the rules of the catalogue may take.
var lawful = []taking{
	{"KS101", component + `.*readinessProbe\.` + handlers, replaced, hasHandler, ""},
	{"KS101", component + `.*readinessProbe\.exec\.`, same, isRequested, ""},
	{"KS101", component + `.*readinessProbe\.httpGet\.`, replaced, hasHandler, "probes=tcp"}, // of NIM images
	{"KS102", anyProbe + `(httpGet|tcpSocket)\.port$`, replaced, isPort, ""},
	{"KS103", component + `.*readinessProbe\.grpc\.`, replaced, hasHandler, ""},
	{"KS104", `readinessProbe\.` + handlers, replaced, hasHandler, ""},
	{"KS110", anyProbe + handlers, breaking, ofMain, ""}, // beside the handler of the preset
	{"KS111", `(template|worker)\.containers\[\d+\]\.name$`, replaced, isServer, ""},
	{"KS201", kserveAnnotation("autoscalerClass"), replaced, becomes("external", "none"), ""},
	{"KS201", component + `autoScaling\.metrics\[`, breaking, ofKEDA, ""},
	{"KS209", component + `autoScaling\.metrics\[`, breaking, ofKEDA, ""},
	{"KS202", `^metadata\.name$`, replaced, isRenamed, ""},
	{"KS202", `[nN]ames?(\[\d+\])?$`, same, isRenamed, ""}, // what refers to it
	{"KS510", `^metadata\.name$`, replaced, isRenamed, ""},
	{"KS510", `[nN]ames?(\[\d+\])?$`, replaced, isRenamed, ""},
	{"KS203", `^metadata\.finalizers\[\d+\]$`, breaking, was("kserve.io/protect"), ""},
	{"KS204", `^metadata\.annotations\.argocd-kserve-plugin/(owner|autoscaler-class)$`, own, isThere, ""},
	{"KS205", `^spec\.scaleTargetRef\.(apiVersion|kind|name)$`, replaced, isTarget, ""},
	{"KS507", `^spec\.inferenceService$|^spec\.nodes\..+\.serviceName$`, replaced, holdsBefore, ""},
	{"KS507", `\.(runtime|serviceAccountName|baseRefs\[\d+\]\.name)$`, replaced, holdsBefore, ""},
	{"KS507", `\.(storageUri|uri|env\[\d+\]\.value)$`, replaced, claimsBefore, ""},
	{"KS507", kserveAnnotation("(storageSecretName|nodegroup)"), replaced, holdsBefore, ""},
	{"KS507", `^spec\.nodeGroups\[\d+\]$`, replaced, holdsBefore, ""},
	{"KS507", `^spec\.router\.(gateway|route|scheduler\.pool)\..+\.name$|\.pvc\.ref\.name$`, replaced, holdsBefore, ""},
	{"KS507", `\.(secretName|claimName)$|\.(secret|secretRef|secretKeyRef)\.name$`, replaced, holdsBefore, ""},
	{"KS507", `\.(configMap|configMapRef|configMapKeyRef|config\.ref)\.name$`, replaced, holdsBefore, ""},
	{"KS206", kserveAnnotation("(targetUtilizationPercentage|metrics)"), equal, isScaleField, ""},
	{"KS207", `^spec\.minReplicaCount$`, replaced, becomes("1"), ""},
	{"KS207", `^metadata\.annotations\.argocd\.argoproj\.io/sync-wave$`, replaced, isThere, ""},
	{"KS210", `^spec\.(prefill\.)?replicas$`, breaking, isScaled, ""},
	{"KS211", `^spec\.scaleTargetRef\.(apiVersion|kind|name)$`, replaced, isTarget, ""},
	{"KS310", `^metadata\.annotations\.argocd\.argoproj\.io/sync-options$`, same, isExtended, ""},
	{"KS509", `^metadata\.annotations\.argocd\.argoproj\.io/sync-options$`, same, isExtended, ""},
	{"KS401", `(containers|initContainers|volumes|volumeMounts|env|ports)\[\d+\]`, empty, isDuplicate, ""},
	{"KS404", `^spec\.container\.name$`, replaced, becomes("storage-initializer"), ""},
	{"KS501", kserveAnnotation("deploymentMode"), equal, isMode, ""},
	{"KS501", kserveAnnotation("deploymentMode"), equal, saidKnative, "default-deployment-mode=Knative"},
	{"KS601", `^spec\.predictor\.[a-z]+`, equal, isModel, ""},
	{"KS601", `^spec\.predictor\.[a-z]+\.runtime$`, empty, holdsNothing, ""},
	{"KS601", `^spec\.predictor\.[a-z]+\.(runtime|modelFormat\..*)$`, breaking, anything, "pruned-fields=remove"},
	{"KS602", `^spec\.`, equal, isSameQuantity, ""},
	{"KS603", `^(spec|metadata\.labels$)`, empty, holdsNothing, ""},
	{"KS603", `\.(initialDelaySeconds|targetPorts\[\d+\]\.number)$`, empty, was("0"), ""},
	{"KS603", `\.(hostNetwork|readOnly)$`, empty, was("false"), ""},
	{"KS604", component + `(containers\[0\]|art)\.name$`, equal, becomes("kserve-container"), ""},
	{"KS605", `^status|` + liveMetadata, empty, anything, ""},
	{"KS605", `^metadata\.finalizers\[\d+\]$`, empty, isController, ""},
	{"KS606", ``, replaced, isMoved, "pruned-fields=move"},
	{"KS606", ``, breaking, anything, "pruned-fields=remove"},
	{"KS610", `^spec\.model\.(lora\.adapters\[\d+\]\.)?uri$`, equal, isSameURI, ""},
	{"KS611", `^apiVersion$`, equal, becomes("serving.kserve.io/v1alpha2"), ""},
	{"KS802", `^spec\.predictor\.[a-z]+\.name$`, breaking, anything, ""},
}
