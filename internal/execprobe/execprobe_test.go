package execprobe

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"
)

// sh is a command line given to a shell.
func sh(line string) []string { return []string{"/bin/sh", "-c", line} }

func TestInterpret(t *testing.T) {
	const ready = "http://localhost:8080/ready"
	strict := Request{Scheme: "http", Host: "localhost", Port: 8080, Path: "/ready", Strict: true}
	lax := Request{Scheme: "http", Host: "localhost", Port: 8080, Path: "/ready"}
	head := strict
	head.Head = true
	for _, tc := range []struct {
		name    string
		command []string
		want    Request
	}{
		{"the probe of kserve issue 3909", sh("curl -X GET 0.0.0.0:8080/v2/models/model/versions/1/ready"),
			Request{Scheme: "http", Host: "0.0.0.0", Port: 8080, Path: "/v2/models/model/versions/1/ready"}},

		{"curl without -f succeeds on 404 and 503", []string{"curl", ready}, lax},
		{"curl -f fails on them", []string{"curl", "-f", ready}, strict},
		{"--fail", []string{"/usr/bin/curl", "--fail", ready}, strict},
		{"--fail-with-body", []string{"curl", "--fail-with-body", ready}, strict},
		{"short options together", []string{"curl", "-fsSL", ready}, strict},
		{"the last of them with its value", []string{"curl", "-sfo", "/dev/null", ready}, strict},
		{"a value in the same word", []string{"curl", "-fm5", ready}, strict},
		{"options after the URL", []string{"curl", ready, "-s", "--fail", "--max-time", "2"}, strict},
		{"what the output goes to does not matter",
			[]string{"curl", "-f", "-o", "/dev/null", "-w", "%{http_code}", ready}, strict},
		{"GET is the default", []string{"curl", "-f", "-X", "GET", "--url", ready}, strict},
		{"-XGET", []string{"curl", "-fXGET", ready}, strict},

		{"wget is always strict", []string{"wget", "-q", "-O", "-", ready}, strict},
		{"GNU wget sends HEAD with --spider", []string{"wget", "-q", "--spider", ready}, head},
		{"wget to standard output", []string{"wget", "-qO-", ready}, strict},
		{"wget with values after =",
			[]string{"wget", "-nv", "--tries=1", "--timeout=2", "--output-document=/dev/null", ready}, strict},
		{"wget of BusyBox", []string{"/bin/wget", "-T", "2", "-O", "/dev/null", ready}, strict},

		{"sh -c", sh("curl -f " + ready), strict},
		{"bash -ec", []string{"bash", "-ec", "curl -f " + ready}, strict},
		{"bash -o pipefail -c", []string{"bash", "-o", "pipefail", "-c", "curl -f " + ready}, strict},
		{"quotes", sh(`curl -f "http://localhost:8080/ready" -o '/dev/null'`), strict},
		{"exec", sh("exec curl -f " + ready), strict},
		{"line continuation", sh("curl \\\n  -f \\\n  " + ready + "\n"), strict},
		{"silenced", sh("curl -f " + ready + " > /dev/null 2>&1"), strict},
		{"silenced without blanks", sh("curl -f " + ready + " >/dev/null 2>/dev/null"), strict},
		{"the usual ending of Docker health checks", sh("curl -f " + ready + " || exit 1"), strict},
		{"both endings", sh("curl -f " + ready + " >/dev/null 2>&1 || exit 1"), strict},
		{"appended to nothing", sh("curl -f " + ready + " >>/dev/null 1>&2"), strict},
		{"an ending that succeeds and one that fails", sh("curl -f " + ready + " && exit 0 || exit 1"), strict},
		{"the same in words", sh("curl -f " + ready + " && true || false"), strict},
		{"the same the other way round", sh("curl -f " + ready + " || exit 3 && exit 0"), strict},
		{"each silenced", sh("exec curl -f " + ready + " 2>/dev/null && : >/dev/null || exit 255 >/dev/null"), strict},
		{"over several lines", sh("curl -f " + ready + " >/dev/null &&\n  exit 0 ||\n  exit 1\n"), strict},
		{"a semicolon at the end", sh("curl -f " + ready + ";"), strict},
		{"a trailing comment", sh("curl -f " + ready + " || exit 1 # is it $ready?"), strict},
		{"comments around it", sh("# is it ready?\ncurl -f " + ready + "\n# $done"), strict},
		{"# in quotes and in words", sh(`curl -f "http://localhost:8080/ready"#'#' # '`), strict},
		{"quotes in a word", sh(`cu''rl "-"f http://'local'host:"8080"/re\ady`), strict},
		{"an ending in quotes is none", sh(`curl -f -H 'X-A: b || exit 1' ` + ready),
			Request{Scheme: "http", Host: "localhost", Port: 8080, Path: "/ready", Strict: true,
				Headers: []Header{{"X-A", "b || exit 1"}}}},
		{"escapes in double quotes", sh(`curl -f -H "X-A: \"\\\$b\n\"" ` + ready),
			Request{Scheme: "http", Host: "localhost", Port: 8080, Path: "/ready", Strict: true,
				Headers: []Header{{"X-A", `"\$b\n"`}}}},
		{"line continuation in a word and in quotes", sh("curl -f http://local\\\nhost:8080\"/re\\\nady\""), strict},
		{"an unquoted format without alternatives", sh("curl -f -w %{http_code} -o /dev/null " + ready), strict},
		{"unquoted IPv6", sh("curl -f http://[::1]:8080/ready"),
			Request{Scheme: "http", Host: "::1", Port: 8080, Path: "/ready", Strict: true}},
		{"bash -euxo pipefail -c", []string{"bash", "-euxo", "pipefail", "-c", "curl -f " + ready}, strict},
		{"a digit before > belongs to the word", sh("curl -f localhost:8082>/dev/null"),
			Request{Scheme: "http", Host: "localhost", Port: 8082, Path: "/", Strict: true}},

		{"no scheme", []string{"curl", "-f", "localhost:8080/ready"}, strict},
		{"no port", []string{"curl", "-f", "http://localhost/ready"},
			Request{Scheme: "http", Host: "localhost", Port: 80, Path: "/ready", Strict: true}},
		{"no port, https", []string{"curl", "-fk", "https://localhost/ready"},
			Request{Scheme: "https", Host: "localhost", Port: 443, Path: "/ready", Strict: true}},
		{"no path", []string{"curl", "-f", "http://localhost:8080"},
			Request{Scheme: "http", Host: "localhost", Port: 8080, Path: "/", Strict: true}},
		{"query", sh("curl -f http://localhost:8080?full=1#top"),
			Request{Scheme: "http", Host: "localhost", Port: 8080, Path: "/?full=1", Strict: true}},
		{"IPv6", []string{"curl", "-f", "http://[::1]:8080/ready"},
			Request{Scheme: "http", Host: "::1", Port: 8080, Path: "/ready", Strict: true}},
		{"127.0.0.1", []string{"curl", "-f", "http://127.0.0.1:8080/ready"},
			Request{Scheme: "http", Host: "127.0.0.1", Port: 8080, Path: "/ready", Strict: true}},
		{"upper case", []string{"curl", "-f", "HTTP://LOCALHOST:8080/Ready"},
			Request{Scheme: "http", Host: "LOCALHOST", Port: 8080, Path: "/Ready", Strict: true}},
		{"a URL in the query", []string{"curl", "-f", "localhost:8080/?u=http://y"},
			Request{Scheme: "http", Host: "localhost", Port: 8080, Path: "/?u=http://y", Strict: true}},
		{"a URL in the query, no path", []string{"curl", "-f", "localhost:8080?u=http://y"},
			Request{Scheme: "http", Host: "localhost", Port: 8080, Path: "/?u=http://y", Strict: true}},
		{"characters that stay", []string{"curl", "-f", "http://localhost:8080/.a/b../...;c'(d)!~%2f?e=%20&f=/../g"},
			Request{Scheme: "http", Host: "localhost", Port: 8080, Path: "/.a/b../...;c'(d)!~%2f?e=%20&f=/../g", Strict: true}},
		{"wget without a scheme", []string{"wget", "-qO-", "localhost:8080/ready"}, strict},
		{"usual numbers", []string{"curl", "-f", "-m", "2.5", "--connect-timeout", "1", "--retry", "0", ready}, strict},
		{"IPv4 only", []string{"curl", "-4f", ready}, strict},
		{"headers", sh(`curl -f -H 'Accept: application/json' -H "X-Probe: yes" ` + ready),
			Request{Scheme: "http", Host: "localhost", Port: 8080, Path: "/ready", Strict: true,
				Headers: []Header{{"Accept", "application/json"}, {"X-Probe", "yes"}}}},
		{"header of wget", []string{"wget", "--header=Accept: text/plain", "-qO-", ready},
			Request{Scheme: "http", Host: "localhost", Port: 8080, Path: "/ready", Strict: true,
				Headers: []Header{{"Accept", "text/plain"}}}},

		{"grpc_health_probe -addr=", []string{"/bin/grpc_health_probe", "-addr=:9000"}, Request{Scheme: "tcp", Port: 9000}},
		{"grpc_health_probe --addr", []string{"grpc_health_probe", "-rpc-timeout=5s", "--addr", "localhost:9000"},
			Request{Scheme: "tcp", Host: "localhost", Port: 9000}},
		{"grpc_health_probe in a shell", sh("grpc_health_probe -addr=127.0.0.1:9000 -service=x"),
			Request{Scheme: "tcp", Host: "127.0.0.1", Port: 9000}},
		{"the last -addr", []string{"grpc_health_probe", "-addr=:8080", "-addr=:9999"}, Request{Scheme: "tcp", Port: 9999}},
		{"grpc_health_probe with TLS and the timeouts of its documentation",
			[]string{"grpc_health_probe", "-tls", "-tls-no-verify", "-connect-timeout", "250ms", "-rpc-timeout=100ms",
				"-addr", ":9000"},
			Request{Scheme: "tcp", Port: 9000}},
		{"nc without names", []string{"nc", "-zn", "127.0.0.1", "8080"},
			Request{Scheme: "tcp", Host: "127.0.0.1", Port: 8080}},
		{"nc", []string{"nc", "-zv", "-w", "2", "localhost", "8080"}, Request{Scheme: "tcp", Host: "localhost", Port: 8080}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := Interpret(tc.command)
			if err != nil {
				t.Fatalf("the command %q %v", tc.command, err)
			}
			got.Exact, got.Limit = false, 0 // TestExact, TestLimit
			if !reflect.DeepEqual(got, tc.want) {
				t.Errorf("%q\ngot  %+v\nwant %+v", tc.command, got, tc.want)
			}
		})
	}
}

