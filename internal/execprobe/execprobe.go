// Package execprobe finds the request that the command of an exec probe makes, so that the kubelet can make the same
// without a process: curl and wget become an HTTP request, grpc_health_probe and nc a TCP port. It interprets a command
// only if it understands every word of it.
package execprobe

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/lazyregexp"
)

// Request is the request that a command makes to its own container. A command that does what an httpGet probe can't
// repeat (another method, a body, credentials, another host) has none.
type Request struct {
	Scheme  string        // http, https, or tcp when the command proves no more than an open port
	Host    string        // as written, always the container itself: localhost, 127.0.0.1, 0.0.0.0, ::1 or ::
	Port    int           // 1 to 65535, 80 or 443 where the URL names none
	Path    string        // starts with "/", escaped, with the query; empty for tcp
	Headers []Header      // in the order of the command
	Strict  bool          // the command fails when the response is an HTTP error; always false for tcp
	Exact   bool          // the command is Strict and sends what an httpGet probe sends: one plain GET, nothing else
	Head    bool          // the command may send HEAD, which a server may answer in another way than GET
	Limit   time.Duration // after which the command gives up; 0: never
}

// Header is an HTTP header of a Request.
type Header struct{ Name, Value string }

// Interpret interprets a command, or the script that it gives to a shell (sh -c). The error is the reason why a command
// is not understood or not repeatable; it reads well after "the command".
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

// grpcHealthProbe reads grpc_health_probe, whose options are those of Go's package flag.
func grpcHealthProbe(args []string) (Request, error) {
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	addr := flags.String("addr", "", "")
	connect := flags.Duration("connect-timeout", time.Second, "")
	rpc := flags.Duration("rpc-timeout", time.Second, "")
	for _, name := range []string{
		"service", "user-agent", "rpc-header", "tls-ca-cert", "tls-client-cert", "tls-client-key", "tls-server-name",
	} {
		flags.String(name, "", "")
	}
	for _, name := range []string{"tls", "tls-no-verify", "alts", "spiffe", "gzip", "v"} {
		flags.Bool(name, false, "")
	}
	if err := flags.Parse(args); err != nil {
		return Request{}, fmt.Errorf("runs grpc_health_probe with options that are not understood: %w", err)
	}
	if timeout := min(*connect, *rpc); timeout < 10*time.Millisecond {
		return Request{}, fmt.Errorf("has a timeout of %v, which may be too short", timeout)
	}
	if *addr == "" {
		return Request{}, errors.New("runs grpc_health_probe without -addr")
	}
	host, port, err := net.SplitHostPort(*addr)
	if err != nil {
		return Request{}, fmt.Errorf("has address %q, which is not host:port", *addr)
	}
	return open(host, port)
}

// netcat reads "nc -z host port".
func netcat(args []string) (Request, error) {
	scan, numeric, rest := false, false, []string(nil)
	for i := 0; i < len(args); i++ {
		switch arg := args[i]; {
		case arg == "-w" && i+1 < len(args) && fromOne().MatchString(args[i+1]):
			i++
		case strings.HasPrefix(arg, "-") && strings.Trim(arg[1:], "zvn") == "":
			scan = scan || strings.Contains(arg, "z")
			numeric = numeric || strings.Contains(arg, "n")
		default:
			rest = append(rest, arg)
		}
	}
	if !scan || len(rest) != 2 || rest[0] == "" || numeric && net.ParseIP(rest[0]) == nil {
		return Request{}, errors.New("runs nc in a form other than nc -z host port")
	}
	return open(rest[0], rest[1])
}

// open returns a Request for an open port.
func open(host, port string) (Request, error) {
	n, err := portNumber(port)
	if err != nil {
		return Request{}, err
	}
	if host != "" && !local(host) {
		return Request{}, fmt.Errorf("calls another host, %s", host)
	}
	return Request{Scheme: "tcp", Host: host, Port: n}, nil
}

// webRequest collects the options of curl or wget.
type webRequest struct {
	urls    []string
	headers []Header
	strict  bool
	family  string // -4 or -6
	unsaved bool   // the response goes to no file
	altered bool   // an option sends or wants more than one plain GET
	head    bool   // it may be a HEAD request
	limit   time.Duration
}

