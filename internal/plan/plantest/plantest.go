// Package plantest has a program that takes the place of one with KServe's code, for tests of the command plan.
package plantest

import (
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/plan"
)

// Program answers a request: each InferenceService gets a Deployment with the image that its annotation image names, and
// with a label mode. An LLMInferenceService that is called preset gets one with the image of the release's preset.
// The names of some services say what else happens: refused, which an image may also be called, stuck, crash, hang,
// garbage and newer. A service whose workloads are unready is stuck. An object of the cluster that is called refused is,
// for its key deploy. What is stored stays, but that of services that are called rolls, written, locked and breaks: see
// takeover.
func Program() {
	var request plan.Request
	if err := json.NewDecoder(os.Stdin).Decode(&request); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(2)
	}
	answer := plan.Answer{Version: request.Version, Release: release(), State: state(request, request.Objects)}
	for i, o := range request.Cluster {
		if name := o["metadata"].(map[string]any)["name"]; name == "refused" {
			answer.Cluster = append(answer.Cluster, plan.Refusal{Index: i, Object: plan.Reference{Kind: "ConfigMap", Name: "refused"},
				Key: "deploy", Message: "ConfigMap \"refused\" is invalid"})
		}
	}
	if request.Stored != nil {
		takeover(request, &answer)
	} else if request.Changed {
		previous := state(request, request.Previous)
		answer.Previous = &previous
	}
	for _, o := range request.Objects {
		switch o["metadata"].(map[string]any)["name"] {
		case "garbage":
			fmt.Println("Usage: another program")
			return
		case "newer":
			answer.Version++
		}
	}
	if err := json.NewEncoder(os.Stdout).Encode(answer); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(2)
	}
}

// takeover has the services with these names replaced by others: rolls has an image of the release, written gets one
// when it is changed, the release refuses every change of locked, and it fails with breaks, whose Deployment it deletes.
func takeover(request plan.Request, answer *plan.Answer) {
	answer.Stored = request.Stored
	alone := state(request, request.Previous)
	for _, made := range []*plan.State{&alone, &answer.State} {
		made.Objects = slices.DeleteFunc(made.Objects, func(o plan.Object) bool {
			return o["kind"] == "Deployment" && nameOf(o) == "breaks-predictor"
		})
		for i, o := range made.Objects {
			name := nameOf(o)
			if name == "rolls-predictor" || name == "written-predictor" && made == &answer.State {
				service := strings.TrimSuffix(name, "-predictor")
				made.Objects[i] = deployment(request.Namespace, service, "server:"+answer.Release, request.Mode)
			} else if name == "breaks" {
				made.Errors = append(made.Errors, plan.Event{Object: about(o), Message: "no runtime"})
			}
		}
	}
	for i, o := range request.Previous {
		if nameOf(o) == "locked" {
			r := plan.Refusal{Index: i, Object: about(alone.Objects[0]), Message: "the mode cannot change"}
			r.Object.Name = "locked"
			alone.Refused, answer.State.Refused = append(alone.Refused, r), append(answer.State.Refused, r)
		}
	}
	answer.Previous = &alone
}

func release() string { return strings.TrimPrefix(filepath.Base(os.Args[0]), plan.Name) }

func nameOf(o plan.Object) string {
	name, _ := o["metadata"].(map[string]any)["name"].(string)
	return name
}

func about(o plan.Object) plan.Reference {
	namespace, _ := o["metadata"].(map[string]any)["namespace"].(string)
	return plan.Reference{APIVersion: "serving.kserve.io/v1beta1", Kind: "InferenceService", Namespace: namespace, Name: nameOf(o)}
}

func state(request plan.Request, manifests []plan.Object) plan.State {
	made := plan.State{Objects: []plan.Object{}}
	for i, o := range manifests {
		kind, _ := o["kind"].(string)
		metadata := o["metadata"].(map[string]any)
		name, _ := metadata["name"].(string)
		namespace := request.Namespace
		if own, _ := metadata["namespace"].(string); own != "" {
			namespace = own
		}
		reference := plan.Reference{APIVersion: "serving.kserve.io/v1beta1", Kind: kind, Namespace: namespace, Name: name}
		annotations, _ := metadata["annotations"].(map[string]any)
		image := fmt.Sprint(annotations["image"])
		switch {
		case kind == "LLMInferenceService" && name == "preset":
			reference.APIVersion, image = "serving.kserve.io/v1alpha2", "preset:"+release()
		case kind != "InferenceService":
			made.Unknown = append(made.Unknown, i)
			continue
		case name == "crash":
			fmt.Fprintln(os.Stderr, `{"level":"warn","msg":"something else"}`)
			panic("index out of range")
		case name == "hang":
			interrupted := make(chan os.Signal, 1)
			signal.Notify(interrupted, os.Interrupt)
			<-interrupted
		case name == "refused", image == "refused":
			made.Refused = append(made.Refused, plan.Refusal{Index: i, Object: reference,
				Message: `admission webhook "validator" denied the request: no`})
			continue
		}
		metadata["namespace"], metadata["uid"] = namespace, "service-"+namespace+name
		made.Objects = append(made.Objects, o)
		if name == "stuck" || slices.Contains(request.Unready, "workloads") {
			made.Errors = append(made.Errors, plan.Event{Object: reference, Reason: "ReconcileError", Message: "no runtime"})
			continue
		}
		made.Objects = append(made.Objects, deployment(namespace, name, image, request.Mode))
	}
	return made
}

func deployment(namespace, service, image, mode string) plan.Object {
	const manifest = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"NAME-predictor","namespace":"SPACE",` +
		`"uid":"deployment-SPACENAME","labels":{"mode":"MODE"},"ownerReferences":[{"uid":"service-SPACENAME"}]},"spec":{"replicas":2,"strategy":{"rollingUpdate":` +
		`{"maxSurge":"25%"}},"template":{"spec":{"containers":[{"name":"kserve-container","image":"IMAGE",` +
		`"ports":[{"containerPort":8080}],"resources":{"limits":{"nvidia.com/gpu":"2"}}}]}}},"status":{"replicas":2}}`
	var o plan.Object
	text := strings.NewReplacer("NAME", service, "SPACE", namespace, "IMAGE", image, "MODE", mode).Replace(manifest)
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		panic(err)
	}
	return o
}