func TestLimit(t *testing.T) {
	for line, want := range map[string]time.Duration{
		"curl -f localhost:8080":                            0,
		"curl -f -m 5 localhost:8080":                       5 * time.Second,
		"curl -f -m 5 --connect-timeout 1.5 localhost:8080": 1500 * time.Millisecond,
		"curl -f --connect-timeout 2 -m 1 localhost:8080":   time.Second,
	} {
		if got, err := Interpret(sh(line)); err != nil || got.Limit != want {
			t.Errorf("%s: limit %v, error %v; want %v", line, got.Limit, err, want)
		}
	}
}

func TestExact(t *testing.T) {
	const ready = "http://localhost:8080/ready"
	for _, tc := range []struct {
		line string
		want bool
	}{
		{"curl -f " + ready, true},
		{"curl --fail-with-body -sS -o /dev/null -m 2 " + ready, true},
		{"curl -f http://127.0.0.1:8080/ready?full=1 >/dev/null 2>&1 || exit 1", true},
		{"curl -f 0.0.0.0:8080", true},
		{"curl " + ready, false},
		{"curl -fL " + ready, false},
		{"curl -fk https://localhost:8443/ready", false},
		{"curl -f https://localhost:8443/ready", false},
		{"curl -fk " + ready, false},
		{"curl -f -H 'Accept: text/plain' " + ready, false},
		{"curl -f --compressed " + ready, false},
		{"curl -f --retry 3 " + ready, false},
		{"curl -f0 " + ready, false},
		{"curl -f http://[::1]:8080/ready", false},
		{"wget -q --spider " + ready, false},
		{"wget -qO- " + ready, false},
		{"curl -f --speed-time 1 --speed-limit 999999 " + ready, false},
		{"nc -z localhost 8080", false},
	} {
		got, err := Interpret(sh(tc.line))
		if err != nil || got.Exact != tc.want {
			t.Errorf("%s: exact %t, error %v; want %t", tc.line, got.Exact, err, tc.want)
		}
	}
}

