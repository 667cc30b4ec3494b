package cluster

import "strconv"

// autoscalerCase is an app with an autoscaler of the user's.
type autoscalerCase struct {
	problem    string // in the table
	id         string // of its namespaces
	live       string // manifests that the cluster has before the app comes
	app        app
	source     string // folder of the app to render, "" for its top
	deployment string // that the autoscaler is meant for
	autoscaler string // its name as the app has it
	scaled     bool   // an HPA: the controller-manager acts on it
	first      bool   // the autoscaler is applied before the service
	end        string // what KServe does to it without the plugin, after which nothing more happens
}

const external = `{serving.kserve.io/autoscalerClass: external}`

// service returns an InferenceService "model" with annotations and, as more, further fields of spec.
func service(annotations, more string) string {
	return `
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata:
  name: model
  annotations: ` + annotations + `
spec:
  predictor:
    minReplicas: 1
    maxReplicas: 3
    containers:
      - name: kserve-container
        image: example.invalid/model:1
        ports: [{containerPort: 8080, protocol: TCP}]
` + more
}

const transformer = `
  transformer:
    minReplicas: 1
    containers:
      - name: kserve-container
        image: example.invalid/transformer:1
        ports: [{containerPort: 8080, protocol: TCP}]
`

// usersMaximum tells the user's HPA from what KServe would write.
const usersMaximum = 7

// hpa returns an HPA that keeps two replicas of a Deployment.
func hpa(name, deployment, finalizers string) string {
	return `
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: ` + name + `
  finalizers: ` + finalizers + `
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: ` + deployment + `}
  minReplicas: 2
  maxReplicas: ` + strconv.Itoa(usersMaximum) + `
  metrics:
    - type: Resource
      resource: {name: memory, target: {type: Utilization, averageUtilization: 61}}
`
}

const scaledObject = `
---
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata:
  name: model-predictor
spec:
  scaleTargetRef: {name: model-predictor}
  minReplicaCount: 1
  maxReplicaCount: 5
  triggers:
    - type: cron
      metadata: {timezone: Etc/UTC, start: 0 6 * * *, end: 0 20 * * *, desiredReplicas: "3"}
`

const overlay = `
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
namePrefix: prod-
resources: [../base]
`

var autoscalerCases = []autoscalerCase{
	{
		problem: "HPA named like KServe's, class external", id: "same-name", scaled: true,
		app:        app{"app.yaml": service(external, "") + hpa("model-predictor", "model-predictor", "[]")},
		deployment: "model-predictor", autoscaler: "model-predictor", end: deleted,
	},
	{
		problem: "HPA named like KServe's, class external: created before the service",
		id:      "hpa-first", scaled: true, first: true,
		app:        app{"app.yaml": service(external, "") + hpa("model-predictor", "model-predictor", "[]")},
		deployment: "model-predictor", autoscaler: "model-predictor", end: deleted,
	},
	{
		problem: "HPA named like KServe's, class external: with the finalizer kserve.io/protect",
		id:      "finalizer", scaled: true,
		app:        app{"app.yaml": service(external, "") + hpa("model-predictor", "model-predictor", "[kserve.io/protect]")},
		deployment: "model-predictor", autoscaler: "model-predictor", end: deleted,
	},
	{
		problem: "HPA named like KServe's, class external: in another file than the service", id: "other-file", scaled: true,
		app: app{
			"service.yaml":    service(external, ""),
			"autoscaler.yaml": hpa("model-predictor", "model-predictor", "[]"),
		},
		deployment: "model-predictor", autoscaler: "model-predictor", end: deleted,
	},
	{
		problem: "HPA named like KServe's, class external: for a transformer", id: "transformer", scaled: true,
		app:        app{"app.yaml": service(external, transformer) + hpa("model-transformer", "model-transformer", "[]")},
		deployment: "model-transformer", autoscaler: "model-transformer", end: deleted,
	},
	{
		problem: "HPA named like KServe's, class external: after KServe's own", id: "switch", scaled: true, first: true,
		live:       service("{}", ""),
		app:        app{"app.yaml": service(external, "") + hpa("model-predictor", "model-predictor", "[]")},
		deployment: "model-predictor", autoscaler: "model-predictor", end: deleted,
	},
	{
		problem: "HPA named like KServe's, class external: in an overlay with namePrefix", id: "overlay", scaled: true,
		app: app{
			"base/kustomization.yaml": "resources: [app.yaml]\n",
			"base/app.yaml":           service(external, "") + hpa("model-predictor", "model-predictor", "[]"),
			"prod/kustomization.yaml": overlay,
		},
		source: "prod", deployment: "prod-model-predictor", autoscaler: "prod-model-predictor", end: deleted,
	},
	{
		problem: "HPA named like KServe's, no class", id: "no-class", scaled: true,
		app:        app{"app.yaml": service("{}", "") + hpa("model-predictor", "model-predictor", "[]")},
		deployment: "model-predictor", autoscaler: "model-predictor", end: overwritten,
	},
	{
		problem: "HPA of another name, no class", id: "other-name", scaled: true,
		app:        app{"app.yaml": service("{}", "") + hpa("mine", "model-predictor", "[]")},
		deployment: "model-predictor", autoscaler: "mine", end: second,
	},
	{
		problem: "KEDA ScaledObject, no class", id: "scaledobject",
		app:        app{"app.yaml": service("{}", "") + scaledObject},
		deployment: "model-predictor", autoscaler: "model-predictor", end: second,
	},
}
