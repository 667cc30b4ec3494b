package transform_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// A rule with a repair of two edits.
func Example() {
	const key = "kubernetes.io/ingress.class"
	annotation, field := yamldoc.Path{"metadata", "annotations", key}, yamldoc.Path{"spec", "ingressClassName"}
	ingressClass := &transform.Rule{
		ID:       "EX101",
		Name:     "ingress-class",
		Title:    "An Ingress names its class in an annotation",
		Doc:      "Since Kubernetes 1.18 the field `spec.ingressClassName` names the class of an Ingress.",
		Kinds:    []transform.GroupKind{{Group: "networking.k8s.io", Kind: "Ingress"}},
		Example:  "annotation",
		Severity: transform.Advice,
		Run: func(p *transform.Pass) {
			class := p.Object.Annotation(key)
			if class == "" || p.Object.Get(field...) != nil {
				return
			}
			p.Report(transform.Report{
				At:      annotation,
				Message: "name the class in spec.ingressClassName",
				Edits:   p.Object.Edits(yamldoc.Set(field, class), yamldoc.Delete(annotation)),
			})
		},
	}

	input := `# the shop
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: shop
  annotations:
    kubernetes.io/ingress.class: nginx
    example.com/team: 'retail' # on call
spec:
  defaultBackend: {service: {name: shop, port: {number: 80}}}
`
	files := []transform.File{{Path: "shop.yaml", Data: []byte(input)}}
	result, err := transform.Run(context.Background(), files, transform.Config{Rules: []*transform.Rule{ingressClass}})
	if err != nil {
		log.Fatal(err)
	}
	for _, finding := range transform.Sorted(result.Findings()) {
		fmt.Println(finding)
	}
	pieces, err := result.Stream()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s", bytes.Join(pieces, nil))
	// Output:
	// shop.yaml:7:5: Ingress shop: EX101: name the class in spec.ingressClassName
	// # the shop
	// apiVersion: networking.k8s.io/v1
	// kind: Ingress
	// metadata:
	//   name: shop
	//   annotations:
	//     example.com/team: 'retail' # on call
	// spec:
	//   defaultBackend: {service: {name: shop, port: {number: 80}}}
	//   ingressClassName: nginx
}

// A rule about some releases. It runs if the cluster may run one of them, and repairs if the repair is right on all
// releases that the cluster may run.
func Example_releases() {
	stable := transform.Window{From: transform.Release{1, 21, 0}} // has batch/v1
	cronJobVersion := &transform.Rule{
		ID:       "EX102",
		Name:     "cron-job-version",
		Title:    "A CronJob has the API version batch/v1beta1",
		Doc:      "Kubernetes 1.21 introduced CronJobs of batch/v1, and 1.25 no longer serves batch/v1beta1.",
		Windows:  []transform.Window{stable},
		Kinds:    []transform.GroupKind{{Group: "batch", Kind: "CronJob"}},
		Example:  "beta",
		Severity: transform.Warning,
		Run: func(p *transform.Pass) {
			if p.Object.APIVersion != "batch/v1beta1" {
				return
			}
			f := transform.Report{At: yamldoc.Path{"apiVersion"}, Message: "use batch/v1"}
			if stable.ContainsAll(p.Releases) {
				f.Edits = p.Object.Edits(yamldoc.Set(f.At, "batch/v1"))
			} else {
				f.Needs = "kubernetes-version"
			}
			p.Report(f)
		},
	}

	input := "apiVersion: batch/v1beta1\nkind: CronJob\nmetadata: {name: nightly}\n"
	files := []transform.File{{Path: "nightly.yaml", Data: []byte(input)}}
	for _, releases := range [][]transform.Release{{{1, 20, 4}}, {{1, 20, 4}, {1, 24, 0}}, {{1, 24, 0}}, nil} {
		result, err := transform.Run(context.Background(), files, transform.Config{
			Rules: []*transform.Rule{cronJobVersion}, Releases: releases,
		})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(releases, "repaired:", result.Repaired())
		for _, finding := range result.Findings() {
			fmt.Println("   ", finding)
		}
	}
	// Output:
	// [1.20.4] repaired: []
	// [1.20.4 1.24.0] repaired: []
	//     nightly.yaml:1:1: CronJob nightly: EX102: use batch/v1; not repaired: needs the setting kubernetes-version
	// [1.24.0] repaired: [CronJob nightly]
	//     nightly.yaml:1:1: CronJob nightly: EX102: use batch/v1
	// [] repaired: []
	//     nightly.yaml:1:1: CronJob nightly: EX102: use batch/v1; not repaired: needs the setting kubernetes-version
}

