package main

import "strings"

const service = `apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata:
  name: model-%[1]d # the team's name for it
  namespace: team-%[2]d
  labels:
    team: team-%[2]d
spec:
  predictor:
    minReplicas: 1
    logger:
      mode: all
      url: http://logger.team-%[2]d
    containers:
      - name: kserve-container
        image: example.com/models/server:1.%[1]d
        ports:
          - containerPort: 8080
            protocol: TCP
        readinessProbe:
          exec:
            command: ["curl", "-f", "http://localhost:8080/v2/health/ready"]
          periodSeconds: 10
        resources:
          requests:
            cpu: "1"
            memory: 2Gi
`

const foreignDocument = `apiVersion: v1
kind: ConfigMap
metadata:
  name: settings-%[1]d
  namespace: team
data:
  config.yaml: |
    # what the program reads
    replicas: 3
    hosts: [a.example.com, b.example.com]
`

// smallDocument has about 265 bytes.
const smallDocument = `apiVersion: v1
kind: ConfigMap
metadata:
  name: settings-%[1]d
  namespace: team-%[2]d
  labels:
    app.kubernetes.io/part-of: shop
    app.kubernetes.io/component: settings-of-the-shop
data:
  host: db-%[1]d.example.com
  greeting: welcome to the shop of example.com
`

const jsonService = `{"apiVersion": "serving.kserve.io/v1beta1", "kind": "InferenceService", ` +
	`"metadata": {"name": "model-%[1]d", "namespace": "team"}, "spec": {"predictor": {"logger": {"mode": "all"}, ` +
	`"containers": [{"name": "kserve-container", "image": "example.com/models/server:1", ` +
	`"readinessProbe": {"exec": {"command": ["curl", "-f", "http://localhost:8080/v2/health/ready"]}}}]}}}`

// mixed is a service in one namespace with three autoscalers: on another Deployment, on the Deployment's name before
// KServe 0.11, and one with the name of KServe's own that Flagger refers to.
const mixed = `apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: prod-model-%[1]d, namespace: team}
spec:
  predictor:
    model: {modelFormat: {name: sklearn}, storageUri: "s3://models/%[1]d"}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: prod-web-%[1]d, namespace: team}
spec:
  maxReplicas: 3
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web-%[1]d}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: prod-model-%[1]d, namespace: team}
spec:
  maxReplicas: 3
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: prod-model-%[1]d-predictor-default}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: prod-model-%[1]d-predictor, namespace: team}
spec:
  maxReplicas: 3
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: api-%[1]d}
---
apiVersion: flagger.app/v1beta1
kind: Canary
metadata: {name: model-%[1]d, namespace: team}
spec:
  autoscalerRef: {apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, name: prod-model-%[1]d-predictor}
`

// stale is a service and an autoscaler on the name that its Deployment had before KServe 0.11.
const stale = `apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: model-%[1]d, namespace: team}
spec:
  predictor:
    model: {modelFormat: {name: sklearn}, storageUri: "s3://models/%[1]d"}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: traffic-%[1]d, namespace: team}
spec:
  maxReplicas: 3
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: model-%[1]d-predictor-default}
`

// withRuntime is a runtime of a format that all runtimes have, and a service that names it.
const withRuntime = `apiVersion: serving.kserve.io/v1alpha1
kind: ServingRuntime
metadata: {name: runtime-%[1]d, namespace: team}
spec:
  supportedModelFormats: [{name: custom, autoSelect: true}]
  containers:
    - name: kserve-container
      image: example.com/models/server:1
      readinessProbe: {exec: {command: [curl, -f, "http://localhost:8080/v2/health/ready"]}}
---
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: model-%[1]d, namespace: team}
spec:
  predictor:
    logger: {mode: all}
    model: {modelFormat: {name: custom}, runtime: runtime-%[1]d, storageUri: "s3://models/%[1]d"}
`

// withoutRuntime is a service of that format that leaves the choice to KServe.
const withoutRuntime = `apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: choosing-%[1]d, namespace: team}
spec:
  predictor:
    logger: {mode: all}
    model: {modelFormat: {name: custom}, storageUri: "s3://models/%[1]d"}
`

// live is a service as KServe writes it, and its Deployment as Kubernetes writes it.
const live = service + `status:
  conditions:
    - {lastTransitionTime: "2026-11-20T22:01:13Z", status: "True", type: IngressReady}
    - {lastTransitionTime: "2026-11-20T22:01:13Z", status: "True", type: PredictorReady}
    - {lastTransitionTime: "2026-11-20T22:01:13Z", status: "True", type: Ready}
    - {lastTransitionTime: "2026-11-20T22:01:12Z", severity: Info, status: "False", type: Stopped}
  deploymentMode: Standard
  modelStatus:
    copies: {failedCopies: 0, totalCopies: 1}
    states: {activeModelState: Loaded, targetModelState: Loaded}
    transitionStatus: UpToDate
  url: http://model-%[1]d.example.com
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: model-%[1]d-predictor
  namespace: team-%[2]d
  generation: 1
  labels:
    serving.kserve.io/inferenceservice: model-%[1]d
spec:
  replicas: 1
status:
  observedGeneration: 1
  replicas: 1
  updatedReplicas: 1
  availableReplicas: 1
  readyReplicas: 1
  conditions:
    - {status: "True", type: Available, reason: MinimumReplicasAvailable}
    - {status: "True", type: Progressing, reason: NewReplicaSetAvailable}
`

