package plan_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/plan"
)

// objects decodes a List without its head.
func objects(t *testing.T, items string) []plan.Object {
	t.Helper()
	var all []plan.Object
	if err := yaml.Unmarshal([]byte(items), &all); err != nil {
		t.Fatal(err)
	}
	return all
}

func printed(t *testing.T, p *plan.Plan) string {
	t.Helper()
	var b strings.Builder
	if err := plan.Text(&b, p); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

const service = "- {apiVersion: serving.kserve.io/v1beta1, kind: InferenceService, metadata: {name: iris, namespace: a, uid: s"

// TestNew has what becomes of one service: each answer, and the lines that tell of it.
func TestNew(t *testing.T) {
	iris := plan.Reference{APIVersion: "serving.kserve.io/v1beta1", Kind: "InferenceService", Namespace: "a", Name: "iris"}
	worker := plan.Reference{APIVersion: "apps/v1", Kind: "Deployment", Namespace: "a", Name: "iris-worker"}
	event := iris
	event.APIVersion = ""
	config := plan.Reference{Kind: "LLMInferenceServiceConfig", Namespace: "a", Name: "gpu"}
	const deployment = "- {apiVersion: apps/v1, kind: Deployment, metadata: {name: iris, namespace: a, uid: d, " +
		"ownerReferences: [{uid: s}]}}\n"
	const revision = "- {apiVersion: serving.knative.dev/v1, kind: Service, metadata: {name: iris, namespace: a, uid: k, " +
		"ownerReferences: [{uid: s}]}, spec: {template: {metadata: {annotations: {autoscaling.knative.dev/max-scale: \"3\"}}, spec: " +
		"{containers: [{name: main, image: \"IMAGE\", resources: {limits: {nvidia.com/gpu: 2k}}}]}}, traffic: [{latestRevision: true, " +
		"percent: 10}, {revisionName: iris-1, percent: 90}]}}\n"
	for name, tc := range map[string]struct {
		objects, previous string
		manifest          string // an InferenceService, if it is empty
		state             plan.State
		want              []string
		not               string
		failed            int
	}{
		"stopped": {
			objects: service + ", annotations: {serving.kserve.io/stop: \"True\"}}}", not: "without a workload",
		},
		"no longer ready, because it is stopped": {
			objects: service + ", annotations: {serving.kserve.io/stop: \"true\"}}, status: {conditions: [{type: Ready, status: " +
				"\"False\", reason: Stopped}]}}",
			state: plan.State{Events: []plan.Event{{Object: event, Reason: "InferenceServiceNotReady", Message: "no longer Ready"},
				{Object: event, Reason: "Other", Message: "look"}}},
			want: []string{"! event Other: look\n"}, not: "no longer Ready",
		},
		"KServe deletes it": {
			state: plan.State{Gone: []plan.Gone{{Object: iris}}}, failed: 1,
			want: []string{"iris.yaml:1: InferenceService a/iris is deleted again\n  KServe's own controller deletes it\n",
				", 1 deleted again\n"},
		},
		"KServe deletes what is no service": {
			objects: service + "}}\n" + deployment, failed: 1,
			state: plan.State{Gone: []plan.Gone{{Object: plan.Reference{APIVersion: "autoscaling/v2", Kind: "HorizontalPodAutoscaler",
				Namespace: "a", Name: "iris"}}}},
			want: []string{"\nHorizontalPodAutoscaler a/iris is deleted again\n  KServe's own controller deletes it\n"},
		},
		"the garbage collector deletes it": {
			state: plan.State{Gone: []plan.Gone{{Object: iris, Collected: true}}}, failed: 1,
			want: []string{"a/iris is deleted again\n  the objects that own it are not there: take out metadata.ownerReferences\n"},
		},
		"a Deployment without pods": {
			previous: service + "}}\n" + strings.Replace(deployment, "uid: s}]}", "uid: s}]}, spec: {replicas: 0, template: {a: b}}", 1),
			objects:  service + "}}\n" + strings.Replace(deployment, "uid: s}]}", "uid: s}]}, spec: {replicas: 0, template: {a: c}}", 1),
			want:     []string{"Deployment iris changed"}, not: "restart",
		},
		"two services of one Deployment": {
			objects: service + "}}\n" + deployment, failed: 1,
			state: plan.State{Fights: []plan.Fight{{Object: worker, By: iris, Path: "spec.x"}, {Object: worker, By: config, Path: "spec.x"}}},
			want: []string{"! never settles: KServe writes spec.x of Deployment a/iris-worker in turn for InferenceService a/iris and " +
				"LLMInferenceServiceConfig a/gpu\n"},
		},
		"a deletion that is refused": {
			objects: service + "}}\n" + deployment, failed: 1,
			state: plan.State{Refused: []plan.Refusal{{Object: iris, Deleted: true, Message: "in use"}}},
			want:  []string{"iris.yaml:1: InferenceService a/iris is refused\n  the deletion is refused: in use\n"},
		},
		"a finalizer": {
			objects: service + ", deletionTimestamp: now, finalizers: [example.com/hold]}}", failed: 1,
			want: []string{"InferenceService a/iris is not deleted\n  the deletion waits for the finalizer example.com/hold\n",
				", 1 not deleted\n"},
			not: "without a workload",
		},
		"made and deleted": {
			objects: service + "}}\n" + deployment, failed: 1,
			state: plan.State{Fights: []plan.Fight{{Object: worker, By: iris, Deleted: true}}},
			want: []string{"! never settles: KServe makes and deletes Deployment a/iris-worker in turn\n",
				"! it ends without a workload\n"},
		},
		"a Service made and deleted": {
			objects: service + "}}\n" + deployment, failed: 1,
			state: plan.State{Fights: []plan.Fight{{Object: plan.Reference{APIVersion: "v1", Kind: "Service", Namespace: "a",
				Name: "iris-head-1"}, By: iris, Deleted: true}}},
			want: []string{"! never settles: KServe makes and deletes Service a/iris-head-1 in turn\n", "1 on which KServe fails\n"},
			not:  "without a workload",
		},
		"a pod is refused": {
			objects: service + "}}\n" + deployment, failed: 1,
			state: plan.State{Errors: []plan.Event{{Message: "no Secret", Object: plan.Reference{
				APIVersion: "apps/v1", Kind: "Deployment", Namespace: "a", Name: "iris"}}}},
			want: []string{"! controller: no Secret\n  ! it ends without a workload\n"},
		},
		"a new pod is refused": {
			objects: service + "}}\n" + deployment +
				"- {apiVersion: v1, kind: Pod, metadata: {name: p, namespace: a, uid: p, ownerReferences: [{uid: d}]}}\n",
			failed: 1,
			state: plan.State{Errors: []plan.Event{{Message: "no Secret", Object: plan.Reference{
				APIVersion: "apps/v1", Kind: "Deployment", Namespace: "a", Name: "iris"}}}},
			want: []string{"! controller: no Secret\n", "1 on which KServe fails\n"}, not: "without a workload",
		},
		"what it listens on, and under which names": {
			objects: service + "}}\n" + deployment +
				"- {apiVersion: v1, kind: Service, metadata: {name: s, namespace: a, ownerReferences: [{uid: s}]}, " +
				"spec: {ports: [{port: 80, targetPort: 8080}, {port: 9000}]}}\n" +
				"- {apiVersion: v1, kind: Service, metadata: {name: t, namespace: a, ownerReferences: [{uid: s}]}}\n" +
				"- {apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: i, namespace: a, ownerReferences: [{uid: s}]}, " +
				"spec: {rules: [{host: one}, {}, {host: two}, {host: one}]}}\n",
			want: []string{"  Ingress i: hosts one, two\n  Service s: port 80 to 8080, 9000\n  Service t\n"},
		},
		"a model that failed": {
			objects: service + "}, status: {modelStatus: {lastFailureInfo: {message: no model}}}}\n", failed: 1,
			want: []string{"! modelStatus: no model\n  ! it ends without a workload\n"},
		},
		"an error with its event": {
			objects: service + "}}\n" + deployment, failed: 1,
			state: plan.State{Errors: []plan.Event{{Object: iris, Message: "fails to reconcile: no runtime"}},
				Events: []plan.Event{{Object: event, Reason: "InternalError", Message: "no runtime"},
					{Object: event, Reason: "Error", Message: "Failed: fails to reconcile: no runtime"}}},
			want: []string{"! controller: fails to reconcile: no runtime\n", "1 object made, 1 on which KServe fails\n"}, not: "event",
		},
		"an error and a fight about what belongs to no service": {
			objects: service + "}}\n" + deployment, failed: 2,
			state: plan.State{Errors: []plan.Event{{Message: "no Secret", Object: worker}},
				Fights: []plan.Fight{{Object: worker, By: iris, Path: "spec.x"}, {Object: worker, By: config, Path: "spec.x"}}},
			want: []string{"Deployment a/iris-worker does not work\n  its controller fails: no Secret\n", "! never settles: "},
		},
		"a circle of owners": {
			objects: service + ", ownerReferences: [{uid: d}]}}\n" + deployment, failed: 1,
			previous: service + ", ownerReferences: [{uid: d}]}}\n" + deployment,
			state:    plan.State{Errors: []plan.Event{{Message: "no runtime", Object: iris}}},
			want:     []string{"InferenceService a/iris unchanged\n  Deployment iris unchanged: 1 replica\n  ! controller: no runtime\n\n"},
		},
		"an owner that changes sides": {
			previous: service + ", ownerReferences: [{uid: d}]}}\n" + strings.Replace(deployment, "uid: s}", "uid: t}", 1),
			objects:  service + ", labels: {a: b}}}\n" + deployment,
			want:     []string{"  Deployment iris unchanged: 1 replica\n\n1 service, 1 changed\n"},
		},
		"an error of what belongs to no service": {
			objects: service + "}}\n" + deployment, failed: 1,
			state: plan.State{Errors: []plan.Event{{Message: "no Secret", Object: plan.Reference{
				APIVersion: "apps/v1", Kind: "Deployment", Namespace: "a", Name: "other"}}}},
			want: []string{"Deployment a/other does not work\n  its controller fails: no Secret\n"}, not: "!",
		},
		"a fight about what belongs to no service": {
			objects: service + "}}\n" + deployment, failed: 1,
			state: plan.State{Fights: []plan.Fight{{Object: worker, By: worker, Path: "spec.x"}}},
			want: []string{"Deployment a/iris-worker does not work\n  never settles: KServe writes spec.x of Deployment " +
				"a/iris-worker again and again\n"},
		},
		"an event of what belongs to no service": {
			objects: service + "}}\n" + deployment + "- {apiVersion: serving.kserve.io/v1alpha2, kind: LLMInferenceServiceConfig, " +
				"metadata: {name: gpu, namespace: a, uid: c}}\n",
			manifest: "- {apiVersion: serving.kserve.io/v1alpha2, kind: LLMInferenceServiceConfig, metadata: {name: gpu, namespace: a}}",
			state: plan.State{Events: []plan.Event{{Object: config, Reason: "DeletionBlocked", Message: "in use"},
				{Object: event, Reason: "Other", Message: "look"}}},
			want: []string{"  ! event Other: look\n", "\niris.yaml:1: LLMInferenceServiceConfig a/gpu\n  ! event DeletionBlocked: in use\n"},
		},
		"an error of what belongs to no service, with its event": {
			objects: service + "}}\n" + deployment, failed: 1,
			state: plan.State{Events: []plan.Event{{Object: config, Reason: "Error", Message: "Failed: no model"}},
				Errors: []plan.Event{{Object: config, Message: "no model"}}},
			want: []string{"LLMInferenceServiceConfig a/gpu does not work\n  its controller fails: no model\n"}, not: "!",
		},
		"its Deployment is deleted": {
			previous: service + "}}\n" + deployment, objects: service + "}}", failed: 1,
			want: []string{"! it ends without a workload\n", "Deployment iris deleted"},
		},
		"of ModelMesh": {
			objects: service + ", annotations: {serving.kserve.io/deploymentMode: ModelMesh}}}", not: "without a workload",
		},
		"two autoscalers": {
			objects: service + "}}\n" + strings.Replace(deployment, "uid: s}]}}", "uid: s}]}, spec: {template: {spec: {containers: "+
				"[{name: main, image: x, resources: {limits: {nvidia.com/gpu: 2}}}]}}}}", 1) +
				"- {apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: a, namespace: a}, " +
				"spec: {maxReplicas: 9, scaleTargetRef: {kind: Deployment, name: iris}}}\n" +
				"- {apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: b, namespace: a}, " +
				"spec: {maxReplicas: 4, scaleTargetRef: {kind: Deployment, name: iris}}}\n",
			want: []string{"2 GPUs a pod, 18 at 9 replicas"},
		},
		"the address of a Service of Knative's": {
			previous: service + "}}\n" + strings.Replace(revision, "spec: {", "spec: {clusterIP: a, ", 1),
			objects:  service + "}}\n" + strings.Replace(revision, "spec: {", "spec: {clusterIP: b, ", 1),
			want:     []string{"Service.serving.knative.dev iris changed"},
		},
		"annotations of a template": {
			previous: service + "}}\n" + strings.Replace(deployment, "uid: s}]}", "uid: s}]}, spec: {template: {a: {x.io/y: b, z: c}}}", 1),
			objects:  service + "}}\n" + strings.Replace(deployment, "uid: s}]}", "uid: s}]}, spec: {template: {a: {x.io/y: c, w: c}}}", 1),
			want:     []string{"pods restart: spec.template.a.w, spec.template.a[\"x.io/y\"], spec.template.a.z\n"},
		},
		"replaced": {
			previous: service + "}}\n" + deployment, objects: service + "}}\n" + strings.Replace(deployment, "uid: d", "uid: e", 1),
			want: []string{"  Deployment iris replaced: 1 replica\n"},
		},
		"the pod of a revision is refused": {
			objects: service + "}}\n" + strings.Replace(revision, "IMAGE", "x:1", 1), failed: 1,
			state: plan.State{Errors: []plan.Event{{Message: "no Secret", Object: plan.Reference{
				APIVersion: "serving.knative.dev/v1", Kind: "Service", Namespace: "a", Name: "iris"}}}},
			want: []string{"! controller: no Secret\n  ! it ends without a workload\n"},
		},
		"older pods of Knative serve too": {
			previous: service + "}}\n" + strings.Replace(revision, "IMAGE", "x:1", 1),
			objects:  service + "}}\n" + strings.Replace(revision, "IMAGE", "x:2", 1),
			want: []string{"Service.serving.knative.dev iris changed: 0 to 3 replicas; main x:2; 2000 GPUs a pod, 6000 at 3 replicas, " +
				"8000 during a rollout; 10% of requests to the newest revision; 90% of requests to iris-1\n"},
			not: "restart",
		},
		"one kind of two groups": {
			objects: service + "}}\n" + deployment +
				"- {apiVersion: x.io/v1, kind: Pool, metadata: {name: pool, namespace: a, uid: p, ownerReferences: [{uid: s}]}}\n" +
				"- {apiVersion: y.io/v1, kind: Pool, metadata: {name: pool, namespace: a, uid: q, ownerReferences: [{uid: s}]}}\n",
			previous: service + "}}\n" + deployment +
				"- {apiVersion: x.io/v1, kind: Pool, metadata: {name: pool, namespace: a, uid: p, ownerReferences: [{uid: s}]}}\n",
			want: []string{"  Pool.x.io pool unchanged\n  Pool.y.io pool made\n"},
		},
		"what no namespace has": {
			objects: "- {apiVersion: serving.kserve.io/v1alpha1, kind: LocalModelCache, metadata: {name: iris}}\n" +
				"- {apiVersion: serving.kserve.io/v1alpha1, kind: LocalModelNamespaceCache, metadata: {name: iris, namespace: b}}\n" +
				"- {apiVersion: serving.kserve.io/v1alpha1, kind: LocalModelNode, metadata: {name: one}, " +
				"spec: {localModels: [{modelName: iris}, {modelName: iris, namespace: b}]}}\n",
			manifest: "- {apiVersion: serving.kserve.io/v1alpha1, kind: LocalModelCache, metadata: {name: iris}}",
			state: plan.State{Unowned: []plan.Unowned{{
				By:     plan.Reference{APIVersion: "serving.kserve.io/v1alpha1", Kind: "LocalModelCache", Name: "iris"},
				Object: plan.Reference{APIVersion: "serving.kserve.io/v1alpha1", Kind: "LocalModelNode", Name: "one"},
			}}},
			want: []string{"iris.yaml:1: LocalModelCache iris\n  LocalModelNode one\n\n",
				"\nLocalModelNamespaceCache b/iris\n  LocalModelNode one\n"},
		},
		"without an owner": {
			objects: service + "}}\n" + deployment + "- {apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, " +
				"metadata: {name: iris-auth, uid: r}}\n",
			state: plan.State{Unowned: []plan.Unowned{{By: iris, Object: plan.Reference{
				APIVersion: "rbac.authorization.k8s.io/v1", Kind: "ClusterRoleBinding", Name: "iris-auth"}}}},
			want: []string{"  ClusterRoleBinding iris-auth\n", "2 objects made\n"},
		},
		"the most of KEDA": {
			objects: service + "}}\n" + strings.Replace(deployment, "uid: s}]}}", "uid: s}]}, spec: {template: {spec: {containers: "+
				"[{name: main, image: x, resources: {limits: {nvidia.com/gpu: 2}}}]}}}}", 1) +
				"- {apiVersion: keda.sh/v1alpha1, kind: ScaledObject, metadata: {name: mine, namespace: a}, " +
				"spec: {scaleTargetRef: {name: iris}}}\n",
			want: []string{"2 GPUs a pod, 200 at 100 replicas"},
		},
		"not ready on the way": {
			objects: service + "}, status: {conditions: [{type: Ready, status: \"True\"}]}}\n" + deployment,
			state: plan.State{Events: []plan.Event{{Object: event, Reason: "InferenceServiceNotReady", Message: "no longer Ready"},
				{Object: event, Reason: "Other", Message: "look"}}},
			want: []string{"! event Other: look\n"}, not: "no longer Ready",
		},
		"a preset is missing, and all stays as it was": {
			previous: service + "}}\n" + deployment, failed: 1,
			objects: service + ", labels: {a: b}}, status: {conditions: [{type: PresetsCombined, status: \"False\", " +
				"reason: ConfigNotFound, message: no gpu}]}}\n" + deployment,
			state: plan.State{Events: []plan.Event{{Object: event, Reason: "Other", Message: "look"}}},
			want:  []string{"! event Other: look\n  ! condition PresetsCombined: no gpu\n", "1 changed, 1 on which KServe fails\n"},
			not:   "without a workload",
		},
		"stopped, and a preset is missing": {
			objects: service + ", annotations: {serving.kserve.io/stop: \"true\"}}, status: {conditions: [{type: PresetsCombined, " +
				"status: \"False\", reason: Stopped, message: no gpu}]}}\n",
			not: "!",
		},
		"not ready in the end": {
			objects: service + "}, status: {conditions: [{type: IngressReady, status: \"True\"}, {type: Ready, status: \"False\"}]}}\n" +
				deployment,
			state: plan.State{Events: []plan.Event{{Object: event, Reason: "InferenceServiceNotReady", Message: "not Ready"}}},
			want:  []string{"! event InferenceServiceNotReady: not Ready\n"},
		},
		"what is deleted has its pod": {
			previous: service + "}}\n" + deployment +
				"- {apiVersion: v1, kind: Pod, metadata: {name: p, namespace: a, uid: p, ownerReferences: [{uid: d}]}, " +
				"spec: {containers: [{name: main, image: \"x:1\"}]}}\n",
			objects: "- {apiVersion: v1, kind: ConfigMap, metadata: {name: c}}",
			want:    []string{"Deployment iris deleted: 1 replica; main x:1\n"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			answer := &plan.Answer{Release: "0.20.0", State: tc.state}
			answer.State.Objects = objects(t, tc.objects)
			if tc.previous != "" {
				answer.Previous = &plan.State{Objects: objects(t, tc.previous)}
			}
			manifest := objects(t, cmp.Or(tc.manifest, service+"}}"))[0]
			manifests := []plan.Manifest{{Object: manifest, Place: "iris.yaml:1"}}
			p := plan.New(answer, nil, manifests, "default")
			text := printed(t, p)
			missing := slices.DeleteFunc(slices.Clone(tc.want), func(want string) bool { return strings.Contains(text, want) })
			if len(missing) > 0 || tc.not != "" && strings.Contains(text, tc.not) || p.Failed() != tc.failed {
				t.Errorf("%d failed, without %q:\n%s", p.Failed(), missing, text)
			}
		})
	}
}

// TestLater has what KServe's next look makes of two services: only what it changes is told.
func TestLater(t *testing.T) {
	iris := plan.Reference{APIVersion: "serving.kserve.io/v1beta1", Kind: "InferenceService", Namespace: "a", Name: "iris"}
	rose := strings.NewReplacer("iris", "rose", "uid: s", "uid: r").Replace(service) + "}}\n"
	workload := func(image string) string {
		if image == "" {
			return ""
		}
		return "- {apiVersion: apps/v1, kind: Deployment, metadata: {name: iris, namespace: a, uid: d, ownerReferences: [{uid: s}]}, " +
			"spec: {template: {spec: {containers: [{name: main, image: " + image + "}]}}}}\n"
	}
	stuck := plan.Event{Object: iris, Message: "no storage"}
	stuck.Object.Name = "rose"
	for name, tc := range map[string]struct {
		image  string
		errors []plan.Event
		want   string
		failed int
	}{
		"nothing": {image: "one", want: "2 services, nothing changes, 1 without a workload\n", failed: 1},
		"another runtime": {
			image: "two", failed: 1,
			want: `
At KServe's next look, in some ten hours or when its controllers restart:

iris.yaml:1: InferenceService a/iris unchanged
  Deployment iris changed: 1 replica; main two
    pods restart: spec.template.spec.containers[main].image
    | @@ -7,5 +7,5 @@
    |    template:
    |      spec:
    |        containers:
    | -      - image: one
    | +      - image: two
    |          name: main

2 services, nothing changes at once, 1 without a workload, 1 changed at KServe's next look
`,
		},
		"no workload": {
			failed: 2,
			want: `
  Deployment iris deleted: 1 replica; main one
  ! it ends without a workload

2 services, nothing changes at once, 1 without a workload, 1 failing at KServe's next look
`,
		},
		"no runtime": {
			image: "one", errors: []plan.Event{{Object: iris, Message: "no runtime"}}, failed: 2,
			want: `
At KServe's next look, in some ten hours or when its controllers restart:

iris.yaml:1: InferenceService a/iris unchanged
  Deployment iris unchanged: 1 replica; main one
  ! controller: no runtime

2 services, nothing changes at once, 1 without a workload, 1 failing at KServe's next look
`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			state := plan.State{Objects: objects(t, service+"}}\n"+rose+workload("one")), Errors: []plan.Event{stuck},
				Events: []plan.Event{{Object: plan.Reference{Kind: "Other", Name: "x"}, Reason: "Other", Message: "look"}}}
			later := plan.State{Objects: objects(t, service+"}}\n"+rose+workload(tc.image)), Errors: append(tc.errors, stuck)}
			manifests := []plan.Manifest{{Object: state.Objects[0], Place: "iris.yaml:1"}}
			made := func() *plan.Plan {
				return plan.New(&plan.Answer{Release: "0.20.0", Previous: &state, State: state, Later: &later}, nil, manifests, "a")
			}
			p := made()
			p.Add(made())
			if text := printed(t, p); !strings.HasSuffix(text, tc.want) || p.Failed() != tc.failed {
				t.Errorf("%d failed:\n%s", p.Failed(), text)
			}
			var b strings.Builder
			if err := plan.Markdown(&b, p); err != nil {
				t.Fatal(err)
			}
			_, told, _ := strings.Cut(b.String(), "\n#### At KServe's next look, ")
			if strings.Contains(told, "a/iris") != (len(p.Later) > 0) || strings.Contains(told, "a/rose") ||
				!strings.Contains(b.String(), "> event Other: look\n") {
				t.Errorf("Markdown:\n%s", &b)
			}
		})
	}
}

