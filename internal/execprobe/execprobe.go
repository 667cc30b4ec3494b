// Package execprobe reads what the command of an exec probe asks, so that the kubelet can ask the same without a
// process: curl and wget become an HTTP request, grpc_health_probe and nc a TCP port. It reads a command only when it
// understands every word of it.
package execprobe

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"path"
	"regexp"
	"strconv"
	"strings"
)

// Request is what a command asks of its own container. A command that asks for anything an httpGet probe could not
// repeat (another method, a body, credentials, another host) is no Request.
type Request struct {
	Scheme  string   // http, https, or tcp when the command proves no more than an open port
	Host    string   // as written, always the container itself: localhost, 127.0.0.1, 0.0.0.0, ::1 or ::
	Port    int      // 1 to 65535, 80 or 443 where the URL names none
	Path    string   // starts with "/", escaped, with the query; empty for tcp
	Headers []Header // in the order of the command
	Strict  bool     // the command fails when the response is an HTTP error; always false for tcp
}

// Header is an HTTP header of a Request.
type Header struct{ Name, Value string }

// Interpret reads a command as argv, or as a simple command that argv gives to a shell (sh -c). The error says in a
// few words why a command is not understood or not repeatable; it is worded to follow "the command".
func Interpret(command []string) (Request, error) {
	argv, err := unwrap(command)
	if err != nil {
		return Request{}, err
	}
	if len(argv) == 0 {
		return Request{}, errors.New("is empty")
	}
	switch tool := path.Base(argv[0]); tool {
	case "curl":
		return curl(argv[1:])
	case "wget":
		return wget(argv[1:])
	case "grpc_health_probe", "grpc-health-probe":
		return grpcHealthProbe(argv[1:])
	case "nc":
		return netcat(argv[1:])
	default:
		return Request{}, fmt.Errorf("runs %q, which has no known equivalent", tool)
	}
}

// grpcHealthProbe reads grpc_health_probe, a Go program: one or two dashes, "=" or the next word.
func grpcHealthProbe(args []string) (Request, error) {
	for i, arg := range args {
		name, value, inline := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		if !strings.HasPrefix(arg, "-") || name != "addr" {
			continue
		}
		if !inline {
			if i+1 == len(args) {
				break
			}
			value = args[i+1]
		}
		host, port, err := net.SplitHostPort(value)
		if err != nil {
			return Request{}, fmt.Errorf("asks %q, which is no host and port", value)
		}
		return open(host, port)
	}
	return Request{}, errors.New("runs grpc_health_probe without -addr")
}

// netcat reads "nc -z host port".
func netcat(args []string) (Request, error) {
	scan, rest := false, []string(nil)
	for i := 0; i < len(args); i++ {
		switch arg := args[i]; {
		case arg == "-w" && i+1 < len(args):
			i++
		case strings.HasPrefix(arg, "-") && strings.Trim(arg[1:], "zvn") == "":
			scan = scan || strings.Contains(arg, "z")
		default:
			rest = append(rest, arg)
		}
	}
	if !scan || len(rest) != 2 {
		return Request{}, errors.New("runs nc in another form than nc -z host port")
	}
	return open(rest[0], rest[1])
}

// open is a Request for an open port.
func open(host, port string) (Request, error) {
	n, err := portNumber(port)
	if err != nil {
		return Request{}, err
	}
	if host != "" && !local(host) {
		return Request{}, fmt.Errorf("asks another host, %s", host)
	}
	return Request{Scheme: "tcp", Host: host, Port: n}, nil
}

// webRequest is what the options of curl or wget add up to.
type webRequest struct {
	urls    []string
	headers []Header
	strict  bool
}

func (w webRequest) request() (Request, error) {
	if len(w.urls) != 1 {
		return Request{}, fmt.Errorf("asks %d URLs, an HTTP probe asks one", len(w.urls))
	}
	raw := w.urls[0]
	if strings.ContainsAny(raw, "{}*$") || strings.Contains(raw, "[") && !strings.Contains(raw, "[::") {
		return Request{}, fmt.Errorf("asks %q, which is a pattern and no single URL", raw)
	}
	if !strings.Contains(raw, "://") {
		raw = "http://" + raw // curl and wget guess it
	}
	u, err := url.Parse(raw)
	if err != nil {
		return Request{}, fmt.Errorf("asks %q, which is no URL", w.urls[0])
	}
	port := map[string]string{"http": "80", "https": "443"}[u.Scheme]
	if port == "" {
		return Request{}, fmt.Errorf("uses %s, an HTTP probe uses http or https", u.Scheme)
	}
	if u.User != nil {
		return Request{}, errors.New("sends a user name or password, which do not belong into a probe")
	}
	if !local(u.Hostname()) {
		return Request{}, fmt.Errorf("asks another host, %s", u.Hostname())
	}
	if u.Port() != "" {
		port = u.Port()
	}
	n, err := portNumber(port)
	if err != nil {
		return Request{}, err
	}
	target := u.RequestURI()
	if !strings.HasPrefix(target, "/") || strings.HasPrefix(target, "//") { // a probe's path that starts with // is read as a host
		return Request{}, fmt.Errorf("asks path %q, which an HTTP probe can't express", target)
	}
	return Request{Scheme: u.Scheme, Host: u.Hostname(), Port: n, Path: target, Headers: w.headers, Strict: w.strict}, nil
}

var headerName = regexp.MustCompile(`^[A-Za-z0-9-]+$`)

// addHeader takes a header as curl and wget do, "Name: value". Host, User-Agent and Connection are not the probe's to
// choose: KServe's agent ignores Host and answers only kube-probe's User-Agent.
func (w *webRequest) addHeader(s string) error {
	name, value, found := strings.Cut(s, ":")
	value = strings.TrimSpace(value)
	if !found || value == "" || !headerName.MatchString(name) {
		return fmt.Errorf("sends header %q, which an HTTP probe can't repeat", s)
	}
	switch strings.ToLower(name) {
	case "host", "user-agent", "connection", "authorization", "cookie":
		return fmt.Errorf("sends header %s, which an HTTP probe can't or should not repeat", name)
	}
	w.headers = append(w.headers, Header{name, value})
	return nil
}

// local reports whether a host in a URL is the container itself.
func local(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && (ip.IsLoopback() || ip.IsUnspecified())
}

func portNumber(s string) (int, error) {
	n, err := strconv.ParseUint(s, 10, 16)
	if err != nil || n == 0 {
		return 0, fmt.Errorf("asks port %q, which is no port number", s)
	}
	return int(n), nil
}
