package kubectl

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/health"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/panics"
)

// IsType reports whether an argument is TYPE, TYPE,TYPE or TYPE/NAME, rather than the name of a stream.
func IsType(arg string) bool {
	name, _, _ := strings.Cut(arg, "/")
	name, _, _ = strings.Cut(name, ",")
	_, ok := health.KindNamed(name)
	return ok
}

// Request is what arguments ask for.
type Request struct {
	Kinds []string
	Names map[string][]string // by kind; without names all objects are meant
}

// ParseRequest reads TYPE/NAME... or TYPE[,TYPE...] [NAME...], as kubectl does.
func ParseRequest(args []string) (Request, error) {
	r := Request{Names: map[string][]string{}}
	add := func(typed string, names ...string) error {
		kind, ok := health.KindNamed(typed)
		if !ok {
			return fmt.Errorf("%q is no type; the types are %s",
				typed, strings.Join(health.KindNames(), ", "))
		}
		if !slices.Contains(r.Kinds, kind) {
			r.Kinds = append(r.Kinds, kind)
		}
		r.Names[kind] = append(r.Names[kind], names...)
		return nil
	}
	if !strings.Contains(args[0], "/") {
		for typed := range strings.SplitSeq(args[0], ",") {
			if err := add(typed, args[1:]...); err != nil {
				return r, err
			}
		}
		args = args[1:]
		if i := slices.IndexFunc(args, func(name string) bool { return strings.Contains(name, "/") }); i >= 0 {
			return r, fmt.Errorf("%q after a type: give names without a slash, or TYPE/NAME everywhere", args[i])
		}
		return r, nil
	}
	for _, arg := range args {
		typed, name, ok := strings.Cut(arg, "/")
		if !ok || name == "" || strings.Contains(name, "/") {
			return r, fmt.Errorf("%q is not TYPE/NAME", arg)
		}
		if err := add(typed, name); err != nil {
			return r, err
		}
	}
	return r, nil
}

// Means reports whether an object is asked for. Without kinds all are.
func (r Request) Means(kind, name string) bool {
	names := r.Names[kind]
	return len(r.Kinds) == 0 || slices.Contains(r.Kinds, kind) && (len(names) == 0 || slices.Contains(names, name))
}

// HasNames reports whether single objects are asked for.
func (r Request) HasNames() bool {
	return slices.ContainsFunc(r.Kinds, func(kind string) bool { return len(r.Names[kind]) > 0 })
}

// Services say which services a Kubectl reads.
type Services struct {
	Namespace     string // "" for that of the context
	AllNamespaces bool
	Selector      string   // of labels, "" for all
	Types         []string // TYPE/NAME... or TYPE[,TYPE...] [NAME...]
}

// Watch is what is to be waited for, what is there now, and what follows its changes.
type Watch struct {
	Targets []health.Target
	Listed  []health.Event
	Feeds   []health.Feed
}

// Watch lists the services with their workloads and pods. It returns an error if the cluster does not have one of the
// types, or if kubectl fails.
func (s Services) Watch(ctx context.Context, k *Kubectl) (*Watch, error) {
	asked, err := ParseRequest(s.Types)
	if err != nil {
		return nil, err
	}
	if err := s.Check(asked); err != nil {
		return nil, err
	}
	namespace, err := s.In(ctx, k)
	if err != nil {
		return nil, err
	}
	services, targets, err := served(ctx, k, asked, s.Selector, namespace)
	if err != nil {
		return nil, err
	}
	workloads, err := workloads(ctx, k, asked, namespace)
	if err != nil {
		return nil, err
	}
	listed, feeds, err := listAll(ctx, slices.Concat(services, workloads, pods(k, asked, namespace)))
	return &Watch{targets, listed, feeds}, err
}

// Check returns an error for names that the flags forbid.
func (s Services) Check(asked Request) error {
	switch {
	case asked.HasNames() && s.AllNamespaces:
		return errors.New("flag --all-namespaces: names are only possible in one namespace")
	case asked.HasNames() && s.Selector != "":
		return errors.New("flag --selector: give names or labels, not both")
	}
	return nil
}

