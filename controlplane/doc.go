// Package controlplane is a control plane in memory: an API server that clients reach without a port, KServe's own
// webhooks and controllers, and stand-ins for the controllers of others. It says what a release of KServe makes of
// manifests, and of a change of them; or, for the tests of the rules, of each object alone ([Judge]). For the tests of
// the health checks, package statuses plays the controllers of others ([Stage]). It imports no KServe: a program per
// release gives it the release's code. The module of a release also pins the release's own programs, which e2e builds.
//
// The API server's part is Kubernetes' own code where there is some to import: the strategies of its kinds, and the
// pruning, defaulting and validation of custom resources.
package controlplane
