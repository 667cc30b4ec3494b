module github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/stream

go 1.26.3

require (
	github.com/argocd-kserve-plugin/argocd-kserve-plugin v0.0.0
	k8s.io/apimachinery v0.37.1
)

require (
	github.com/kr/text v0.2.0 // indirect
	go.yaml.in/yaml/v2 v2.4.5 // indirect
	gopkg.in/yaml.v3 v3.0.1 // indirect
	sigs.k8s.io/json v0.0.0-20250730193827-2d320260d730 // indirect
	sigs.k8s.io/yaml v1.6.0 // indirect
)

replace github.com/argocd-kserve-plugin/argocd-kserve-plugin => ../..
