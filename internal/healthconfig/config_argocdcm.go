package healthconfig

import "io"

// argocdConfigMap writes a patch for the ConfigMap argocd-cm.
func argocdConfigMap(w io.Writer, c Configuration) error {
	_, err := io.WriteString(w, `# kubectl --namespace argocd patch configmap argocd-cm --type merge --patch-file FILE
# This adds keys, or replaces those of the same name: "health config compare -" shows which, and merges.
apiVersion: v1
kind: ConfigMap
metadata:
  name: argocd-cm
  labels:
    app.kubernetes.io/name: argocd-cm
    app.kubernetes.io/part-of: argocd
data:
`+c.Keys("  "))
	return err
}
