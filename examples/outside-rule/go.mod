module example.com/outside-rule

go 1.26.3

require github.com/argocd-kserve-plugin/argocd-kserve-plugin v0.0.0

require (
	github.com/aymanbagabas/go-udiff v0.4.1 // indirect
	gopkg.in/yaml.v3 v3.0.1 // indirect
)

// Only in this repository. Another module requires a released version instead.
replace github.com/argocd-kserve-plugin/argocd-kserve-plugin => ../..
