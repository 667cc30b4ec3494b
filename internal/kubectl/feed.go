package kubectl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"time"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/health"
)

const longestPause = 30 * time.Second

// Feed lists objects of one kind and then follows their changes.
type Feed struct {
	kubectl  *Kubectl
	resource Resource
	path     string
	query    url.Values
	version  string                   // of the last list
	known    map[string]health.Object // what tells the objects apart, by namespace and name
	optional bool                     // whether a wait goes on without a list
}

// NewFeed returns a feed of the objects in a namespace, or in all if it is empty. The selectors may be empty too.
func NewFeed(k *Kubectl, r Resource, namespace, labels, fields string) *Feed {
	query := url.Values{}
	if labels != "" {
		query.Set("labelSelector", labels)
	}
	if fields != "" {
		query.Set("fieldSelector", fields)
	}
	return &Feed{kubectl: k, resource: r, path: r.path(namespace), query: query, known: map[string]health.Object{}}
}

// Name is the plural of the kind.
func (f *Feed) Name() string { return f.resource.Plural }

// List returns what has changed since the feed last saw the objects.
func (f *Feed) List(ctx context.Context) ([]health.Event, error) {
	var events []health.Event
	known := map[string]health.Object{}
	page, err := f.kubectl.page(ctx, f.resource, f.url(nil), func(object health.Object) {
		id, metadata := identify(object)
		if before := f.known[id]; before == nil || before["resourceVersion"] != metadata["resourceVersion"] {
			events = append(events, health.Event{Object: object})
		}
		known[id] = metadata
	})
	if err != nil {
		return nil, err
	}
	for id, metadata := range f.known {
		if known[id] == nil {
			events = append(events, f.resource.deleted(metadata))
		}
	}
	f.version, f.known = page.ResourceVersion, known
	return events, nil
}

// Follow passes on the changes after the last list. It lists again when the watch ends for whatever reason: the API
// server closes it after a while, or it no longer knows the version (410), or the connection is lost. It returns nil
// when the context is done.
func (f *Feed) Follow(ctx context.Context, emit func(health.Event) bool) error {
	pause := f.kubectl.Pause
	for {
		watched := false
		err := f.watch(ctx, func(event health.Event) bool {
			watched = true
			return emit(event)
		})
		if watched {
			pause = f.kubectl.Pause
		}
		var events []health.Event
		for again := true; again; again = err != nil {
			if err != nil && !isExpired(err) && !emit(health.Event{Note: fmt.Sprintf("%v; trying again", err)}) {
				return nil
			}
			select {
			case <-ctx.Done():
				return nil
			case <-time.After(pause):
			}
			pause = min(2*pause, longestPause)
			events, err = f.List(ctx)
		}
		for _, event := range events {
			if !emit(event) {
				return nil
			}
		}
	}
}

// watch passes on events until the watch ends.
func (f *Feed) watch(ctx context.Context, emit func(health.Event) bool) error {
	query := url.Values{"watch": {"1"}, "resourceVersion": {f.version}, "allowWatchBookmarks": {"true"}}
	return f.kubectl.run(ctx, func(stdout io.Reader) error {
		return health.Read(stdout, f.Name(), 0, func(event health.Event) bool {
			if id, metadata := identify(event.Object); event.Deleted {
				delete(f.known, id)
			} else {
				f.known[id] = metadata
			}
			return emit(event)
		})
	}, "get", "--raw", f.url(query))
}

func (f *Feed) url(query url.Values) string {
	all := maps.Clone(f.query)
	maps.Copy(all, query)
	if len(all) == 0 {
		return f.path
	}
	return f.path + "?" + all.Encode()
}

// deleted is the event that an object is gone.
func (r Resource) deleted(metadata health.Object) health.Event {
	return health.Event{Deleted: true, Object: health.Object{"apiVersion": r.apiVersion(), "kind": r.Kind, "metadata": metadata}}
}

// identify returns what a feed or a list remembers of an object: a copy, because the object belongs to who got it.
func identify(object health.Object) (id string, known health.Object) {
	metadata, _ := object["metadata"].(health.Object)
	known = health.Object{}
	for _, name := range []string{"namespace", "name", "resourceVersion", "ownerReferences", "labels"} {
		known[name] = metadata[name]
	}
	return fmt.Sprint(metadata["namespace"], "/", metadata["name"]), known
}

// isExpired reports whether the API server no longer knows the version from which a watch should start.
func isExpired(err error) bool {
	var failed *health.WatchError
	return errors.As(err, &failed) && failed.Code == http.StatusGone || isReason(err, "Expired") || isReason(err, "Gone")
}