// made is a live service and what KServe and Kubernetes make of it.
var made = strings.Replace(live[:strings.Index(live, "---")], "metadata:\n",
	"metadata:\n  uid: InferenceService-%[1]d\n  resourceVersion: \"%[1]d\"\n", 1) +
	owned("apps/v1", "Deployment", "-predictor", kserve, "InferenceService", "") + `spec:
  replicas: 1
  template:
    spec:
` + indented(containers, "    ") + `status:
  availableReplicas: 1
  observedGeneration: 1
  readyReplicas: 1
  replicas: 1
  updatedReplicas: 1
` + owned("autoscaling/v2", "HorizontalPodAutoscaler", "-predictor", kserve, "InferenceService", "") + `spec:
  maxReplicas: 1
  minReplicas: 1
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: model-%[1]d-predictor
status:
  conditions:
  - status: "True"
    type: ScalingActive
` + owned("apps/v1", "ReplicaSet", "-predictor-6d9f", "apps/v1", "Deployment", "-predictor") + `spec:
  replicas: 1
  template:
    spec:
` + indented(containers, "    ") + `status:
  readyReplicas: 1
  replicas: 1
` + owned("v1", "Pod", "-predictor-6d9f-x2x4z", "apps/v1", "ReplicaSet", "-predictor-6d9f") + `spec:
` + containers + `status:
  conditions:
  - status: "True"
    type: PodScheduled
  - status: "True"
    type: Ready
  containerStatuses:
  - name: kserve-container
    ready: true
    restartCount: 0
    state:
      running:
        startedAt: "2026-11-20T22:01:13Z"
  phase: Running
---
apiVersion: v1
kind: Event
metadata:
  name: model-%[1]d
  namespace: team-%[2]d
involvedObject:
  apiVersion: v1
  kind: Pod
  name: model-%[1]d-predictor-6d9f-x2x4z
  namespace: team-%[2]d
lastTimestamp: "2026-11-20T22:01:12Z"
message: the readiness probe failed
reason: Unhealthy
type: Warning
`

const kserve = "serving.kserve.io/v1beta1"

// owned begins an object that a controller has made for another one. Names are what follows that of the service.
func owned(version, kind, name, ownerVersion, ownerKind, owner string) string {
	return strings.NewReplacer("VERSION", version, "KIND", kind, "NAME", name,
		"OWNERVERSION", ownerVersion, "OWNERKIND", ownerKind, "OWNER", owner).Replace(`---
apiVersion: VERSION
kind: KIND
metadata:
  creationTimestamp: "2026-11-20T22:01:12Z"
  generation: 1
  labels:
    app: isvc.model-%[1]d-predictor
    component: predictor
    serving.kserve.io/inferenceservice: model-%[1]d
  name: model-%[1]dNAME
  namespace: team-%[2]d
  ownerReferences:
  - apiVersion: OWNERVERSION
    blockOwnerDeletion: true
    controller: true
    kind: OWNERKIND
    name: model-%[1]dOWNER
    uid: OWNERKIND-%[1]d
  resourceVersion: "%[1]d"
  uid: KIND-%[1]d
`)
}

// containers are those of a pod as Kubernetes writes it.
const containers = `  containers:
  - image: example.com/models/server:1.%[1]d
    name: kserve-container
    ports:
    - containerPort: 8080
      protocol: TCP
    resources:
      requests:
        cpu: "1"
        memory: 2Gi
`

// indented puts blanks before each line.
func indented(lines, blanks string) string {
	return blanks + strings.TrimSuffix(strings.ReplaceAll(lines, "\n", "\n"+blanks), blanks)
}

// change is an event of a watch. Its arguments are the type, and the status of the predictor and of the whole service.
const change = `{"type": "%[1]s", "object": {"apiVersion": "serving.kserve.io/v1beta1", "kind": "InferenceService", ` +
	`"metadata": {"name": "model-%%[1]d", "namespace": "team-%%[2]d", "generation": 1, "resourceVersion": "%%[1]d"}, ` +
	`"spec": {"predictor": {"model": {"modelFormat": {"name": "sklearn"}, "storageUri": "s3://models/%%[1]d"}}}, ` +
	`"status": {"conditions": [{"status": "True", "type": "IngressReady"}, ` +
	`{"status": "%[2]s", "type": "PredictorReady"}, {"status": "%[2]s", "type": "Ready"}], ` +
	`"deploymentMode": "Standard", "url": "http://model-%%[1]d.example.com"}}}` + "\n"

// repairs is a yq expression for what the plugin does to the services.
const repairs = `with(select(.kind == "InferenceService");
  .metadata.annotations."argocd-kserve-plugin/health-conditions" = "IngressReady,PredictorReady,Ready" |
  .spec.predictor.containers[0].readinessProbe.httpGet = {"path": "/v2/health/ready", "port": 8080} |
  del(.spec.predictor.containers[0].readinessProbe.exec))`

// chartServices and chartHelpers are the templates of a chart with a service for each of its values.
const (
	chartHelpers = `{{- define "models.labels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}
`
	chartServices = `{{- range $name, $model := .Values.services }}
---
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata:
  name: {{ $.Release.Name }}-{{ $name | trunc 50 }}
  namespace: {{ $model.team }}
  labels:
    {{- include "models.labels" $ | nindent 4 }}
spec:
  predictor:
    minReplicas: {{ $model.replicas | default 1 }}
    logger:
      mode: all
      url: http://logger.{{ $model.team }}
    containers:
      - name: kserve-container
        image: {{ $model.image | default "example.com/models/server:1" | quote }}
        ports:
          - containerPort: 8080
            protocol: TCP
        env:
          {{- range $key, $value := $model.env }}
          - name: {{ $key }}
            value: {{ $value | quote }}
          {{- end }}
        readinessProbe:
          exec:
            command: ["curl", "-f", "http://localhost:8080/v2/health/ready"]
          periodSeconds: 10
        resources:
          {{- toYaml (dict "requests" (dict "cpu" "1" "memory" "2Gi")) | nindent 10 }}
{{- end }}
`
)
