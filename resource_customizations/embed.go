// Package customizations contains the health checks and resource actions for KServe's kinds as Lua, in
// the layout of Argo CD's own resource_customizations directory, ready to be sent upstream.
package customizations

import "embed"

// Lua is the tree <group>/<Kind>/health.lua and <group>/<Kind>/actions, without tests.
//
//go:embed serving.kserve.io/*/health.lua
//go:embed serving.kserve.io/*/actions/discovery.lua
//go:embed serving.kserve.io/*/actions/*/action.lua
var Lua embed.FS

// Upstream is what the sources of Argo CD lack: changes of its health check of InferenceService, a folder for each step
// with the script and with the tests that it adds, and the actions with their tests.
//
//go:embed upstream
//go:embed serving.kserve.io/*/actions
var Upstream embed.FS
