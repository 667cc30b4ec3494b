package kserve

import "github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"

// RemovedFieldsKept are the releases that never remove from a live Deployment what its service no longer has: they
// merge the new Deployment into the live one (strategicpatch.StrategicMergePatch in deployment_reconciler.go@v0.14.0
// and @v0.15.0, https://github.com/kserve/kserve/pull/4445). A probe that gets another handler then has two, which the
// API server refuses, so the Deployment never changes again. If the service loses an annotation, 0.15.0 sees the
// difference at every reconcile, and sets the replicas to 1 each time.
var RemovedFieldsKept = transform.Window{From: transform.Release{0, 14, 0}, Before: transform.Release{0, 15, 1}}
