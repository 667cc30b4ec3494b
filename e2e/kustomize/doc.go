// Package kustomize compares what the plugin makes of kustomizations with what Argo CD's own code, kustomize and helm
// make of them.
package kustomize
