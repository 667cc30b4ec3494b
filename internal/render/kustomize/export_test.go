package kustomize

// Building is held during a build.
var Building = &building
