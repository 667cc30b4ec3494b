package objects

import (
	"context"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/wait"
)

// persist repeats a request while the API server, or a webhook it calls, is too busy to answer.
func persist(ctx context.Context, do func() error) error {
	var last error
	if err := wait.Poll(ctx, func(context.Context) error {
		last = do()
		isTimeout := apierrors.IsTimeout(last) || apierrors.IsServerTimeout(last)
		if isTimeout || apierrors.IsInternalError(last) && !isAnswer(last) {
			return last
		}
		return nil
	}); err != nil {
		return err
	}
	return last
}

// isAnswer reports whether an internal error stays the same: a webhook panics, or kube-apiserver refuses the object
// without a status.
func isAnswer(err error) bool {
	return strings.Contains(err.Error(), "panic: ") || strings.Contains(err.Error(), "resourceVersion should not be set")
}
