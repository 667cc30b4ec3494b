package kubectl

import (
	"context"
	"fmt"
	"net/url"
	"strconv"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/health"
)

// pageSize is how many objects an answer has, as in kubectl (k8s.io/cli-runtime/pkg/resource/query_param_verifier.go).
const pageSize = 500

// mostStarts is how often a list starts: the API server forgets the first page of one that takes minutes (410).
const mostStarts = 3

// List passes on the objects of a kind, page by page: in a namespace, or in all if it is empty. The selectors may be
// empty too. Where the API server has forgotten what the first page was, the objects come again from the start.
func (k *Kubectl) List(
	ctx context.Context, r Resource, namespace, labels, fields string, emit func(health.Object),
) error {
	query := url.Values{"limit": {strconv.Itoa(pageSize)}}
	if labels != "" {
		query.Set("labelSelector", labels)
	}
	if fields != "" {
		query.Set("fieldSelector", fields)
	}
	for starts := 1; ; {
		path := r.path(namespace) + "?" + query.Encode()
		var page struct {
			Metadata struct{ ResourceVersion, Continue string }
			Items    []health.Object
		}
		switch err := k.raw(ctx, path, &page); {
		case isExpired(err) && starts < mostStarts && query.Has("continue"):
			starts++
			query.Del("continue")
			continue
		case err != nil:
			return err
		case page.Metadata.ResourceVersion == "":
			return fmt.Errorf("kubectl get --raw %s: the answer is no list of %s", path, r.Plural)
		}
		for _, object := range page.Items {
			if health.At(object, "metadata", "name") == nil {
				return fmt.Errorf("kubectl get --raw %s: an item of the list has no metadata.name", path)
			}
			// The API server leaves the kind out of lists of its own kinds.
			object["apiVersion"], object["kind"] = r.apiVersion(), r.Kind
			emit(object)
		}
		if page.Metadata.Continue == "" {
			return nil
		}
		if page.Metadata.Continue == query.Get("continue") {
			return fmt.Errorf("kubectl get --raw %s: the server gives the same page again", path)
		}
		query.Set("continue", page.Metadata.Continue)
	}
}