// In returns the namespace of the services, "" for all.
func (s Services) In(ctx context.Context, k *Kubectl) (string, error) {
	switch {
	case s.AllNamespaces:
		return "", nil
	case s.Namespace != "":
		return s.Namespace, nil
	}
	return k.Namespace(ctx)
}

// served returns a feed for each kind that is asked for, and what to wait for.
func served(
	ctx context.Context, k *Kubectl, asked Request, selector, namespace string,
) (feeds []*Feed, targets []health.Target, err error) {
	found, err := k.Find(ctx, kserve.Group, asked.Kinds)
	if err != nil {
		return nil, nil, err
	}
	for _, kind := range asked.Kinds {
		resource, ok := found[kind]
		if !ok {
			return nil, nil, fmt.Errorf("the cluster has no %s; install KServe's CustomResourceDefinitions, or choose another "+
				"cluster with --context", kind)
		}
		fields := ""
		if names := asked.Names[kind]; len(names) == 1 {
			fields = "metadata.name=" + names[0] // which an account may be allowed to read alone
		}
		feeds = append(feeds, NewFeed(k, resource, namespace, selector, fields))
		for _, name := range asked.Names[kind] {
			target := health.Target{Kind: kind, Name: name}
			if resource.Namespaced {
				target.Namespace = namespace
			}
			targets = append(targets, target)
		}
	}
	if len(targets) == 0 {
		targets = []health.Target{{}} // all
	}
	return feeds, targets, nil
}

// workloads returns feeds for the Deployments and LeaderWorkerSets of the kinds that are asked for. A cluster without
// LeaderWorkerSets has none to wait for.
func workloads(ctx context.Context, k *Kubectl, asked Request, namespace string) ([]*Feed, error) {
	var feeds []*Feed
	llm := slices.Contains(asked.Kinds, "LLMInferenceService")
	if llm || slices.Contains(asked.Kinds, "InferenceService") || slices.Contains(asked.Kinds, "InferenceGraph") {
		feeds = append(feeds, NewFeed(k, Deployments, namespace, "", ""))
	}
	if !llm {
		return feeds, nil
	}
	found, err := k.Find(ctx, "leaderworkerset.x-k8s.io", []string{"LeaderWorkerSet"})
	for _, resource := range found {
		feeds = append(feeds, NewFeed(k, resource, namespace, "", ""))
	}
	return feeds, err
}

// pods returns feeds for the pods of the kinds that are asked for. They say why a service is not ready, so an account
// that may not read them waits without.
func pods(k *Kubectl, asked Request, namespace string) (feeds []*Feed) {
	for _, made := range kserve.Selectors {
		if slices.Contains(asked.Kinds, made.Kind) {
			feed := NewFeed(k, Pods, namespace, made.Labels, "")
			feed.optional = true
			feeds = append(feeds, feed)
		}
	}
	return feeds
}

// listAll lists all feeds at once, so that there is no verdict before each list is read, and returns what they have and
// the feeds that can be followed.
func listAll(ctx context.Context, feeds []*Feed) (listed []health.Event, follow []health.Feed, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	lists, ends := make([][]health.Event, len(feeds)), make(chan error)
	for i, feed := range feeds {
		panics.Go(func() (err error) {
			if lists[i], err = feed.List(ctx); err != nil && feed.optional && ctx.Err() == nil {
				feeds[i] = nil
				return nil
			}
			return err
		}, func(err error) { ends <- err })
	}
	var failed error
	for range feeds {
		if err := <-ends; err != nil && failed == nil {
			failed = err
			cancel()
		}
	}
	if failed != nil {
		return nil, nil, failed
	}
	for i, feed := range feeds {
		if feed != nil {
			listed = append(listed, lists[i]...)
			follow = append(follow, health.Feed{Name: feed.Name(), Listed: true, Follow: feed.Follow})
		}
	}
	return listed, follow, nil
}
