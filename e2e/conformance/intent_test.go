package conformance

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
)

// intent is a change that a rule may make.
type intent struct {
	rule  string
	kinds string         // a regular expression
	path  *regexp.Regexp // of the place that differs
	means func(object map[string]any, c change) bool
}

const (
	component   = `spec (predictor|transformer|explainer) `
	hpas        = `HorizontalPodAutoscaler`
	autoscalers = hpas + `|(HTTP)?ScaledObject`
	runtimes    = `(Cluster)?ServingRuntime`
	service     = `InferenceService`
	scaled      = service + `|InferenceGraph`
	llm         = `LLMInferenceService(Config)?`
	mainProbe   = `^spec (|prefill |router scheduler )template containers \d+ (readiness|liveness|startup)Probe`
	container   = `^(` + component + `([a-z]+|containers \d+)|spec containers \d+) `
	probed      = container + `readinessProbe `
	annotated   = `^(metadata|spec (predictor|transformer|explainer))` + kserve
	own         = `^metadata annotations argocd-kserve-plugin/`
	kserve      = ` annotations serving\.kserve\.io/`
)

// frameworks are the fields of a predictor that KS601 turns into model.
var frameworks = []string{
	"sklearn", "xgboost", "tensorflow", "pytorch", "triton", "onnx", "huggingface", "pmml", "lightgbm", "paddle",
}

