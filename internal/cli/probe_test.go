package cli

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// serve answers health checks at a socket as argocd-cmp-server's gRPC library does and returns the socket's folder.
func serve(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "probe") // t.TempDir is longer than a socket's path may be
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	listener, err := net.Listen("unix", filepath.Join(dir, socketName))
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: handler, Protocols: new(http.Protocols)}
	server.Protocols.SetUnencryptedHTTP2(true)
	go server.Serve(listener)
	t.Cleanup(func() { server.Close() })
	return dir
}

func answer(status string, body ...byte) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		request, _ := io.ReadAll(r.Body)
		if r.URL.Path != "/grpc.health.v1.Health/Check" || !bytes.Equal(request, make([]byte, 5)) ||
			r.Header.Get("Content-Type") != "application/grpc" || r.Header.Get("Te") != "trailers" {
			http.Error(w, "not a health check", http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/grpc")
		w.Header().Set("Trailer", "Grpc-Status, Grpc-Message")
		w.Write(body)
		w.Header().Set("Grpc-Status", status)
		if status != "0" {
			w.Header().Set("Grpc-Message", "unknown service")
		}
	}
}

func TestProbe(t *testing.T) {
	tests := []struct {
		name    string
		handler http.HandlerFunc
		want    string // in the error
	}{
		{name: "serving", handler: answer("0", 0, 0, 0, 0, 2, 8, 1)},
		{name: "not serving", handler: answer("0", 0, 0, 0, 0, 2, 8, 2), want: "not SERVING"},
		{name: "unknown", handler: answer("0", 0, 0, 0, 0, 0), want: "not SERVING"},
		{name: "cut off", handler: answer("0", 0, 0, 0, 0, 2, 8), want: "not SERVING"},
		{name: "nothing", handler: answer("0"), want: "not SERVING"},
		{name: "compressed", handler: answer("0", 1, 0, 0, 0, 2, 8, 1), want: "not SERVING"},
		{name: "of another length", handler: answer("0", 0, 0, 0, 0, 3, 8, 1), want: "not SERVING"},
		{name: "no health service", handler: answer("12"), want: `gRPC status "12" unknown service`},
		{name: "a proxy", handler: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Grpc-Status", "0")
			w.WriteHeader(http.StatusServiceUnavailable)
			w.Write([]byte{0, 0, 0, 0, 2, 8, 1})
		}, want: "HTTP status 503"},
		{name: "another server", handler: http.NotFound, want: "HTTP status 404"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			env := Env{
				Args: []string{"probe"}, Stdout: &stdout, Stderr: &stderr,
				Environ: []string{socketDirSetting + "=" + serve(t, tc.handler)},
			}
			code := Run(context.Background(), env)
			if want := map[bool]int{true: 0, false: 2}[tc.want == ""]; code != want {
				t.Errorf("exit code %d, want %d; %s", code, want, stderr.String())
			}
			if !strings.Contains(stderr.String(), tc.want) || stdout.Len() > 0 {
				t.Errorf("stdout %q, stderr %q, want %q on stderr only", stdout.String(), stderr.String(), tc.want)
			}
		})
	}
}

func TestProbeWithoutServer(t *testing.T) {
	var stderr bytes.Buffer
	socket := filepath.Join(t.TempDir(), "absent.sock")
	env := Env{Args: []string{"probe", "--socket", socket}, Stdout: io.Discard, Stderr: &stderr}
	code := Run(context.Background(), env)
	if code != 2 || !strings.Contains(stderr.String(), "does not serve at ") ||
		!strings.Contains(stderr.String(), "absent.sock: ") {
		t.Errorf("exit code %d, stderr %q", code, stderr.String())
	}
}