var (
	localIPv6 = lazyregexp.New(`^\[::[0-9A-Fa-f:.]*\]`)

	// plain matches the characters that curl, wget and a probe send as they are.
	plain = lazyregexp.New(`^([A-Za-z0-9._~!'()+,;:@&=/?#-]|%[0-9A-Fa-f]{2})*$`)
)

func (w webRequest) request() (Request, error) {
	if len(w.urls) != 1 {
		return Request{}, fmt.Errorf("requests %d URLs; an HTTP probe requests one", len(w.urls))
	}
	raw := w.urls[0]
	scheme, rest, found := strings.Cut(raw, "://")
	if !found || strings.ContainsAny(scheme, "/?#") {
		scheme, rest = "http", raw // curl and wget guess it
	}
	text := rest
	if strings.HasPrefix(rest, "[") {
		text = localIPv6().ReplaceAllString(rest, "host")
	}
	if strings.ContainsAny(text, "{}[]*$") {
		return Request{}, fmt.Errorf("requests %q, which is a pattern, not a URL", raw)
	}
	u, err := url.Parse(scheme + "://" + rest)
	if err != nil || !plain().MatchString(text) {
		return Request{}, fmt.Errorf("requests %q, which is not a URL", raw)
	}
	port := map[string]string{"http": "80", "https": "443"}[u.Scheme]
	if port == "" {
		return Request{}, fmt.Errorf("uses %s; an HTTP probe uses http or https", u.Scheme)
	}
	if u.User != nil {
		return Request{}, errors.New("sends a user name or password, which do not belong in a probe")
	}
	if u.Hostname() == "" {
		return Request{}, fmt.Errorf("requests %q, which names no host", raw)
	}
	if !local(u.Hostname()) {
		return Request{}, fmt.Errorf("calls another host, %s", u.Hostname())
	}
	if v6 := strings.Contains(u.Hostname(), ":"); w.family == "-4" && v6 || w.family == "-6" && !v6 {
		return Request{}, fmt.Errorf("uses option %s with host %s", w.family, u.Hostname())
	}
	if u.Port() != "" {
		port = u.Port()
	}
	n, err := portNumber(port)
	if err != nil {
		return Request{}, err
	}
	target := u.RequestURI()
	if !strings.HasPrefix(target, "/") || strings.HasPrefix(target, "//") { // a probe reads a host after //
		return Request{}, fmt.Errorf("requests path %q, which an HTTP probe can't express", target)
	}
	for segment := range strings.SplitSeq(u.Path, "/") {
		if segment == "." || segment == ".." { // curl and GNU wget resolve it, BusyBox and a probe do not
			return Request{}, fmt.Errorf("requests path %q, which has the segment %s", target, segment)
		}
	}
	return Request{
		Scheme: u.Scheme, Host: u.Hostname(), Port: n, Path: target, Headers: w.headers, Strict: w.strict,
		Exact: w.strict && !w.altered && u.Scheme == "http" && len(w.headers) == 0 && !strings.Contains(u.Hostname(), ":"),
		Head:  w.head,
		Limit: w.limit,
	}, nil
}

var headerName = lazyregexp.New(`^[A-Za-z0-9-]+$`)

// addHeader takes a header as curl and wget do, "Name: value". Host, User-Agent and Connection are not the probe's to
// choose: KServe's agent ignores Host and answers only kube-probe's User-Agent.
func (w *webRequest) addHeader(s string) error {
	name, value, found := strings.Cut(s, ":")
	value = strings.TrimSpace(value)
	if !found || value == "" || !headerName().MatchString(name) || strings.ContainsFunc(value, unicode.IsControl) {
		return fmt.Errorf("sends header %q, which an HTTP probe can't repeat", s)
	}
	switch strings.ToLower(name) {
	case "host", "user-agent", "connection", "authorization", "cookie", "content-length", "transfer-encoding", "trailer":
		return fmt.Errorf("sends header %s, which an HTTP probe can't or should not repeat", name)
	}
	for _, h := range w.headers {
		if strings.EqualFold(h.Name, name) { // curl sends both, GNU wget the last
			return fmt.Errorf("sends header %s twice", name)
		}
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
		return 0, fmt.Errorf("uses port %q, which is not a port number", s)
	}
	return int(n), nil
}
