package controlplane

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"

	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// Main is the main function of a release's program. It reads a [Request] from standard input and writes an [Answer]; or,
// with -judge, a stream of manifests, and writes what [Judge] says.
func Main(release Release) {
	judged := flag.String("judge", "", "judge a stream of manifests instead, with this default deployment mode")
	flag.CommandLine.Usage = func() {
		fmt.Fprintf(flag.CommandLine.Output(), "%s says what KServe %s makes of manifests. argocd-kserve-plugin plan starts it:\n"+
			"it reads a request from standard input, as JSON, and writes an answer.\n", os.Args[0], release.Version)
	}
	flag.Parse()
	debug.SetGCPercent(170) // the program is over soon
	err := error(nil)
	if *judged != "" {
		err = Judge(release, *judged, os.Stdin, os.Stdout)
	} else {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
		defer stop()
		err = Run(ctx, release, os.Stdin, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(2)
	}
}

// Run answers a request.
func Run(ctx context.Context, release Release, in io.Reader, out io.Writer) error {
	var request Request
	decoder := json.NewDecoder(in)
	decoder.UseNumber()
	if err := decoder.Decode(&request); err != nil {
		return fmt.Errorf("request: %w", err)
	}
	for _, o := range slices.Concat(request.Cluster, request.Stored, request.Previous, request.Objects) {
		if err := utiljson.ConvertMapNumbers(o, 0); err != nil {
			return fmt.Errorf("request: %w", err)
		}
	}
	if request.Version != Version {
		return fmt.Errorf("the request has version %d, this program takes %d: take both programs from one release of the plugin",
			request.Version, Version)
	}
	answer, err := run(ctx, release, request)
	if err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(answer)
}

func run(ctx context.Context, release Release, request Request) (*Answer, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c, end, err := newCluster(release, request.Unready)
	if err != nil {
		return nil, err
	}
	defer end()
	c.server.created = createdBy(request.Stored)
	answer := &Answer{Version: Version, Release: release.Version}
	if answer.Cluster, err = c.install(release, request); err != nil || len(answer.Cluster) > 0 {
		return answer, err
	}
	if err := c.setUp(ctx, release, request); err != nil {
		answer.Cluster, err = c.blame(request, err)
		return answer, err
	}
	if err := c.manager.settle(ctx); err != nil {
		return nil, err
	}
	p := &syncer{Cluster: c, before: maps.Clone(c.server.objects), namespace: request.Namespace}
	switch {
	case request.Stored != nil:
		answer.Stored, answer.Previous, err = p.upgrade(ctx, request.Stored, request.Previous)
	case request.Changed:
		answer.Previous, err = p.sync(ctx, nil, request.Previous)
	}
	if err != nil {
		return nil, err
	}
	state, err := p.sync(ctx, request.Previous, request.Objects)
	if err != nil {
		return nil, err
	}
	answer.State = *state
	if request.Changed && p.touches {
		answer.Later, err = p.lookAgain(ctx, state, request.Objects)
	}
	return answer, err
}

// blame makes of an error with KServe's configuration a refusal of that of the cluster, if the request has one.
func (c *Cluster) blame(request Request, err error) ([]Refusal, error) {
	i := slices.IndexFunc(request.Cluster, func(o map[string]any) bool { return keyOf(o) == kserveConfig })
	if i < 0 {
		return nil, err
	}
	var wrong partError
	errors.As(err, &wrong)
	return []Refusal{{Index: i, Object: c.server.reference(kserveConfig), Key: wrong.key, Message: err.Error()}}, nil
}

// has reports whether the request has an object of a kind, or of one whose name goes on.
func (r Request) has(kind string) bool {
	return slices.ContainsFunc(slices.Concat(r.Cluster, r.Stored, r.Previous, r.Objects), func(o map[string]any) bool {
		name, _ := o["kind"].(string)
		return strings.HasPrefix(name, kind)
	})
}
