package kubectl

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strconv"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/health"
)

// pageSize is how many objects an answer has, as in kubectl (k8s.io/cli-runtime/pkg/resource/query_param_verifier.go).
const pageSize = 500

// mostStarts is how often a list starts: the API server forgets the first page of one that takes minutes (410).
const mostStarts = 3

// List passes on the objects of a kind, page by page: in a namespace, or in all if it is empty. The selectors may be
// empty too. Where the API server has forgotten what the first page was, the objects come again from the start, and those
// that do not are deleted at the end.
func (k *Kubectl) List(
	ctx context.Context, r Resource, namespace, labels, fields string, emit func(health.Event),
) error {
	query := url.Values{"limit": {strconv.Itoa(pageSize)}}
	if labels != "" {
		query.Set("labelSelector", labels)
	}
	if fields != "" {
		query.Set("fieldSelector", fields)
	}
	starts, seen := 1, map[string]sighting{} // by namespace and name
	for {
		path := r.path(namespace) + "?" + query.Encode()
		page, err := k.page(ctx, r, path, func(object health.Object) {
			id, metadata := identify(object)
			seen[id] = sighting{starts, metadata}
			emit(health.Event{Object: object})
		})
		switch {
		case isExpired(err) && starts < mostStarts && query.Has("continue"):
			starts++
			query.Del("continue")
			continue
		case err != nil:
			return err
		}
		if page.Continue == "" {
			for _, last := range seen {
				if last.start < starts {
					emit(r.deleted(last.metadata))
				}
			}
			return nil
		}
		if page.Continue == query.Get("continue") {
			return fmt.Errorf("kubectl get --raw %s: the server gives the same page again", path)
		}
		query.Set("continue", page.Continue)
	}
}

// sighting is in which start of a list an object last came, and what tells it apart.
type sighting struct {
	start    int
	metadata health.Object
}

// page is the metadata of a list.
type page struct{ ResourceVersion, Continue string }

// page passes on the objects of a list as they come, because the whole list takes many times the memory.
func (k *Kubectl) page(ctx context.Context, r Resource, path string, emit func(health.Object)) (p page, err error) {
	err = k.get(ctx, path, func(answer *json.Decoder) error {
		return inside(answer, func() error {
			switch field, err := answer.Token(); {
			case err != nil:
				return err
			case field == "metadata":
				return answer.Decode(&p)
			case field == "items":
				return inside(answer, func() error { return r.item(answer, emit) })
			}
			return answer.Decode(new(json.RawMessage))
		})
	})
	if err == nil && p.ResourceVersion == "" {
		err = fmt.Errorf("kubectl get --raw %s: the answer is no list of %s", path, r.Plural)
	}
	return p, err
}

// inside calls each for as long as there is more of the list or mapping that comes next.
func inside(answer *json.Decoder, each func() error) error {
	start, err := answer.Token()
	if err != nil || start == nil { // null
		return err
	}
	for err == nil && answer.More() {
		err = each()
	}
	if err == nil {
		_, err = answer.Token()
	}
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// item passes on the next object. The API server leaves the kind out of lists of its own kinds.
func (r Resource) item(answer *json.Decoder, emit func(health.Object)) error {
	var object health.Object
	if err := answer.Decode(&object); err != nil {
		return err
	}
	if health.At(object, "metadata", "name") == nil {
		return errors.New("an item of the list has no metadata.name")
	}
	object["apiVersion"], object["kind"] = r.apiVersion(), r.Kind
	emit(object)
	return nil
}
