package healthconfig

import "io"

// helmValues writes values for the chart argo-cd of argo-helm.
func helmValues(w io.Writer, c Configuration) error {
	_, err := io.WriteString(w, `# helm list --namespace argocd    # column CHART: argo-cd-VERSION
# helm upgrade argocd argo/argo-cd --version VERSION --namespace argocd --reuse-values --values FILE
# Without --version, helm also upgrades Argo CD itself to the newest chart. The keys are added to configs.cm, or replace
# those of the same name: "health config compare -" shows which.
configs:
  cm:
`+c.Keys("    "))
	return err
}
