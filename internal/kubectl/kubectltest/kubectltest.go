// Package kubectltest is a kubectl, and a cluster that it reads, for tests.
package kubectltest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/panics"
)

// socket is the environment variable that names the cluster's socket.
const socket = "KUBECTLTEST_SOCKET"

// header is the answer's header with the path that a program which kubectl starts reads.
const header = "Kubectltest-Start"

// Cluster answers what kubectl get --raw asks for.
type Cluster struct {
	Environ []string // for kubectl

	mutex   sync.Mutex
	answers map[string][]Answer
	asked   []string
}

// Answer is the API server's answer to a request.
type Answer struct {
	Status int // 0 for 200
	Body   string
	After  <-chan struct{} // the answer comes when it is closed; may be nil
	Open   bool            // whether the answer goes on without end after the body, as a watch does
	Start  string          // the path that a program which kubectl starts reads; may be empty
	Left   chan<- struct{} // is closed when the reader of an open answer goes away; may be nil
}

// New returns a cluster with the answers for each path, which are given one after the other. The last one is given
// again and again. A watch is a path of its own, with "watch " in front. The cluster answers 404 to all other paths.
func New(t *testing.T, answers map[string][]Answer) *Cluster {
	t.Helper()
	dir, err := os.MkdirTemp("", "kubectl") // the path of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	path := filepath.Join(dir, "socket")
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	c := &Cluster{Environ: append(os.Environ(), socket+"="+path), answers: answers}
	server := &http.Server{Handler: c}
	ended := make(chan error)
	panics.Go(func() error { return server.Serve(listener) }, func(err error) { ended <- err })
	t.Cleanup(func() {
		_ = server.Close()
		if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	})
	return c
}

// Asked returns the requests up to now, in their order.
func (c *Cluster) Asked() []string {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return append([]string{}, c.asked...)
}

func (c *Cluster) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer := c.next(r)
	if answer.After != nil {
		select {
		case <-answer.After:
		case <-r.Context().Done():
			return
		}
	}
	w.Header().Set(header, answer.Start)
	if answer.Status != 0 {
		w.WriteHeader(answer.Status)
	}
	_, _ = io.WriteString(w, answer.Body)
	if answer.Open {
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		if answer.Left != nil {
			close(answer.Left)
		}
	}
}

func (c *Cluster) next(r *http.Request) Answer {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.asked = append(c.asked, r.URL.String())
	path := r.URL.Path
	if r.URL.Query().Get("watch") != "" {
		path = "watch " + path
	}
	answers := c.answers[path]
	if len(answers) == 0 {
		return Failure(http.StatusNotFound, "NotFound", "the server could not find the requested resource")
	}
	if len(answers) > 1 {
		c.answers[path] = answers[1:]
	}
	return answers[0]
}

// Failure is an answer with an error.
func Failure(status int, reason, message string) Answer {
	body, _ := json.Marshal(map[string]any{"kind": "Status", "reason": reason, "message": message, "code": status})
	return Answer{Status: status, Body: string(body)}
}

// List is an answer with objects in JSON.
func List(version string, objects ...string) Answer {
	return Answer{Body: fmt.Sprintf(`{"kind":"AList","metadata":{"resourceVersion":%q},"items":[%s]}`,
		version, strings.Join(objects, ","))}
}

// Event is an event of a watch.
func Event(kind, object string) string {
	return fmt.Sprintf(`{"type":%q,"object":%s}`+"\n", kind, object)
}

// Kubectl is the main function of kubectl: get --raw and config view, with the messages of kubectl 1.32.
func Kubectl() {
	args := os.Args[1:]
	for len(args) > 1 && strings.HasPrefix(args[0], "--") {
		switch {
		case args[0] == "--context" && args[1] == "test":
			args = args[2:]
		case strings.HasPrefix(args[0], "--request-timeout="):
			args = args[1:]
		default:
			fail("error: %s is not the context of the test", args[0])
		}
	}
	path := "/config"
	if len(args) == 3 && args[0] == "get" && args[1] == "--raw" {
		path = args[2]
	} else if len(args) < 2 || args[0] != "config" || args[1] != "view" {
		fail("error: %q is not in the test", args)
	}
	dial := func(context.Context, string, string) (net.Conn, error) { return net.Dial("unix", os.Getenv(socket)) }
	client := &http.Client{Transport: &http.Transport{DialContext: dial}}
	response, err := client.Get("http://cluster" + path)
	if err != nil {
		fail("The connection to the server %s was refused - did you specify the right host or port?", os.Getenv(socket))
	}
	if start := response.Header.Get(header); start != "" {
		child := exec.Command(os.Args[0], "get", "--raw", start)
		child.Stdout, child.Stderr = os.Stdout, os.Stderr
		if err := child.Start(); err != nil {
			fail("error: %v", err)
		}
	}
	if response.StatusCode >= http.StatusBadRequest {
		var status struct{ Reason, Message string }
		_ = json.NewDecoder(response.Body).Decode(&status)
		fmt.Fprintln(os.Stderr, "E1122 13:00:00.000000 memcache.go:265] something else")
		if status.Reason == "Unauthorized" {
			fail("error: You must be logged in to the server (%s)", status.Message)
		}
		fail("Error from server (%s): %s", status.Reason, status.Message)
	}
	if _, err := io.Copy(os.Stdout, response.Body); err != nil {
		fail("error: %v", err)
	}
	os.Exit(0)
}

func fail(format string, args ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", args...)
	os.Exit(1)
}
