module github.com/argocd-kserve-plugin/argocd-kserve-plugin/controlplane

go 1.26.0
