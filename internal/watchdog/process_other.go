//go:build !linux || cgo

package watchdog

import "github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"

// LimitProcess does nothing: the kernel has no such limit, or C's threads reserve more address space than they use.
func LimitProcess(settings.Size, []byte) {}

// Unlimit does nothing.
func Unlimit(int) {}
