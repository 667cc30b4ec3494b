// Package customizations contains health checks and resource actions for KServe's kinds as Lua, in the layout of Argo
// CD's own resource_customizations directory.
package customizations

import "embed"

// Lua is the tree <group>/<Kind>/health.lua and <group>/<Kind>/actions of this project, without tests.
//
//go:embed serving.kserve.io/*/health.lua
//go:embed serving.kserve.io/*/actions/discovery.lua
//go:embed serving.kserve.io/*/actions/*/action.lua
var Lua embed.FS

// ArgoCD has copies of the checks that releases of Argo CD bundle: argocd/<x.y.z>/<group>/<Kind>/health.lua. The folder's
// README.md names their origin.
//
//go:embed argocd/*/serving.kserve.io/*/health.lua
var ArgoCD embed.FS