// intents say of every rule what its repairs may do to a decoded object, and nothing beside.
var intents = []intent{
	{"KS101", service, regexp.MustCompile(probed + `(exec|httpGet|tcpSocket)$`), replacesHandler},
	{
		"KS102", service + "|" + runtimes,
		regexp.MustCompile(container + `(readiness|liveness|startup)Probe (httpGet|tcpSocket) port$`),
		func(_ map[string]any, c change) bool { return isPort(c.after) },
	},
	{"KS103", service, regexp.MustCompile(probed + `(grpc|tcpSocket)$`), replacesHandler},
	{"KS104", runtimes, regexp.MustCompile(probed + `(exec|grpc|httpGet|tcpSocket)$`), replacesHandler},
	{"KS201", scaled, regexp.MustCompile(annotated + `autoscalerClass$`), becomes("external", "none")},
	{"KS202", hpas, regexp.MustCompile(`^metadata name$`), renames},
	{"KS202", "ScaledObject", regexp.MustCompile(`^spec advanced horizontalPodAutoscalerConfig name$`), renames},
	{
		"KS202", hpas, regexp.MustCompile(own + `renamed-from$`),
		func(_ map[string]any, c change) bool { return c.before == nil },
	},
	{"KS110", llm, regexp.MustCompile(mainProbe + ` (exec|httpGet|tcpSocket|grpc)$`), replacesHandler},
	{"KS110", llm, regexp.MustCompile(mainProbe + `(| (exec|httpGet|tcpSocket|grpc))$`), becomes(nil)},
	{
		"KS110", llm, regexp.MustCompile(mainProbe + ` (periodSeconds|timeoutSeconds|failureThreshold)$`),
		becomes(json.Number("10"), json.Number("1"), json.Number("3")),
	},
	{"KS111", llm, regexp.MustCompile(`^spec (prefill )?(template|worker) containers \d+ name$`), becomes("main")},
	{"KS210", llm, regexp.MustCompile(`^spec (prefill )?replicas$`), becomes(nil)},
	{
		"KS211", autoscalers, regexp.MustCompile(`^spec scaleTargetRef name$`),
		func(_ map[string]any, c change) bool { return strings.Contains(text(c.after), "-kserve") },
	},
	{"KS211", autoscalers, regexp.MustCompile(`^spec scaleTargetRef kind$`), becomes("Deployment", "LeaderWorkerSet")},
	{
		"KS211", autoscalers, regexp.MustCompile(`^spec scaleTargetRef apiVersion$`),
		becomes("apps/v1", "leaderworkerset.x-k8s.io/v1"),
	},
	{"KS510", autoscalers, regexp.MustCompile(`^metadata name$`), renames},
	{
		"KS510", hpas, regexp.MustCompile(own + `renamed-from$`),
		func(_ map[string]any, c change) bool { return c.before == nil },
	},
	{"KS203", autoscalers, regexp.MustCompile(`^metadata finalizers$`), changesFinalizer},
	{
		"KS204", autoscalers, regexp.MustCompile(own + `owner$`),
		func(_ map[string]any, c change) bool { return strings.HasPrefix(text(c.after), "InferenceService/") },
	},
	{"KS204", autoscalers, regexp.MustCompile(own + `autoscaler-class$`), becomes("external")},
	{
		"KS205", autoscalers, regexp.MustCompile(`^spec scaleTargetRef name$`),
		func(_ map[string]any, c change) bool { return text(c.after) != "" },
	},
	{"KS205", autoscalers, regexp.MustCompile(`^spec scaleTargetRef kind$`), becomes("Deployment")},
	{"KS205", autoscalers, regexp.MustCompile(`^spec scaleTargetRef apiVersion$`), becomes("apps/v1")},
	{"KS206", service, regexp.MustCompile(annotated + `(targetUtilizationPercentage|metrics)$`), becomes(nil)},
	{"KS206", service, regexp.MustCompile(`^` + component + `scaleTarget$`), isTarget},
	{"KS206", service, regexp.MustCompile(`^` + component + `scaleMetric$`), becomes("cpu")},
	{"KS207", "ScaledObject", regexp.MustCompile(`^spec minReplicaCount$`), becomes(json.Number("1"))},
	{
		"KS207", "ScaledObject", regexp.MustCompile(`^metadata annotations argocd\.argoproj\.io/sync-wave$`),
		func(_ map[string]any, c change) bool { return text(c.after) != "" },
	},
	{
		"KS507", "InferenceGraph", regexp.MustCompile(`^spec (nodes .+ serviceName|serviceAccountName)$`),
		func(_ map[string]any, c change) bool { return strings.Contains(text(c.after), text(c.before)) },
	},
	{
		"KS507", service + "|" + llm, regexp.MustCompile(`(runtime|serviceAccountName|[uU]ri|baseRefs .+ name|env .+ value)$`),
		func(_ map[string]any, c change) bool { return text(c.after) != "" },
	},
	{
		"KS507", service + "|" + llm, regexp.MustCompile(annotated + `(storageSecretName|nodegroup)$`),
		func(_ map[string]any, c change) bool { return strings.Contains(text(c.after), text(c.before)) },
	},
	{
		"KS507", service + "|" + llm + "|ServingRuntime",
		regexp.MustCompile(`(secretName|claimName| (secret|configMap)(Ref|KeyRef)? name|config ref name)$`),
		func(_ map[string]any, c change) bool { return strings.Contains(text(c.after), text(c.before)) },
	},
	{
		"KS507", llm, regexp.MustCompile(`^spec router (gateway|route|scheduler pool) .+ name$| pvc ref name$`),
		func(_ map[string]any, c change) bool { return strings.Contains(text(c.after), text(c.before)) },
	},
	{
		"KS507", "LocalModel(Namespace)?Cache", regexp.MustCompile(`^spec nodeGroups `),
		func(_ map[string]any, c change) bool { return strings.Contains(text(c.after), text(c.before)) },
	},
	{
		"KS507", "TrainedModel", regexp.MustCompile(`^spec inferenceService$`),
		func(_ map[string]any, c change) bool { return strings.Contains(text(c.after), text(c.before)) },
	},
	{
		"KS301", service, regexp.MustCompile(own + `health-conditions$`),
		adds("IngressReady,PredictorReady,Ready", "PredictorReady,Ready"),
	},
	{"KS301", service, regexp.MustCompile(own + `progress-deadline-seconds$`), adds("1800")},
	{
		"KS310", "LLMInferenceServiceConfig", regexp.MustCompile(`^metadata annotations argocd\.argoproj\.io/sync-options$`),
		func(_ map[string]any, c change) bool { return strings.HasSuffix(text(c.after), "PruneLast=true") },
	},
	{
		"KS509", "CustomResourceDefinition", regexp.MustCompile(`^metadata annotations argocd\.argoproj\.io/sync-options$`),
		func(_ map[string]any, c change) bool { return strings.HasSuffix(text(c.after), "ServerSideApply=true") },
	},
	{
		"KS401", service + "|" + runtimes + "|" + llm,
		regexp.MustCompile(`(containers|initContainers|volumes|volumeMounts|env)$`), drops,
	},
	{"KS404", "ClusterStorageContainer", regexp.MustCompile(`^spec container name$`), becomes("storage-initializer")},
	{
		"KS501", scaled, regexp.MustCompile(`^metadata` + kserve + `deploymentMode$`),
		becomes("Standard", "Knative", "RawDeployment", "Serverless", nil),
	},
	{
		"KS604", service, regexp.MustCompile(`^(` + component + `containers 0|spec explainer art) name$`),
		becomes("kserve-container"),
	},
	{
		"KS605", `\w+`,
		regexp.MustCompile(`^status$|^metadata ([a-zA-Z]+|annotations kubectl\.kubernetes\.io/.*|labels .*/routing-group)$`),
		becomes(nil),
	},
	{"KS602", service + `|` + llm, regexp.MustCompile(`^spec `), respellsQuantity},
	{
		"KS603", service + `|` + llm, regexp.MustCompile(`^(spec |metadata labels$)`),
		func(_ map[string]any, c change) bool {
			return c.after == nil && slices.Contains([]string{`""`, "0", "false", "[]", "{}"}, encoded(c.before))
		},
	},
	{
		"KS606", `[A-Za-z]+`, regexp.MustCompile(`.`),
		func(_ map[string]any, c change) bool { return c.before != nil && c.after == nil },
	},
	{"KS610", llm, regexp.MustCompile(`^spec model (lora adapters \d+ )?uri$`), escapes},
	{"KS611", llm, regexp.MustCompile(`^apiVersion$`), becomes("serving.kserve.io/v1alpha2")},
	{"KS802", service, regexp.MustCompile(`^spec predictor [a-z]+ name$`), becomes(nil)},
}

