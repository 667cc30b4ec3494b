package statuses

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/controlplane"
)

const runtimeManifest = `
apiVersion: serving.kserve.io/v1alpha1
kind: ClusterServingRuntime
metadata:
  name: kserve-sklearnserver
spec:
  supportedModelFormats:
  - {name: sklearn, version: "1", autoSelect: true}
  protocolVersions: [v1, v2]
  containers:
  - name: kserve-container
    image: kserve/sklearnserver:latest
    args: ["--model_name={{.Name}}", "--model_dir=/mnt/models"]
`

const serviceManifest = `
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata:
  name: iris
  namespace: models
spec:
  predictor:
    model:
      modelFormat:
        name: sklearn
      storageUri: gs://kfserving-examples/models/sklearn/1.0/model
`

// with returns the service with another component.
func with(component string) string {
	return serviceManifest + `
  ` + component + `:
    containers:
    - name: kserve-container
      image: example.com/` + component + `:1
`
}

const stop = "serving.kserve.io/stop"

func inStandard(r controlplane.Release, config map[string]any) error {
	return inMode(config, r.Standard)
}

func inMode(config map[string]any, mode string) error {
	return controlplane.Configure(config, "deploy", "defaultDeploymentMode", mode)
}

const predictor = "iris-predictor"

func (p *play) predictorPod(state podState) { p.pod("app", "isvc.iris-predictor", state) }

// startStandard lets the predictor get ready.
func (p *play) startStandard() {
	p.apply(runtimeManifest)
	p.settle()
	p.deployment(predictor, rolledOut...)
	p.predictorPod(podServing)
	p.settle()
}

// newSpec is a change that makes KServe roll out the predictor.
func (p *play) newSpec() { p.model("gs://kfserving-examples/models/sklearn/2.0/model", "storageUri") }

// model sets a field of the predictor's model.
func (p *play) model(value, field string) { p.set(value, "spec", "predictor", "model", field) }

var (
	deployments = schema.GroupKind{Group: "apps", Kind: "Deployment"}
	conflict    = apierrors.NewConflict(schema.GroupResource{Group: "apps", Resource: "deployments"}, predictor,
		errors.New("the object has been modified; please apply your changes to the latest version and try again"))
	denied = denial("policy.example.com", "no limits")
)

// denial is the API server's error where a webhook refuses a write.
func denial(webhook, reason string) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: http.StatusForbidden,
		Reason: metav1.StatusReasonForbidden, Message: fmt.Sprintf("admission webhook %q denied the request: %s", webhook, reason)}}
}

// onlyNew is Right for releases since one, and Healthy for those whose status does not show the trouble.
func (p *play) onlyNew(right Right, since string) Right {
	if p.since(since) {
		return right
	}
	return Healthy
}

