package rules

import (
	_ "embed"
	"fmt"
	"strconv"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks207.md
var ks207Doc string

var refusedScaledObject = &transform.Rule{
	ID:       "KS207",
	Name:     "refused-scaled-object",
	Title:    "A ScaledObject keeps a sync from ever finishing",
	Doc:      ks207Doc,
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{kserve.ScaledObject},
	About:    []transform.GroupKind{kserve.InferenceService},
	Example:  "unknown/zero",
	Severity: transform.Error,
	Run:      run(checkRefusedScaledObject),
}

// checkRefusedScaledObject looks for what KEDA's admission webhook refuses (verifyCPUMemoryScalers in
// apis/keda/v1alpha1/scaledobject_webhook.go of github.com/kedacore/keda/v2@v2.18.0), and for what waits for a
// Deployment that never comes.
func checkRefusedScaledObject(p *pass) {
	o := p.Object
	target := p.KServe.StandardTarget(model.Autoscaler{Object: o})
	if target == nil {
		return
	}
	resource, others := resourceTriggers(o)
	least := yamldoc.Path{"spec", "minReplicaCount"}
	count, ok := o.Get(least...).Int()
	if resource != "" && !others && (o.Get(least...).IsNull() || ok && count == 0) {
		p.Report(transform.Report{At: least, Edits: o.Edits(yamldoc.Set(least, 1)), Message: fmt.Sprintf(
			"KEDA's webhook refuses minReplicaCount 0, the default, beside no other triggers than %s: set 1", resource)})
	}
	service := target.Service
	if service.Elsewhere || isHook(o) || isHook(service.Object) || syncWave(o) >= syncWave(service.Object) {
		return
	}
	harm := "KEDA's webhook refuses a " + resource + " trigger"
	if resource == "" {
		harm = "the ScaledObject is Degraded"
	}
	at := yamldoc.Path{"metadata", "annotations", syncWaveKey}
	wave := strconv.Itoa(syncWave(service.Object))
	p.Report(transform.Report{At: at, Edits: o.Edits(yamldoc.Set(at, wave)), Message: fmt.Sprintf(
		"Argo CD stops in wave %d and never gets to %s in wave %s, because %s as long as there is no Deployment %s: "+
			"use wave %[3]s",
		syncWave(o), service, wave, harm, target.Deployment)})
}

// resourceTriggers returns the type of the first trigger by cpu or memory, and whether there are others.
func resourceTriggers(scaledObject *transform.Object) (resource string, others bool) {
	for _, trigger := range scaledObject.Get("spec", "triggers").List() {
		switch kind := trigger.Get("type").Str(); {
		case kind != "cpu" && kind != "memory":
			others = true
		case resource == "":
			resource = kind
		}
	}
	return resource, others
}