// intended returns the rules behind the changes of an object, or an error for a change that none of the given rules
// means.
func intended(
	object map[string]any, found []change, rules []string, renamed map[string]string,
) (behind []string, err error) {
	for _, c := range found {
		rule := ""
		for _, i := range intents {
			kind := regexp.MustCompile(`^(` + i.kinds + `)$`).MatchString(text(object["kind"]))
			if kind && slices.Contains(rules, i.rule) && i.path.MatchString(c.path) && i.means(object, c) {
				rule = i.rule
			}
		}
		if rule == "" && renamed[text(c.before)] != "" && renamed[text(c.before)] == c.after {
			rule = "KS202" // what refers to an autoscaler follows it
		}
		if rule == "" {
			return nil, fmt.Errorf("%s %s: no rule of %v means %s", object["kind"], name(object), rules, c)
		}
		if !slices.Contains(behind, rule) {
			behind = append(behind, rule)
		}
	}
	return behind, nil
}

func text(value any) string {
	s, _ := value.(string)
	return s
}

func name(object map[string]any) string {
	metadata, _ := object["metadata"].(map[string]any)
	return text(metadata["name"])
}

func becomes(values ...any) func(map[string]any, change) bool {
	return func(_ map[string]any, c change) bool { return slices.Contains(values, c.after) }
}

func adds(values ...any) func(map[string]any, change) bool {
	return func(_ map[string]any, c change) bool { return c.before == nil && slices.Contains(values, c.after) }
}

func encoded(value any) string {
	data, _ := json.Marshal(value)
	return string(data)
}

