package main

import (
	"encoding/json"
	"fmt"
	"os"
)

// sidecar is what TestFigures in e2e/argocd measures: the plugin behind argocd-cmp-server, with the overlay of the
// first row of kustomize. The CPU times are in ms.
type sidecar struct {
	ArgoCD           string
	AnswersPerSecond float64
	PluginCPU        float64 // per answer
	ServerCPU        float64 // per answer, of argocd-cmp-server and its clients
	KustomizeCPU     float64 // of one build
	PeakMemory       int64
}

// The goals are 25 ms in the plugin, 70 answers a second on two processors and 200 MiB, on a machine where a build
// with kustomize takes 62 ms. For each answer, that leaves 3.3 ms to the server and its clients.
var (
	pluginGoal = goal{ratio: 0.4, memory: 200 << 20}
	answerGoal = goal{ratio: 8.5}
)

func sidecarResults(path string) ([]result, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var s sidecar
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return []result{
		{
			testCase: testCase{
				name: "the overlay with a patch in the sidecar of Argo CD " + s.ArgoCD + ": the plugin's processes",
				peer: "`kustomize build`", most: pluginGoal,
			},
			ratio: s.PluginCPU / s.KustomizeCPU, memory: s.PeakMemory, note: fmt.Sprintf(", %.1f ms", s.PluginCPU),
		},
		{
			testCase: testCase{
				name: "the overlay with a patch in the sidecar of Argo CD " + s.ArgoCD + ": the whole answer",
				peer: "argocd-cmp-server and its clients", most: answerGoal,
			},
			ratio: (s.PluginCPU + s.ServerCPU) / s.ServerCPU,
			note:  fmt.Sprintf(", %.0f answers a second", s.AnswersPerSecond),
		},
	}, nil
}
