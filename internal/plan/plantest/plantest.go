// Package plantest has a program that takes the place of one with KServe's code, for tests of the command plan.
package plantest

import (
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/plan"
)

// Program answers a request: each InferenceService gets a Deployment with the image that its annotation image names.
// The names of some services say what else happens: refused, stuck, crash, hang, garbage and newer. A service whose
// workloads are unready is stuck. An object of the cluster that is called refused is.
func Program() {
	var request plan.Request
	if err := json.NewDecoder(os.Stdin).Decode(&request); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(2)
	}
	answer := plan.Answer{Version: request.Version, Release: "0.20.0", State: state(request, request.Objects)}
	for i, o := range request.Cluster {
		if name := o["metadata"].(map[string]any)["name"]; name == "refused" {
			answer.Cluster = append(answer.Cluster, plan.Refusal{Index: i, Object: plan.Reference{Kind: "ConfigMap", Name: "refused"},
				Message: "ConfigMap \"refused\" is invalid"})
		}
	}
	if request.Changed {
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
		switch {
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
		case name == "refused":
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
		annotations, _ := metadata["annotations"].(map[string]any)
		made.Objects = append(made.Objects, deployment(namespace, name, fmt.Sprint(annotations["image"])))
	}
	return made
}

func deployment(namespace, service, image string) plan.Object {
	const manifest = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"NAME-predictor","namespace":"SPACE",` +
		`"uid":"deployment-SPACENAME","ownerReferences":[{"uid":"service-SPACENAME"}]},"spec":{"replicas":2,"strategy":{"rollingUpdate":` +
		`{"maxSurge":"25%"}},"template":{"spec":{"containers":[{"name":"kserve-container","image":"IMAGE",` +
		`"ports":[{"containerPort":8080}],"resources":{"limits":{"nvidia.com/gpu":"2"}}}]}}},"status":{"replicas":2}}`
	var o plan.Object
	text := strings.NewReplacer("NAME", service, "SPACE", namespace, "IMAGE", image).Replace(manifest)
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		panic(err)
	}
	return o
}