// respellsQuantity: a number or a text becomes a text with the same value.
func respellsQuantity(_ map[string]any, c change) bool {
	before, err := resource.ParseQuantity(fmt.Sprint(c.before))
	after, err2 := resource.ParseQuantity(text(c.after))
	return err == nil && err2 == nil && before.Cmp(after) == 0
}

// escapes: both texts are the same URI.
func escapes(_ map[string]any, c change) bool {
	before, err := url.Parse(text(c.before))
	after, err2 := url.Parse(text(c.after))
	return err == nil && err2 == nil && before.Scheme == after.Scheme && before.Host == after.Host &&
		before.Path == after.Path && before.RawQuery == after.RawQuery && before.Fragment == after.Fragment
}

func isPort(value any) bool {
	n, err := strconv.Atoi(fmt.Sprint(value))
	_, number := value.(json.Number)
	return number && err == nil && n > 0 && n < 65536
}

func isTarget(_ map[string]any, c change) bool {
	n, err := strconv.Atoi(fmt.Sprint(c.after))
	return c.before == nil && err == nil && n > 0 && n <= 100
}

// replacesHandler: one handler goes, another comes, and afterwards the probe has just that one.
func replacesHandler(_ map[string]any, c change) bool {
	if c.after == nil {
		return c.before != nil && !strings.HasSuffix(c.path, "httpGet") && !strings.HasSuffix(c.path, "tcpSocket")
	}
	handler, _ := c.after.(map[string]any)
	if c.before != nil || !isPort(handler["port"]) {
		return false
	}
	if strings.HasSuffix(c.path, "tcpSocket") {
		return len(handler) == 1
	}
	return strings.HasSuffix(c.path, "httpGet") && strings.HasPrefix(text(handler["path"]), "/")
}

// withModel does to an InferenceService what KS601 means: the framework that is gone afterwards becomes model. The
// result is false when none is.
func withModel(before, after map[string]any) (map[string]any, bool) {
	spec, _ := before["spec"].(map[string]any)
	predictor, _ := spec["predictor"].(map[string]any)
	specAfter, _ := after["spec"].(map[string]any)
	predictorAfter, _ := specAfter["predictor"].(map[string]any)
	for field, value := range predictor {
		framework, isMap := value.(map[string]any)
		if _, stays := predictorAfter[field]; stays || !isMap || !slices.Contains(frameworks, field) {
			continue
		}
		model := maps.Clone(framework)
		delete(model, "runtime")
		model["modelFormat"] = map[string]any{"name": field}
		if model["protocolVersion"] == nil && (field == "onnx" || field == "huggingface") {
			model["protocolVersion"] = "v2"
		}
		predictor, spec, before = maps.Clone(predictor), maps.Clone(spec), maps.Clone(before)
		delete(predictor, field)
		predictor["model"], spec["predictor"], before["spec"] = model, predictor, spec
		return before, true
	}
	return before, false
}

func renames(object map[string]any, c change) bool {
	return regexp.MustCompile(`^` + regexp.QuoteMeta(text(c.before)) + `-external(-\d+)?$`).MatchString(text(c.after))
}

func changesFinalizer(_ map[string]any, c change) bool {
	without := func(value any) []any {
		list, _ := value.([]any)
		return slices.DeleteFunc(slices.Clone(list), func(item any) bool { return item == "kserve.io/protect" })
	}
	before, after := without(c.before), without(c.after)
	return len(before) == 0 && len(after) == 0 || reflect.DeepEqual(before, after)
}

// drops: the items are the same ones, each once.
func drops(_ map[string]any, c change) bool {
	before, _ := c.before.([]any)
	after, _ := c.after.([]any)
	var once []any
	for _, item := range before {
		if !slices.ContainsFunc(once, func(earlier any) bool { return reflect.DeepEqual(earlier, item) }) {
			once = append(once, item)
		}
	}
	return len(after) < len(before) && reflect.DeepEqual(once, after)
}