// TestDeletedLater has an object that KServe deletes at its next look: it counts if it is there before.
func TestDeletedLater(t *testing.T) {
	for name, failed := range map[string]int{"iris": 1, "rose": 0} {
		gone := plan.Reference{APIVersion: "apps/v1", Kind: "Deployment", Namespace: "a", Name: name}
		state := plan.State{Objects: objects(t, "- {apiVersion: apps/v1, kind: Deployment, metadata: {name: iris, namespace: a}}")}
		p := plan.New(&plan.Answer{Release: "0.20.0", State: state, Later: &plan.State{Gone: []plan.Gone{{Object: gone}}}}, nil, nil, "a")
		if text := printed(t, p); p.Failed() != failed || strings.Contains(text, "Deployment a/iris is deleted again\n") != (failed > 0) {
			t.Errorf("%s: %d failed:\n%s", name, p.Failed(), text)
		}
	}
}

// TestAdd joins two runs: what both made stands once, and the services in order.
func TestAdd(t *testing.T) {
	made := func(names ...string) *plan.Plan {
		var all string
		for _, name := range names { // uids count what a run has made before
			all += strings.NewReplacer("iris", name, "uid: s", "uid: of-"+names[0]).Replace(service) + "}}\n"
		}
		other := plan.Reference{Kind: "Other", Name: "x"}
		return plan.New(&plan.Answer{Release: "0.20.0", State: plan.State{Objects: objects(t, all),
			Refused: []plan.Refusal{{Object: other}}, Events: []plan.Event{{Object: other}}}}, nil, nil, "default")
	}
	p := made("c", "a")
	p.Add(made("b", "a"))
	var names []string
	for _, s := range p.Services {
		names = append(names, s.Name)
	}
	if !slices.Equal(names, []string{"a", "b", "c"}) {
		t.Errorf("services %q", names)
	}
	var manifests strings.Builder
	if err := plan.YAML(&manifests, p); err != nil || strings.Count(manifests.String(), "kind: ") != 3 {
		t.Errorf("%v, as YAML:\n%s", err, &manifests)
	}
	if len(p.Refused) != 1 || len(p.Warnings) != 1 {
		t.Errorf("refused %v, warnings %v", p.Refused, p.Warnings)
	}
}