// The reason follows the words "the command".
func TestNotInterpreted(t *testing.T) {
	for _, tc := range []struct {
		command []string
		reason  string
	}{
		{nil, "is empty"},
		{[]string{}, "is empty"},
		{sh("  "), "is empty"},
		{[]string{"curl -f http://localhost:8080/ready"}, "is a single string with spaces, not a program name"},
		{[]string{"cat", "/tmp/ready"}, `runs "cat", which has no known equivalent`},
		{[]string{"/usr/bin/python3", "health_check.py"}, `runs "python3"`},
		{sh("! curl localhost"), `runs "!"`},
		{[]string{"sh"}, "starts a shell without a command"},
		{[]string{"sh", "-c"}, "starts a shell without a command"},
		{[]string{"bash", "/probe.sh"}, "runs a shell script from a file"},

		{sh("curl -s localhost:8080/ready | grep true"), "does more than run one program"},
		{sh("curl -f localhost:8080/a && curl -f localhost:8080/b"), "does more than run one program"},
		{sh("curl -f localhost:8080/a; curl -f localhost:8080/b"), "does more than run one program"},
		{sh("curl -f localhost:8080/a\ncurl -f localhost:8080/b"), "does more than run one program"},
		{sh("curl -f localhost:8080/a || true"), "does more than run one program"},
		{sh("curl -f localhost:8080/a || exit 0"), "does more than run one program"},
		{sh("curl -f localhost:8080/a?x=1&y=2"), "does more than run one program"},
		{sh("curl -f localhost:8080/a &>/dev/null"), "does more than run one program"},
		{sh("curl -f localhost:8080/a > /tmp/out"), "does more than run one program"},
		{sh("curl -f localhost:$PORT/a"), "uses variables"},
		{sh(`curl -f "$(hostname):8080/a"`), "uses variables"},
		{sh("curl -f `hostname`:8080/a"), "uses variables"},
		{sh(`curl -f "localhost:8080/a`), "has an unclosed quote"},
		{sh(`curl -f localhost:8080/a \`), "ends in a backslash"},

		{sh("curl -f localhost:8080/a && exit 1 || exit 0"), "does more than run one program"},
		{sh("curl -f localhost:8080/a && exit 0 || exit 0"), "does more than run one program"},
		{sh("curl -f localhost:8080/a && exit 1"), "does more than run one program"},
		{sh("curl -f localhost:8080/a || exit 256"), "does more than run one program"},
		{sh("curl -f localhost:8080/a || exit $?"), "does more than run one program"},
		{sh("curl -f localhost:8080/a || { exit 1; }"), "does more than run one program"},
		{sh("curl -f localhost:8080/a || ! true"), "does more than run one program"},
		{sh("exit 0 || curl -f localhost:8080/a"), "does more than run one program"},
		{sh("curl -f localhost:8080/a; exit 0"), "does more than run one program"},
		{sh("curl -f localhost:8080/a &"), "does more than run one program"},
		{sh("if curl -f localhost:8080/a; then exit 0; else exit 1; fi"), "does more than run one program"},
		{sh("(curl -f localhost:8080/a)"), "does more than run one program"},
		{sh("curl -f localhost:8080/a >&-"), "does more than run one program"},
		{sh("curl -f localhost:8080/a 3>/dev/null"), "does more than run one program"},
		{sh("curl -f localhost:8080/a 2>&1>&2"), "does more than run one program"},
		{sh(`curl -f localhost:8080/a >"$OUT"`), "does more than run one program"},
		{sh("curl -f localhost:8080/a </dev/tty"), "does more than run one program"},
		{sh("curl -f localhost:8080/a <<EOF\n|| exit 1\nEOF"), "does more than run one program"},
		{sh("curl -f localhost:8080/a <<EOF"), "is not a valid script"},
		{sh("curl -f localhost:8080/a |"), "is not a valid script"},
		{sh("curl -f localhost:8080/a # ready \\\ncurl -f localhost:8080/b"), "has a line with # that ends in a backslash"},
		{sh("# ready"), "is empty"},
		{sh("URL=localhost:8080/a"), "sets variables"},
		{sh("http_proxy= curl -f localhost:8080/a"), "sets variables"},
		{sh("curl -f localhost:${PORT}/a"), "uses variables"},
		{sh("curl -f localhost:${PORT:-8080}/a"), "uses variables"},
		{sh("curl -f localhost:$((8000+80))/a"), "uses variables"},
		{sh("curl -f $'localhost:8080/a'"), "uses variables"},
		{sh(`curl -f $"localhost:8080/a"`), "uses variables"},
		{sh("curl -f localhost:8080/$"), "uses variables"},
		{sh("~/curl -f localhost:8080/a"), "uses a home directory"},
		{sh("curl -f -o a=~ localhost:8080/a"), "uses a home directory"},
		{sh("curl -f {localhost:8080/a,localhost:8080/b}"), "uses braces"},
		{sh("curl -f localhost:808{0..1}/a"), "uses braces"},
		{sh("curl -f -o *.txt localhost:8080/a"), "uses *, ? or ["},
		{sh("curl -f localhost/a?b=c"), "uses *, ? or ["},
		{sh("[ -f /tmp/ready ]"), `runs "["`},
		{sh("curl -f localhost:8080/a\r"), "has a carriage return"},
		{sh("curl -f localhost:8080/a\\\r\n -s"), "has a carriage return"},
		{sh("curl -f local\x00host:8080/a"), "has a carriage return or a NUL"},
		{sh("curl -f localhost:8080/a\\\\\\\nb"), "has a line that ends in two backslashes"},
		{sh("curl -f localhost:8080/a\\\\\nb"), "has a line that ends in two backslashes"},
		{sh("curl -f localhost:8080/a" + strings.Repeat(" ", 4096)), "is a script of more than 4096 bytes"},
		{sh(strings.Repeat("(", 4096)), "is not a valid script"},
		{[]string{"sh", "-", "-c", "curl -f localhost:8080/a"}, "runs a shell script from a file"},
		{[]string{"bash", "-o", "noexec", "-c", "curl -f localhost:8080/a"}, "uses option -o of the shell"},
		{[]string{"bash", "-co", "pipefail", "curl -f localhost:8080/a"}, "uses option -co of the shell"},
		{[]string{"bash", "-o"}, "uses option -o of the shell"},

		{[]string{"curl", "-X", "POST", "localhost:8080/a"}, "sends POST"},
		{[]string{"curl", "-I", "localhost:8080/a"}, "sends HEAD"},
		{[]string{"curl", "-d", "{}", "-X", "GET", "localhost:8080/a"}, "sends a body"},
		{[]string{"wget", "--post-data=x", "localhost:8080/a"}, "sends a body"},
		{[]string{"curl", "-f", "localhost:8080/a", "localhost:8080/b"}, "requests 2 URLs"},
		{[]string{"curl", "-f", "localhost:8080/{a,b}"}, "which is a pattern"},
		{[]string{"curl", "-f", "localhost:808[0-1]/a"}, "which is a pattern"},
		{[]string{"curl", "-f"}, "requests 0 URLs"},
		{[]string{"curl", "-f", "http://model.example.com/ready"}, "calls another host, model.example.com"},
		{[]string{"curl", "-f", "http://10.0.0.1:8080/ready"}, "calls another host"},
		{[]string{"curl", "-f", "http://user:pass@localhost:8080/ready"}, "sends a user name or password"},
		{[]string{"curl", "-f", "ftp://localhost/ready"}, "uses ftp"},
		{[]string{"curl", "-f", "file:///tmp/ready"}, "uses file"},
		{[]string{"curl", "-f", "http://localhost:99999/ready"}, "which is not a port number"},
		{[]string{"curl", "-f", "http://localhost:0/ready"}, "which is not a port number"},
		{[]string{"curl", "-f", "http://localhost:http/ready"}, "which is not a URL"},
		{[]string{"curl", "-f", "http://localhost:8080//ready"}, "can't express"},
		{[]string{"curl", "-f", "http://localhost:8080/%zz"}, "which is not a URL"},
		{[]string{"curl", "-f", "http://localhost:8080/a?b=%zz"}, "which is not a URL"},
		{[]string{"curl", "-f", "http://localhost:8080/a b"}, "which is not a URL"},
		{[]string{"curl", "-f", "http://localhost:8080/a?b=c d"}, "which is not a URL"},
		{[]string{"curl", "-f", "http://localhost:8080/a "}, "which is not a URL"},
		{[]string{"curl", "-f", "http://localhost:8080/a#b c"}, "which is not a URL"},
		{[]string{"curl", "-f", "http://localhost:8080/a?b\tc"}, "which is not a URL"},
		{[]string{"curl", "-f", "http://localhost:8080/a\x7f"}, "which is not a URL"},
		{[]string{"curl", "-f", "http://localhost:8080/é"}, "which is not a URL"},
		{[]string{"wget", "-qO-", "http://localhost:8080/a?é"}, "which is not a URL"},
		{[]string{"curl", "-f", `http://localhost:8080/a"b`}, "which is not a URL"},
		{[]string{"wget", "-qO-", "http://localhost:8080/a?b<c"}, "which is not a URL"},
		{[]string{"wget", "-qO-", "http://localhost:8080/a?b|c"}, "which is not a URL"},
		{[]string{"curl", "-f", `http://localhost:8080/a\b`}, "which is not a URL"},
		{[]string{"curl", "-f", ""}, "names no host"},
		{[]string{"curl", "-f", "//localhost:8080/a"}, "names no host"},
		{[]string{"curl", "-f", "http://[::1]:8080/[1-3]"}, "which is a pattern"},
		{[]string{"curl", "-f", "[::1]:8080/x?a[]=1"}, "which is a pattern"},
		{[]string{"curl", "-f", "http://localhost:8080/x?a[]=1"}, "which is a pattern"},
		{[]string{"curl", "-f", "http://localhost:8080/x?a=[::1]"}, "which is a pattern"},
		{[]string{"curl", "-f", "http://localhost:8080/a]b"}, "which is a pattern"},
		{[]string{"curl", "-f", "http://localhost:8080/a#[1-3]"}, "which is a pattern"},
		{[]string{"curl", "-f", "http://[127.0.0.1]:8080/a"}, "which is a pattern"},
		{[]string{"curl", "-f", "http://localhost:8080/a/../health"}, "which has the segment .."},
		{[]string{"curl", "-f", "http://localhost:8080/a/./health"}, "which has the segment ."},
		{[]string{"curl", "-f", "http://localhost:8080/.."}, "which has the segment .."},
		{[]string{"curl", "-f", "http://localhost:8080/a/%2e%2E/health"}, "which has the segment .."},
		{[]string{"curl", "-f", "http://localhost:8080/a/.%2e/"}, "which has the segment .."},
		{[]string{"wget", "-qO-", "http://localhost:8080/a;x/../b"}, "which has the segment .."},
		{[]string{"wget", "-qO-", "http://localhost:8080?full=1"}, "GNU and BusyBox wget read differently"},
		{[]string{"wget", "-qO-", "http://localhost:8080/a#top"}, "GNU and BusyBox wget read differently"},
		{[]string{"wget", "-qO-", "localhost:8080/?u=http://y"}, "GNU and BusyBox wget read differently"},
		{[]string{"wget", "-qO-", "[::1]:8080/a"}, "GNU and BusyBox wget read differently"},
		{[]string{"wget", "-qO-", "HTTP://localhost:8080/a"}, "GNU and BusyBox wget read differently"},
		{[]string{"curl", "-f", "-6", "http://127.0.0.1:8080/a"}, "uses option -6 with host 127.0.0.1"},
		{[]string{"curl", "-f4", "http://[::1]:8080/a"}, "uses option -4 with host ::1"},
		{[]string{"curl", "-f", "-o", "/nodir/x", "localhost:8080/a"}, `writes to "/nodir/x"`},
		{[]string{"wget", "-O", "/tmp/x", "localhost:8080/a"}, `writes to "/tmp/x"`},
		{[]string{"wget", "-qO-", "-o", "/tmp/x", "localhost:8080/a"}, `writes to "/tmp/x"`},
		{[]string{"wget", "-q", "localhost:8080/a"}, "saves the response in a file"},
		{[]string{"curl", "-f", "-w", "@/tmp/x", "localhost:8080/a"}, `uses format "@/tmp/x"`},
		{[]string{"curl", "-f", "-w", "%output{/tmp/x}", "localhost:8080/a"}, `uses format "%output{/tmp/x}"`},
		{[]string{"curl", "-f", "--cacert", "/nodir/x", "https://localhost:8080/a"}, "uses option --cacert"},
		{[]string{"curl", "-f", "--cert", "/nodir/x", "https://localhost:8080/a"}, "uses option --cert"},
		{[]string{"wget", "-qO-", "--ca-certificate=/nodir/x", "https://localhost/a"}, "uses option --ca-certificate"},
		{[]string{"curl", "-f", "--max-time", "0.000001", "localhost:8080/a"}, `the number "0.000001"`},
		{[]string{"curl", "-f", "-m", "abc", "localhost:8080/a"}, `the number "abc"`},
		{[]string{"curl", "-f", "-m99999999999999999999", "localhost:8080/a"}, `the number "99999999999999999999"`},
		{[]string{"curl", "-f", "--connect-timeout", "0.1", "localhost:8080/a"}, `the number "0.1"`},
		{[]string{"curl", "-f", "--retry", "x", "localhost:8080/a"}, `the number "x"`},
		{[]string{"curl", "-f", "--retry-delay", "1.5", "localhost:8080/a"}, `the number "1.5"`},
		{[]string{"wget", "-qO-", "-T", "1.5", "localhost:8080/a"}, `the number "1.5"`}, // BusyBox
		{[]string{"wget", "-qO-", "--tries=x", "localhost:8080/a"}, `the number "x"`},
		{[]string{"curl", "-f", "--fail-with-body", "localhost:8080/a"}, "more than once"},
		{[]string{"curl", "--unix-socket", "/run/x", "http://localhost/"}, "uses option --unix-socket"},
		{[]string{"curl", "--request=GET", "localhost"}, "uses option --request=GET"}, // curl knows no =
		{[]string{"curl", "-u", "me", "localhost"}, "uses option -u"},
		{[]string{"curl", "-f", "localhost", "-m"}, "gives option --max-time no value"},
		{[]string{"curl", "-f", "-H", "Host: model.example.com", "localhost"}, "sends header Host"},
		{[]string{"curl", "-f", "-H", "authorization: Bearer x", "localhost"}, "sends header authorization"},
		{[]string{"curl", "-f", "-H", "Content-Length: 5", "localhost"}, "sends header Content-Length"},
		{[]string{"wget", "-qO-", "--header=X-A: 1", "--header=x-a: 2", "localhost"}, "sends header x-a twice"},
		{[]string{"curl", "-f", "-H", "@/headers", "localhost"}, "can't repeat"},
		{[]string{"curl", "-f", "-H", "Accept;", "localhost"}, "can't repeat"},
		{[]string{"curl", "-f", "-H", "X-A: b\nX-B: c", "localhost"}, "can't repeat"},
		{[]string{"grpc_health_probe"}, "without -addr"},
		{[]string{"grpc_health_probe", "-addr"}, "flag needs an argument: -addr"},
		{[]string{"grpc_health_probe", "-service", "-addr=:9000"}, "without -addr"},   // the name of the service
		{[]string{"grpc_health_probe", "-v", "true", "-addr=:9000"}, "without -addr"}, // true ends the options
		{[]string{"grpc_health_probe", "--", "-addr=:9000"}, "without -addr"},
		{[]string{"grpc_health_probe", "-addr=:9000", "-addr="}, "without -addr"},
		{[]string{"grpc_health_probe", "-addr=:9000", "-addr=model:9000"}, "calls another host, model"},
		{[]string{"grpc_health_probe", "-addr=:9000", "-version"}, "flag provided but not defined: -version"},
		{[]string{"grpc_health_probe", "-addr=:9000", "-h"}, "options that are not understood"},
		{[]string{"grpc_health_probe", "---addr=:9000"}, "bad flag syntax"},
		{[]string{"grpc_health_probe", "-addr=:9000", "-rpc-timeout=5"}, "for flag -rpc-timeout"},
		{[]string{"grpc_health_probe", "-addr=:9000", "-rpc-timeout=0s"}, "has a timeout of 0s, which may be too short"},
		{[]string{"grpc_health_probe", "-addr=:9000", "-connect-timeout", "1us"}, "has a timeout of 1µs"},
		{[]string{"grpc_health_probe", "-addr=:9000", "-tls=maybe"}, "for -tls"},
		{[]string{"grpc_health_probe", "-addr=model:9000"}, "calls another host, model"},
		{[]string{"grpc_health_probe", "-addr=9000"}, "which is not host:port"},
		{[]string{"nc", "-z", "localhost"}, "a form other than"},
		{[]string{"nc", "localhost", "8080"}, "a form other than"},
		{[]string{"nc", "-z", "", "8080"}, "a form other than"},
		{[]string{"nc", "-zn", "localhost", "8080"}, "a form other than"},
		{[]string{"nc", "-z", "-w", "0", "localhost", "8080"}, "a form other than"},
	} {
		got, err := Interpret(tc.command)
		if err == nil || !strings.Contains(err.Error(), tc.reason) {
			t.Errorf("%q: got %+v, error %v, want one with %q", tc.command, got, err, tc.reason)
		}
	}
}

// TestShellsAgree runs scripts in real shells, with a curl that notes its arguments, once fails and once succeeds.
func TestShellsAgree(t *testing.T) {
	dir := t.TempDir()
	notes := filepath.Join(dir, "notes")
	program := "#!/bin/sh\nprintf '%s\\0' \"$#\" \"$@\" >>'" + notes + "'\nexit $CODE\n"
	if err := os.WriteFile(filepath.Join(dir, "curl"), []byte(program), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, script := range []string{
		"curl",
		"exec curl a",
		"curl a || exit 1",
		"curl a && exit 0 || exit 1",
		"curl a || exit 3 && exit 0",
		"curl a && true || false",
		"curl a || false && : || exit 255",
		"curl a && : || false && exit 0 || exit 1",
		"curl a >/dev/null 2>&1 && exit 0 >>/dev/null || exit 1 >&2;",
		"# before\n\ncurl a || exit 1 # $(after)\n# 'end",
		"curl a#b '#' \"#\" # c",
		`curl 'a b' "c d" e\ f '' "" "g"'h'i '\' "\x\\\$\"'" \*\~:`,
		"curl \"\\`\" \\`",
		"curl a\\\nb \"c\\\nd\" 'e\\\nf' \\\n g\\\\",
		"curl %{http_code} {} a,b x..y http://[::1]:8080/a?b=c&&:",
		"curl a~ b/~ 1>/dev/null 2>/dev/null",
		"curl a&&exit 0||exit 1",
	} {
		command, err := words(script)
		if err != nil || command[0] != "curl" {
			t.Errorf("%q: %q, %v", script, command, err)
			continue
		}
		for _, shell := range []string{"sh", "bash"} {
			for _, code := range []string{"0", "22"} {
				cmd := exec.Command(shell, "-c", script)
				cmd.Dir, cmd.Env = t.TempDir(), []string{"PATH=" + dir, "HOME=/home", "CODE=" + code}
				out, err := cmd.CombinedOutput()
				seen, _ := os.ReadFile(notes)
				want := strings.Join(append([]string{strconv.Itoa(len(command) - 1)}, command[1:]...), "\x00") + "\x00"
				if string(seen) != want || (err == nil) != (code == "0") {
					t.Errorf("%s -c %q, curl exits with %s: %v %s, arguments %q, want %q",
						shell, script, code, err, out, seen, want)
				}
				os.Remove(notes)
			}
		}
	}
}

// TestSpider runs the wgets that there are with --spider.
func TestSpider(t *testing.T) {
	for _, tc := range []struct {
		tool     []string
		response int // to HEAD; the one to GET is 200
		methods  string
		succeeds bool
	}{
		{[]string{"wget"}, http.StatusOK, "HEAD", true},
		{[]string{"wget"}, http.StatusMethodNotAllowed, "HEAD", false},
		{[]string{"wget"}, http.StatusNotImplemented, "HEAD GET", true},
		{[]string{"busybox", "wget"}, http.StatusMethodNotAllowed, "GET", true},
	} {
		t.Run(fmt.Sprint(tc.tool, tc.response), func(t *testing.T) {
			version, err := exec.Command(tc.tool[0], "--help").CombinedOutput()
			if err != nil || tc.tool[0] == "wget" && !strings.HasPrefix(string(version), "GNU Wget") {
				t.Skip("it is not installed")
			}
			var methods []string
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				methods = append(methods, r.Method)
				if r.Method == http.MethodHead {
					w.WriteHeader(tc.response)
				}
			}))
			err = exec.Command(tc.tool[0], append(tc.tool[1:], "-q", "--spider", server.URL+"/ready")...).Run()
			server.Close()
			if got := strings.Join(methods, " "); got != tc.methods || (err == nil) != tc.succeeds {
				t.Errorf("sends %s, want %s; %v", got, tc.methods, err)
			}
		})
	}
}

func FuzzInterpret(f *testing.F) {
	for _, line := range []string{
		"curl -X GET 0.0.0.0:8080/v2/models/model/versions/1/ready",
		`curl -fsS "http://[::1]:8080/a?b=c" -H 'Accept: x' >/dev/null 2>&1 || exit 1`,
		"wget -qO- --timeout=2 https://localhost/",
		"grpc_health_probe -addr=:9000",
		"nc -zv localhost 80",
		"curl \\\n '",
		"curl -f http://localhost//x",
		"exec curl localhost && exit 0 || exit 1 # $",
	} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		for _, command := range [][]string{sh(line), strings.Fields(line), {line}} {
			r, err := Interpret(command)
			switch {
			case err != nil:
			case r.Port < 1 || r.Port > 65535:
				t.Errorf("%q: port %d", command, r.Port)
			case r.Scheme == "tcp":
				if r.Path != "" || r.Strict || r.Headers != nil {
					t.Errorf("%q: %+v", command, r)
				}
			case r.Scheme != "http" && r.Scheme != "https" || !local(r.Host) ||
				!strings.HasPrefix(r.Path, "/") || strings.HasPrefix(r.Path, "//"):
				t.Errorf("%q: %+v", command, r)
			}
		}
	})
}