func init() {
	standard := func(name, manifest, since string, acts func(*play)) {
		scenarios = append(scenarios, scenario{"standard-" + name, manifest, since, inStandard, acts})
	}
	standard("first-rollout", serviceManifest, "", func(p *play) {
		p.apply(runtimeManifest)
		p.record("created", Progressing, "KServe has not seen the service yet.")
		p.now("accepted", Progressing, "KServe has made the Deployment.")
		p.deployment(predictor, created, unavailable)
		p.predictorPod(pending)
		p.now("pending", Progressing, "The pod waits for a node.")
		p.deployment(predictor, startingUp...)
		p.predictorPod(downloading)
		p.now("downloading", Progressing, "The pod downloads the model.")
		p.predictorPod(loading)
		p.now("loading", Progressing, "The container loads the model.")
		p.deployment(predictor, rolledOut...)
		p.predictorPod(podServing)
		p.now("ready", Healthy, "The service is ready.")
		for range 4 {
			p.scale(predictor, 3)
			p.scale(predictor, 2)
		}
		p.deployment(predictor, rolledOut...)
		p.now("scaled", Healthy, "An autoscaler has scaled the Deployment several times.")
	})
	standard("never-starts", serviceManifest, "", func(p *play) {
		p.apply(runtimeManifest)
		p.settle()
		p.deployment(predictor, neverStarted...)
		p.predictorPod(pending)
		p.now("past-deadline", Progressing,
			"The first rollout is past its deadline. KServe shows only that no pod is available.")
		p.deployment(predictor, unavailable, deadline, overQuota)
		p.noPods()
		right := Progressing
		if p.since("0.16.0") {
			right = Degraded
		}
		p.now("over-quota", right, "The quota allows no pod. KServe before 0.16 does not show that.")
	})
	standard("second-rollout", serviceManifest, "", func(p *play) {
		p.startStandard()
		p.newSpec()
		p.record("unseen", Healthy, "KServe has not seen the new spec yet. Nothing in the status shows that.")
		p.settle()
		p.deployment(predictor, updating...)
		// KServe 0.16 to 0.19 say that a service with a rollout is not ready.
		shows := p.since("0.16.0") && !p.since("0.20.0")
		right := Healthy
		if shows {
			right = Progressing
		}
		p.now("under-way", right, "The new pod starts, the old one serves. Only KServe 0.16 to 0.19 show that.")
		p.deployment(predictor, failedUpdate...)
		p.now("past-deadline", p.onlyNew(Degraded, "0.16.0"),
			"The rollout is past its deadline, the old pod serves. KServe before 0.16 does not show that.")
		p.deployment(predictor, updating...)
		p.predictorPod(noDownloads)
		if shows {
			right = Passes
		}
		p.now("no-download", right,
			"The new pod cannot download the model, the old one serves. An older rollout's pod leaves the same status.")
		p.deployment(predictor, rolledOut...)
		p.predictorPod(podServing)
		p.now("done", Healthy, "The new pod serves.")
		p.deployment(predictor, startingUp...)
		p.now("lost", Progressing, "The pod is gone, and a new one starts.")
	})
	standard("fails-to-load", serviceManifest, "", func(p *play) {
		p.apply(runtimeManifest)
		p.settle()
		p.deployment(predictor, startingUp...)
		p.predictorPod(noDownload)
		p.now("download", Degraded, "The first pod cannot download the model.")
		p.predictorPod(noDownloads)
		p.now("downloads", Degraded, "The first pod cannot download the model, again and again.")
		p.predictorPod(notLoaded)
		p.now("crash", Degraded, "The first pod's container ends with an error.")
		p.predictorPod(crashLooping)
		p.now("crash-loop", Degraded, "The first pod's container ends with an error, again and again.")
		p.deployment(predictor, neverStarted...)
		p.now("past-deadline", Degraded, "The same after the Deployment's deadline.")
		p.newSpec()
		p.settle()
		p.deployment(predictor, rolledOut...)
		p.predictorPod(podServing)
		p.now("repaired", Healthy, "The user has repaired the storage URI.")
	})
	standard("no-runtime", serviceManifest, "", func(p *play) {
		p.now("missing", Passes, "No runtime supports the model. Another app may bring it.")
		p.model("mine", "runtime")
		p.now("not-recognized", Passes, "The runtime that the service names does not exist. Another app may bring it.")
		p.apply(strings.Replace(runtimeManifest, "kserve-sklearnserver", "mine", 1))
		p.now("arrived", Progressing, "The runtime has come, and the pod starts.")
	})
	standard("wrong-runtime", serviceManifest, "", func(p *play) {
		p.apply(strings.Replace(runtimeManifest, "name: sklearn", "name: onnx", 1))
		p.model("kserve-sklearnserver", "runtime")
		p.now("other-format", Passes, "The runtime that the service names does not support the format.")
		off := strings.NewReplacer("spec:", "spec:\n  disabled: true", "kserve-sklearnserver", "switched-off")
		p.apply(off.Replace(runtimeManifest))
		p.model("switched-off", "runtime")
		p.now("disabled", Degraded, "The runtime that the service names is disabled.")
		p.apply(strings.NewReplacer("{{.Name}}", "{{.Nobody}}", "kserve-sklearnserver", "broken").Replace(runtimeManifest))
		p.model("broken", "runtime")
		p.now("invalid", Degraded, "The runtime has a placeholder that KServe does not know.")
	})
	standard("runtime-lost", serviceManifest, "", func(p *play) {
		p.startStandard()
		p.model("other", "runtime")
		p.now("ready", Progressing,
			"The new spec names a runtime that does not exist, the old pod serves. Nothing shows since when.")
		p.apply(strings.NewReplacer("{{.Name}}", "{{.Nobody}}", "kserve-sklearnserver", "broken").Replace(runtimeManifest))
		p.model("broken", "runtime")
		p.now("invalid", Degraded, "The new spec names a runtime that is invalid, the old pod serves.")
	})
	standard("refused", serviceManifest, "", func(p *play) {
		p.apply(runtimeManifest)
		p.Refuse(deployments, denied)
		right := Progressing
		if p.since("0.17.0") {
			right = Passes
		}
		p.now("at-first", right, "A webhook refuses the Deployment. KServe before 0.17 does not show that.")
		p.Refuse(deployments, nil)
		p.settle()
		p.deployment(predictor, rolledOut...)
		p.predictorPod(podServing)
		p.now("repaired", Healthy, "The webhook no longer refuses the Deployment.")
		p.Refuse(deployments, conflict)
		p.newSpec()
		p.now("later", p.onlyNew(Passes, "0.17.0"),
			"A conflict while KServe changes the Deployment. KServe before 0.17 does not show that.")
	})
	standard("stop", serviceManifest, "", func(p *play) {
		obeys := p.since("0.16.0")
		right := func(obeying Right) Right {
			if obeys {
				return obeying
			}
			return Healthy
		}
		p.startStandard()
		p.annotate(stop, "true")
		p.record("asked", right(Progressing),
			"The user has asked KServe to stop the service. KServe before 0.16 does not obey.")
		p.now("stopped", right(Suspended), "KServe has stopped the service. KServe before 0.16 does not obey.")
		p.noPods()
		p.now("gone", right(Suspended), "The pods are gone. KServe before 0.16 does not obey.")
		p.annotate(stop, "false")
		p.record("asked-to-resume", right(Progressing), "The user has asked KServe to resume the service.")
		p.now("resuming", right(Progressing), "KServe has made the Deployment again.")
		p.deployment(predictor, startingUp...)
		p.predictorPod(pending)
		p.now("starting-again", Progressing, "The pod starts again.")
		p.deployment(predictor, rolledOut...)
		p.predictorPod(podServing)
		p.now("ready-again", Healthy, "The service is ready again.")
	})
	standard("stopped-from-the-start", serviceManifest, "", func(p *play) {
		p.annotate(stop, "true")
		p.record("created", Progressing, "A new service, which the user has asked KServe to stop.")
		p.apply(runtimeManifest)
		right := Progressing
		if p.since("0.16.0") {
			right = Suspended
		}
		p.now("seen", right, "KServe has seen it. KServe before 0.16 does not obey.")
	})
	standard("resume-refused", serviceManifest, "0.17.0", func(p *play) {
		p.startStandard()
		p.annotate(stop, "true")
		p.settle()
		p.Refuse(deployments, denied)
		p.annotate(stop, "false")
		p.now("seen", Passes, "KServe cannot resume the service, because a webhook refuses the Deployment.")
	})
	for _, component := range []string{"transformer", "explainer"} {
		name := "iris-" + component
		standard(component, with(component), "", func(p *play) {
			p.startStandard()
			p.now("accepted", Progressing, "The predictor is ready, the "+component+"'s Deployment new.")
			p.deployment(name, startingUp...)
			p.now("starting", Progressing, "The predictor is ready, the "+component+" starts.")
			p.deployment(name, neverStarted...)
			p.now("past-deadline", Progressing, "The "+component+"'s first rollout is past its deadline.")
			p.deployment(name, rolledOut...)
			p.now("ready", Healthy, "Predictor and "+component+" are ready.")
			p.deployment(name, startingUp...)
			p.now("lost", Progressing, "The "+component+"'s pod is gone, and a new one starts.")
			p.deployment(name, failedUpdate...)
			p.now("second-past-deadline", p.onlyNew(Degraded, "0.16.0"),
				"The "+component+"'s second rollout is past its deadline, the old pod serves. Before 0.16 that does not show.")
			p.deployment(name, rolledOut...)
			p.deployment(predictor, startingUp...)
			p.now("predictor-lost", Progressing, "The predictor's pod is gone, the "+component+" is ready.")
		})
	}
	standard("scaled-to-zero", serviceManifest, "", func(p *play) {
		p.annotate("serving.kserve.io/autoscalerClass", "external")
		p.startStandard()
		p.scale(predictor, 0)
		p.deployment(predictor, rolledOut...)
		p.noPods()
		p.now("ready", Healthy, "Somebody else's autoscaler has scaled the Deployment to zero.")
	})
	standard("autoscaler-none", serviceManifest, "0.15.1", func(p *play) {
		p.annotate("serving.kserve.io/autoscalerClass", "none")
		p.startStandard()
		p.now("ready", Healthy, "The service has no autoscaler, and is ready.")
	})
	standard("custom-container", `
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata:
  name: iris
  namespace: models
spec:
  predictor:
    containers:
    - name: kserve-container
      image: example.com/iris:1
`, "", func(p *play) {
		p.settle()
		p.deployment(predictor, startingUp...)
		p.predictorPod(pending)
		p.now("starting", Progressing, "A predictor without a model format starts.")
		p.deployment(predictor, rolledOut...)
		p.predictorPod(podServing)
		p.now("ready", Healthy, "A predictor without a model format is ready.")
	})
}