type target struct{ namespace, name string }

// scalers is the index of [Example_index]: the autoscaler of each Deployment.
type scalers struct {
	snapshot *transform.Snapshot
	of       map[target]*transform.Object
}

func (s scalers) Snapshot() *transform.Snapshot { return s.snapshot }

// A rule about two objects. Config.Index works out what the rule has to know about the whole input.
func Example_index() {
	deployments := transform.GroupKind{Group: "apps", Kind: "Deployment"}
	autoscalers := transform.GroupKind{Group: "autoscaling", Kind: "HorizontalPodAutoscaler"}
	// The autoscaler of each Deployment.
	index := func(snapshot *transform.Snapshot) transform.Index {
		found := map[target]*transform.Object{}
		for _, o := range snapshot.Objects(autoscalers) {
			if ref := o.Get("spec", "scaleTargetRef"); ref.Get("kind").Str() == "Deployment" {
				found[target{o.Namespace, ref.Get("name").Str()}] = o
			}
		}
		return scalers{snapshot, found}
	}
	scaledReplicas := &transform.Rule{
		ID:       "EX103",
		Name:     "scaled-replicas",
		Title:    "A Deployment with an autoscaler sets its replicas",
		Doc:      "Each time the Deployment is applied, it gets these replicas back, until the autoscaler acts again.",
		Kinds:    []transform.GroupKind{deployments},
		Mentions: []string{"scaleTargetRef"}, // so that the autoscalers are parsed
		Example:  "hpa",
		Severity: transform.Warning,
		Run: func(p *transform.Pass) {
			scaler := p.Index.(scalers).of[target{p.Object.Namespace, p.Object.Name}]
			at := yamldoc.Path{"spec", "replicas"}
			if scaler != nil && p.Object.Get(at...) != nil {
				p.Report(transform.Report{At: at, Message: "leave the replicas to the " + scaler.String()})
			}
		},
	}

	input := `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec: {replicas: 2}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: worker}
spec: {replicas: 2}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web-scaler}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
`
	files := []transform.File{{Path: "web.yaml", Data: []byte(input)}}
	result, err := transform.Run(context.Background(), files, transform.Config{
		Rules: []*transform.Rule{scaledReplicas}, Index: index, Namespace: "shop",
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, finding := range result.Findings() {
		fmt.Println(finding)
	}
	// Output:
	// web.yaml:4:8: Deployment shop/web: EX103: leave the replicas to the HorizontalPodAutoscaler shop/web-scaler
}

// The error tells where the input is wrong.
func ExampleInputError() {
	rule := &transform.Rule{
		ID: "EX104", Name: "example", Title: "An example", Doc: "An example.", Example: "none",
		Kinds: []transform.GroupKind{{Group: "apps", Kind: "Deployment"}}, Severity: transform.Advice,
		Run: func(*transform.Pass) {},
	}
	input := "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n  name: shop\n"
	files := []transform.File{{Path: "web.yaml", Data: []byte(input)}}
	_, err := transform.Run(context.Background(), files, transform.Config{Rules: []*transform.Rule{rule}})
	var fault *transform.InputError
	if errors.As(err, &fault) {
		fmt.Printf("path %s, line %d, column %d: %v\n", fault.Path, fault.Line, fault.Col, fault.Err)
	}
	// Output:
	// path web.yaml, line 5, column 3: duplicate key "name", first on line 4
}

// Files returns each file before and after the repair, which is what a diff needs.
func ExampleResult_Files() {
	rule := &transform.Rule{
		ID: "EX105", Name: "no-default", Title: "An object in the namespace default", Doc: "Use another one.",
		Kinds: []transform.GroupKind{{Group: "", Kind: "ConfigMap"}}, Example: "default", Severity: transform.Advice,
		Run: func(p *transform.Pass) {
			if p.Object.Namespace == "default" {
				at := yamldoc.Path{"metadata", "namespace"}
				p.Report(transform.Report{At: at, Message: "use shop", Edits: p.Object.Edits(yamldoc.Set(at, "shop"))})
			}
		},
	}
	files := []transform.File{
		{Path: "a.yaml", Data: []byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: default}\n")},
		{Path: "b.yaml", Data: []byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b, namespace: shop}\n")},
	}
	result, err := transform.Run(context.Background(), files, transform.Config{Rules: []*transform.Rule{rule}})
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range result.Files() {
		fmt.Println(f.File.Path, "changes:", !bytes.Equal(f.Before, f.After))
	}
	// Output:
	// a.yaml changes: true
	// b.yaml changes: false
}
