package statuses

const graphManifest = `
apiVersion: serving.kserve.io/v1alpha1
kind: InferenceGraph
metadata:
  name: iris
  namespace: models
spec:
  nodes:
    root:
      routerType: Sequence
      steps:
      - serviceUrl: http://first.models.svc.cluster.local
      - serviceUrl: http://second.models.svc.cluster.local
`

func init() {
	const graph = "iris"
	obeying := func(p *play, right Right) Right {
		if p.since("0.16.0") {
			return right
		}
		return Healthy
	}
	const disobeys = " KServe before 0.16 does not obey."
	scenarios = append(scenarios, scenario{"graph-standard", graphManifest, "", inStandard, func(p *play) {
		p.record("created", Progressing, "KServe has not seen the graph yet.")
		p.now("accepted", Progressing, "KServe has made the Deployment.")
		p.deployment(graph, startingUp...)
		p.now("starting", Healthy,
			"The pod starts. KServe says Ready, because the Deployment has a condition Available, be it False.")
		p.deployment(graph, rolledOut...)
		p.now("ready", Healthy, "The graph is ready.")
		p.deployment(graph, neverStarted...)
		p.now("lost", Healthy, "The pod is gone, and the Deployment is past its deadline. KServe says Ready.")
		p.annotate(stop, "true")
		p.record("asked", obeying(p, Progressing), "The user has asked KServe to stop the graph."+disobeys)
		p.now("stopped", obeying(p, Suspended), "KServe has stopped the graph."+disobeys)
		p.annotate(stop, "false")
		p.record("asked-to-resume", obeying(p, Progressing), "The user has asked KServe to resume the graph.")
		p.now("resuming", obeying(p, Progressing), "KServe has made the Deployment again.")
		p.deployment(graph, rolledOut...)
		p.now("ready-again", Healthy, "The graph is ready again.")
	}}, scenario{"graph-refused", graphManifest, "", inStandard, func(p *play) {
		p.Refuse(deployments, denied)
		p.now("at-first", Progressing, "A webhook refuses the Deployment. KServe does not show that.")
	}}, scenario{"graph-knative", graphManifest, "", inKnative, func(p *play) {
		p.record("created", Progressing, "KServe has not seen the graph yet.")
		if p.since("0.14.0") && !p.since("0.15.0") {
			// The router's privileged: false (createKnativeService in knative_reconciler.go@v0.14.1), which Knative takes from
			// 1.17 on (https://github.com/knative/serving/pull/15643).
			p.now("refused", Progressing, "Knative before 1.17 refuses the Service. KServe does not show that.")
			return
		}
		p.now("accepted", Progressing, "KServe has made the Knative Service.")
		p.knativeService(graph, 1, deploying)
		p.now("deploying", Progressing, "Knative deploys the first revision.")
		p.knativeService(graph, 1, exiting)
		p.now("crash", Degraded, "The first revision fails.")
		p.knativeService(graph, 2, revisionUp)
		p.now("ready", Healthy, "The graph is ready.")
		p.knativeService(graph, 3, deploying)
		p.now("second-deploying", Progressing, "The next revision starts, the old one serves.")
		p.knativeService(graph, 3, overdue)
		p.now("second-past-deadline", Degraded, "The next revision is past its deadline, the old one serves.")
		p.knativeService(graph, 4, revisionUp)
		p.settle()
		p.annotate(stop, "true")
		p.record("asked", obeying(p, Progressing), "The user has asked KServe to stop the graph."+disobeys)
		p.now("stopped", obeying(p, Suspended), "KServe has stopped the graph."+disobeys)
		if !p.since("0.16.0") {
			return
		}
		delete(p.configurations, graph)
		p.annotate(stop, "false")
		p.record("asked-to-resume", Progressing, "The user has asked KServe to resume the graph.")
		p.settle()
		p.knativeService(graph, 1, deploying)
		p.now("resuming", Progressing, "The first revision starts again.")
		p.knativeService(graph, 1, revisionUp)
		p.now("ready-again", Healthy, "The graph is ready again.")
	}})
}
