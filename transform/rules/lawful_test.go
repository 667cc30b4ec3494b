package rules_test

import (
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

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

// The clauses of the law in docs/development.md.
const (
	empty    = "empty, a duplicate, or a live object's"
	equal    = "replaced by KServe by an equal meaning"
	replaced = "an error, with the same intent put in its place"
	breaking = "an error, and it can only break the service"
)

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

func becomesNumber(l loss) bool {
	_, ok := l.now().Int()
	return ok
}

// hasHandler reports whether the probe around a value has one handler afterwards.
func hasHandler(l loss) bool {
	i := slices.IndexFunc(l.at, func(step any) bool {
		name, _ := step.(string)
		return strings.HasSuffix(name, "Probe")
	})
	probe := l.get(l.at[:i+1])
	return probe == nil || probe.Has("httpGet") != probe.Has("tcpSocket") && !probe.Has("exec") && !probe.Has("grpc")
}

// ofKEDA reports whether a value is of a metric that only KEDA knows.
func ofKEDA(l loss) bool {
	metric := slices.Index(l.at, any("metrics")) + 2
	return slices.Contains([]string{"External", "PodMetric"}, l.before.Get(l.at[:metric].With("type")...).Str())
}

var external = regexp.MustCompile(`-external(-\d+)?$`)

// isRenamed reports whether a text names another object now, with the name that the rules give to an autoscaler.
func isRenamed(l loss) bool {
	name := l.now().Str()
	return strings.Contains(strings.ReplaceAll(name, external.FindString(name), ""), l.value.Value)
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

// isDuplicate reports whether a list that still has items had another one that equals the one with the value.
func isDuplicate(l loss) bool {
	for i, step := range l.at {
		own, isItem := step.(int)
		if !isItem || len(l.get(l.at[:i]).List()) == 0 {
			continue
		}
		for other, item := range l.before.Get(l.at[:i]...).List() {
			if other != own && item.Equal(l.before.Get(l.at[:i+1]...)) {
				return true
			}
		}
	}
	return false
}

func isUnchanged(l loss) bool { return l.value.Equal(l.now()) }

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
	return err == nil && err2 == nil && before.Path == after.Path && before.Host == after.Host
}

// isElsewhere reports whether the output has the value in another place.
func isElsewhere(l loss) (found bool) {
	l.after.Walk(nil, func(_ *yamldoc.Trail, n *yamldoc.Node) {
		for _, child := range n.Children() {
			found = found || child.Equal(l.value)
		}
	})
	return found
}

// lawful is all that the rules of the catalogue may take.
var lawful = []taking{
	{"KS101", component + `.*readinessProbe\.` + handlers, replaced, hasHandler, ""},
	{"KS102", anyProbe + `(httpGet|tcpSocket)\.port$`, replaced, becomesNumber, ""},
	{"KS103", component + `.*readinessProbe\.grpc\.`, replaced, hasHandler, ""},
	{"KS104", `readinessProbe\.` + handlers, replaced, hasHandler, ""},
	{"KS110", anyProbe + handlers, breaking, anything, ""}, // beside the handler of the preset
	{"KS111", `template\.containers\[\d+\]\.name$`, replaced, becomes("main"), ""},
	{"KS201", kserveAnnotation("autoscalerClass"), replaced, becomes("external", "none"), ""},
	{"KS201", component + `autoScaling\.metrics\[`, breaking, ofKEDA, ""},
	{"KS209", component + `autoScaling\.metrics\[`, breaking, ofKEDA, ""},
	{"KS202", `^metadata\.name$`, replaced, isRenamed, ""},
	{"KS202", `[nN]ames?(\[\d+\])?$`, replaced, isThere, ""}, // what refers to it
	{"KS510", `^metadata\.name$`, replaced, isRenamed, ""},
	{"KS510", `[nN]ames?(\[\d+\])?$`, replaced, isRenamed, ""},
	{"KS203", `^metadata\.finalizers\[\d+\]$`, breaking, was("kserve.io/protect"), ""},
	{"KS204", `^metadata\.annotations\.argocd-kserve-plugin/`, replaced, isThere, ""},
	{"KS205", `^spec\.scaleTargetRef\.(apiVersion|kind|name)$`, replaced, isThere, ""},
	{"KS206", kserveAnnotation("(targetUtilizationPercentage|metrics)"), equal, isScaleField, ""},
	{"KS207", `^spec\.minReplicaCount$`, equal, becomesNumber, ""},
	{"KS207", `^metadata\.annotations\.argocd\.argoproj\.io/sync-wave$`, replaced, isThere, ""},
	{"KS210", `^spec\.(prefill\.)?replicas$`, breaking, anything, ""},
	{"KS211", `^spec\.scaleTargetRef\.(apiVersion|kind|name)$`, replaced, isThere, ""},
	{"KS310", `^metadata\.annotations\.argocd\.argoproj\.io/sync-options$`, replaced, isExtended, ""},
	{"KS401", `(containers|initContainers|volumes|volumeMounts|env)\[\d+\]`, empty, isDuplicate, ""},
	{"KS404", `^spec\.container\.name$`, replaced, becomes("storage-initializer"), ""},
	{"KS501", kserveAnnotation("deploymentMode"), equal, isThere, ""},
	{"KS501", kserveAnnotation("deploymentMode"), equal, was("Knative", "Serverless"), ""}, // the cluster's default
	{"KS601", `^spec\.predictor\.[a-z]+\.`, equal, isUnchanged, ""},
	{"KS601", `^spec\.predictor\.[a-z]+\.(runtime|modelFormat\..*)$`, breaking, anything, "pruned-fields=remove"},
	{"KS602", `^spec\.`, equal, isSameQuantity, ""},
	{"KS603", `^spec\.`, empty, was("0", "false"), ""},
	{"KS604", component + `(containers\[0\]|art)\.name$`, equal, becomes("kserve-container"), ""},
	{"KS605", `^status|` + liveMetadata, empty, anything, ""},
	{"KS605", `^metadata\.finalizers\[\d+\]$`, empty, isController, ""},
	{"KS606", ``, replaced, isElsewhere, "pruned-fields=move"},
	{"KS606", ``, breaking, anything, "pruned-fields=remove"},
	{"KS610", `^spec\.model\.(lora\.adapters\[\d+\]\.)?uri$`, equal, isSameURI, ""},
	{"KS611", `^apiVersion$`, equal, becomes("serving.kserve.io/v1alpha2"), ""},
	{"KS802", `^spec\.predictor\.[a-z]+\.name$`, breaking, anything, ""},
}
