package statuses

import "k8s.io/apimachinery/pkg/runtime/schema"

var (
	knativeServices = schema.GroupKind{Group: "serving.knative.dev", Kind: "Service"}
	// deniedByKnative is what Knative's webhook says to a Service that it does not support.
	deniedByKnative = denial("validation.webhook.serving.knative.dev",
		"validation failed: must not set the field(s): spec.template.spec.nodeSelector")
)

func init() {
	knative := func(name, manifest, since string, acts func(*play)) {
		scenarios = append(scenarios, scenario{"knative-" + name, manifest, since, inKnative, acts})
	}
	knative("first-rollout", serviceManifest, "", func(p *play) {
		p.apply(runtimeManifest)
		p.record("created", Progressing, "KServe has not seen the service yet.")
		p.now("accepted", Progressing, "KServe has made the Knative Service.")
		p.knativeService(predictor, 1, deploying)
		p.now("deploying", Progressing, "Knative deploys the first revision.")
		p.revisionPod(predictor, 1, downloading)
		p.now("downloading", Progressing, "The first pod downloads the model.")
		p.noGateway = true
		p.knativeService(predictor, 1, revisionUp)
		p.revisionPod(predictor, 1, podServing)
		p.now("no-gateway", Progressing, "The first revision is ready, the gateway is not.")
		p.noGateway = false
		p.knativeService(predictor, 1, revisionUp)
		p.now("ready", Healthy, "The service is ready.")
		p.noPods()
		p.annotate("example.com/team", "shop")
		p.now("scaled-to-zero", Healthy, "Knative has scaled the service to zero.")
	})
	for _, failure := range []struct {
		name string
		revision
		podState
		right     Right
		situation string
	}{
		{"crash", exiting, crashLooping, Degraded, "Its container ends with an error."},
		{"no-download", deploying, noDownloads, Passes,
			"It cannot download the model. Knative does not say so before the deadline."},
		{"no-download-past-deadline", notStarted, noDownloads, Degraded,
			"It cannot download the model, and is past its deadline."},
		{"past-deadline", overdue, pending, Degraded, "It is past its deadline."},
		{"no-image", noImage, pending, Degraded, "Its image cannot be pulled."},
		{"unschedulable", unschedulable, pending, Degraded, "It fits on no node."},
	} {
		repairing := Progressing
		if failure.podState != pending {
			repairing = Passes // KServe shows the failure until the new pod's containers have a state
		}
		knative("first-revision", serviceManifest, "", func(p *play) {
			p.apply(runtimeManifest)
			p.settle()
			p.knativeService(predictor, 1, deploying)
			p.settle()
			p.knativeService(predictor, 1, failure.revision)
			p.revisionPod(predictor, 1, failure.podState)
			p.now(failure.name, failure.right, "The first revision fails. "+failure.situation)
			p.newSpec()
			p.settle()
			p.knativeService(predictor, 2, deploying)
			p.revisionPod(predictor, 2, pending)
			p.now(failure.name+"-repairing", repairing,
				"The first revision has failed, and the user's repair starts as a second revision.")
			p.knativeService(predictor, 2, revisionUp)
			p.revisionPod(predictor, 2, podServing)
			p.now(failure.name+"-repaired", Healthy, "The first revision has failed, and the user's repair is ready.")
		})
		knative("second-revision", serviceManifest, "", func(p *play) {
			p.startKnative()
			p.newSpec()
			p.settle()
			p.knativeService(predictor, 2, deploying)
			p.revisionPod(predictor, 2, pending)
			p.now(failure.name+"-deploying", Progressing, "The second revision starts, the first serves.")
			p.knativeService(predictor, 2, failure.revision)
			p.revisionPod(predictor, 2, failure.podState)
			p.now(failure.name, failure.right, "The first revision serves, the second one fails. "+failure.situation)
		})
	}
	knative("forgotten", serviceManifest, "", func(p *play) {
		p.apply(runtimeManifest)
		p.settle()
		p.knativeService(predictor, 1, overdue)
		p.settle()
		delete(p.configurations, predictor)
		p.knativeService(predictor, 1, deploying)
		p.now("first", Progressing, "Knative has forgotten that the first revision failed, 30 seconds after its deadline.")
	})
	knative("canary", serviceManifest, "", func(p *play) {
		p.startKnative()
		p.set(int64(10), "spec", "predictor", "canaryTrafficPercent")
		p.newSpec()
		p.settle()
		p.knativeService(predictor, 2, deploying)
		p.revisionPod(predictor, 2, pending)
		p.now("deploying", Progressing, "The canary's revision starts.")
		p.knativeService(predictor, 2, revisionUp)
		p.revisionPod(predictor, 2, podServing)
		p.settle()
		p.knativeService(predictor, 2, revisionUp)
		p.now("ready", Healthy, "The canary's revision gets a tenth of the traffic.")
		p.model("gs://kfserving-examples/models/sklearn/3.0/model", "storageUri")
		p.settle()
		p.knativeService(predictor, 3, exiting)
		p.revisionPod(predictor, 3, crashLooping)
		p.now("fails", Degraded, "The next canary's container ends with an error.")
	})
	for _, component := range []string{"transformer", "explainer"} {
		name := "iris-" + component
		knative(component, with(component), "", func(p *play) {
			p.startKnative()
			p.now("accepted", Progressing, "The predictor is ready, the "+component+"'s Knative Service new.")
			p.knativeService(name, 1, deploying)
			p.now("deploying", Progressing, "The predictor is ready, the "+component+"'s first revision starts.")
			p.knativeService(name, 1, exiting)
			p.now("crash", Degraded, "The predictor is ready, the "+component+"'s first revision fails.")
			p.newSpec()
			p.settle()
			p.knativeService(predictor, 2, revisionUp)
			p.knativeService(name, 2, revisionUp)
			p.now("ready", Healthy, "Predictor and "+component+" are ready.")
			p.knativeService(name, 3, deploying)
			p.now("second-deploying", Progressing, "The "+component+"'s next revision starts, the old one serves.")
			p.knativeService(name, 3, exiting)
			p.now("second-crash", Degraded, "The "+component+"'s next revision fails, the old one serves.")
			p.knativeService(name, 3, revisionUp)
			p.knativeService(predictor, 3, exiting)
			p.revisionPod(predictor, 3, crashLooping)
			p.now("predictor-crash", Degraded, "The predictor's next revision fails, the "+component+" is ready.")
		})
	}
	knative("no-runtime", serviceManifest, "", func(p *play) {
		p.now("missing", Passes, "No runtime supports the model. Another app may bring it.")
		p.model("mine", "runtime")
		p.now("not-recognized", Passes, "The runtime that the service names does not exist. Another app may bring it.")
	})
	knative("runtime-lost", serviceManifest, "", func(p *play) {
		p.startKnative()
		p.model("other", "runtime")
		p.now("ready", Progressing,
			"The new spec names a runtime that does not exist, the old revision serves. Nothing shows since when.")
	})
	knative("refused", serviceManifest, "", func(p *play) {
		p.apply(runtimeManifest)
		p.Refuse(knativeServices, deniedByKnative)
		right := Progressing
		if p.since("0.17.0") {
			right = Passes
		}
		p.now("at-first", right, "Knative's webhook refuses the service. KServe before 0.17 does not show that.")
		p.Refuse(knativeServices, nil)
		p.settle()
		p.knativeService(predictor, 1, revisionUp)
		p.revisionPod(predictor, 1, podServing)
		p.settle()
		p.Refuse(knativeServices, deniedByKnative)
		p.newSpec()
		p.now("later", p.onlyNew(Passes, "0.17.0"),
			"Knative's webhook refuses a change. KServe before 0.17 does not show that.")
	})
	knative("stop", serviceManifest, "", func(p *play) {
		obeys := p.since("0.15.1")
		right := func(obeying Right) Right {
			if obeys {
				return obeying
			}
			return Healthy
		}
		p.startKnative()
		p.annotate(stop, "true")
		p.record("asked", right(Progressing),
			"The user has asked KServe to stop the service. KServe before 0.15.1 does not obey.")
		p.now("stopped", right(Suspended), "KServe has stopped the service. KServe before 0.15.1 does not obey.")
		if !obeys {
			return
		}
		p.noPods()
		delete(p.configurations, predictor)
		p.now("gone", Suspended, "The pods are gone.")
		p.annotate(stop, "false")
		p.record("asked-to-resume", Progressing, "The user has asked KServe to resume the service.")
		p.settle()
		p.knativeService(predictor, 1, deploying)
		p.now("resuming", Progressing, "The first revision starts again.")
		p.knativeService(predictor, 1, revisionUp)
		p.revisionPod(predictor, 1, podServing)
		p.now("ready-again", Healthy, "The service is ready again.")
	})
}
