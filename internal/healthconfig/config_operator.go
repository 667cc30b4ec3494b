package healthconfig

import "io"

// operatorResource writes a patch for the ArgoCD resource of argocd-operator. Everything goes to extraConfig: it is a
// map, so a merge patch keeps what else is in it, and the operator writes it to argocd-cm after its lists
// resourceHealthChecks, resourceActions and resourceIgnoreDifferences, which a merge patch would replace
// (controllers/argocd/configmap.go@v0.12.0 to @v0.18.0).
func operatorResource(w io.Writer, c Configuration) error {
	_, err := io.WriteString(w, `# kubectl --namespace argocd patch argocds.argoproj.io NAME --type merge --patch-file FILE
# This adds keys to extraConfig, or replaces those of the same name. extraConfig wins over resourceHealthChecks,
# resourceActions and resourceIgnoreDifferences. "health config compare -" shows what a live resource has, and merges.
apiVersion: argoproj.io/v1beta1
kind: ArgoCD
spec:
  extraConfig:
`+c.Keys("    "))
	return err
}
