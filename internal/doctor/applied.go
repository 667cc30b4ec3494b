package doctor

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/health"
)

// lastApplied is the annotation with the manifest as an apply on the client had it.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// applied returns the manifest that was last applied on the client, nil if the object does not have it.
func applied(o health.Object) (manifest health.Object) {
	annotation := text(o, "metadata", "annotations", lastApplied)
	if annotation == "" || json.Unmarshal([]byte(annotation), &manifest) != nil {
		return nil
	}
	was, is := refOf(manifest), refOf(o)
	if was.namespace = is.namespace; was != is { // a copy of another object's
		return nil
	}
	return manifest
}

// inGit returns the manifest that Git has, as far as the cluster knows it: that which was last applied, nil if another
// one has replaced it since. One that differs from an object that is as in Git is an old one.
func (c *Cluster) inGit(r ref) health.Object {
	o := c.objects[r]
	outOfSync := false
	for _, a := range c.applying(r) {
		if a.appliesOnServer(o) {
			return nil
		}
		outOfSync = outOfSync || !a.isSync
	}
	manifest := applied(o)
	if !outOfSync && len(differing("", manifest, o)) > 0 {
		return nil
	}
	return manifest
}

// overtaken reports whether the API server has merged a newer manifest into an object than the one that was last applied
// on the client. It writes the annotation for kubectl alone (pkg/util/managedfields/internal/lastappliedupdater.go of
// k8s.io/apimachinery@v0.34.5).
func overtaken(o health.Object) bool {
	client, server := "", ""
	for _, fields := range list(o, "metadata", "managedFields") {
		at := text(fields, "time")
		switch {
		case health.At(fields, "fieldsV1", "f:metadata", "f:annotations", "f:"+lastApplied) != nil:
			client = max(client, at)
		case text(fields, "operation") == "Apply" && text(fields, "manager") != "kubectl" &&
			health.At(fields, "fieldsV1", "f:spec") != nil:
			server = max(server, at)
		}
	}
	return server > client
}

// onServer is the sync option with which Argo CD leaves the annotation lastApplied as it is.
const onServer = "ServerSideApply="

// appliesOnServer reports whether the Application has the API server merge what it applies of an object.
func (a application) appliesOnServer(o health.Object) bool {
	options := strings.Split(text(o, "metadata", "annotations", "argocd.argoproj.io/sync-options"), ",")
	for i := range options {
		options[i] = strings.TrimSpace(options[i])
	}
	return slices.Contains(options, onServer+"true") || a.onServer && !slices.Contains(options, onServer+"false")
}
