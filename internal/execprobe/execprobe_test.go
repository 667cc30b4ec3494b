package execprobe

import (
	"reflect"
	"strings"
	"testing"
)

// sh is a command line given to a shell.
func sh(line string) []string { return []string{"/bin/sh", "-c", line} }

func TestInterpret(t *testing.T) {
	const ready = "http://localhost:8080/ready"
	strict := Request{Scheme: "http", Host: "localhost", Port: 8080, Path: "/ready", Strict: true}
	lax := Request{Scheme: "http", Host: "localhost", Port: 8080, Path: "/ready"}
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
		{"what the output goes to does not matter", []string{"curl", "-f", "-o", "/dev/null", "-w", "%{http_code}", ready}, strict},
		{"GET is the default", []string{"curl", "-f", "-X", "GET", "--url", ready}, strict},
		{"-XGET", []string{"curl", "-fXGET", ready}, strict},

		{"wget is always strict", []string{"wget", "-q", "--spider", ready}, strict},
		{"wget to standard output", []string{"wget", "-qO-", ready}, strict},
		{"wget with values after =", []string{"wget", "-nv", "--tries=1", "--timeout=2", "--output-document=/dev/null", ready}, strict},
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
		{"nc", []string{"nc", "-zv", "-w", "2", "localhost", "8080"}, Request{Scheme: "tcp", Host: "localhost", Port: 8080}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := Interpret(tc.command)
			if err != nil {
				t.Fatalf("the command %q %v", tc.command, err)
			}
			if !reflect.DeepEqual(got, tc.want) {
				t.Errorf("%q\ngot  %+v\nwant %+v", tc.command, got, tc.want)
			}
		})
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
		{[]string{"curl -f http://localhost:8080/ready"}, "is one word with blanks"},
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
		{sh("curl -f localhost:8080/a # ready?"), "uses a comment"},

		{[]string{"curl", "-X", "POST", "localhost:8080/a"}, "sends POST"},
		{[]string{"curl", "-I", "localhost:8080/a"}, "sends HEAD"},
		{[]string{"curl", "-d", "{}", "-X", "GET", "localhost:8080/a"}, "sends a body"},
		{[]string{"wget", "--post-data=x", "localhost:8080/a"}, "sends a body"},
		{[]string{"curl", "-f", "localhost:8080/a", "localhost:8080/b"}, "asks 2 URLs"},
		{[]string{"curl", "-f", "localhost:8080/{a,b}"}, "which is a pattern"},
		{[]string{"curl", "-f", "localhost:808[0-1]/a"}, "which is a pattern"},
		{[]string{"curl", "-f"}, "asks 0 URLs"},
		{[]string{"curl", "-f", "http://model.example.com/ready"}, "asks another host, model.example.com"},
		{[]string{"curl", "-f", "http://10.0.0.1:8080/ready"}, "asks another host"},
		{[]string{"curl", "-f", "http://user:pass@localhost:8080/ready"}, "sends a user name or password"},
		{[]string{"curl", "-f", "ftp://localhost/ready"}, "uses ftp"},
		{[]string{"curl", "-f", "file:///tmp/ready"}, "uses file"},
		{[]string{"curl", "-f", "http://localhost:99999/ready"}, "which is no port number"},
		{[]string{"curl", "-f", "http://localhost:0/ready"}, "which is no port number"},
		{[]string{"curl", "-f", "http://localhost:http/ready"}, "which is no URL"},
		{[]string{"curl", "-f", "http://localhost:8080//ready"}, "can't express"},
		{[]string{"curl", "-f", "http://localhost:8080/%zz"}, "which is no URL"},
		{[]string{"curl", "--unix-socket", "/run/x", "http://localhost/"}, "uses option --unix-socket"},
		{[]string{"curl", "--request=GET", "localhost"}, "uses option --request=GET"}, // curl knows no =
		{[]string{"curl", "-u", "me", "localhost"}, "uses option -u"},
		{[]string{"curl", "-f", "localhost", "-m"}, "gives option --max-time no value"},
		{[]string{"curl", "-f", "-H", "Host: model.example.com", "localhost"}, "sends header Host"},
		{[]string{"curl", "-f", "-H", "authorization: Bearer x", "localhost"}, "sends header authorization"},
		{[]string{"curl", "-f", "-H", "@/headers", "localhost"}, "can't repeat"},
		{[]string{"curl", "-f", "-H", "Accept;", "localhost"}, "can't repeat"},
		{[]string{"grpc_health_probe"}, "without -addr"},
		{[]string{"grpc_health_probe", "-addr"}, "without -addr"},
		{[]string{"grpc_health_probe", "-addr=model:9000"}, "asks another host, model"},
		{[]string{"grpc_health_probe", "-addr=9000"}, "which is no host and port"},
		{[]string{"nc", "-z", "localhost"}, "another form"},
		{[]string{"nc", "localhost", "8080"}, "another form"},
	} {
		got, err := Interpret(tc.command)
		if err == nil || !strings.Contains(err.Error(), tc.reason) {
			t.Errorf("%q: got %+v, error %v, want one with %q", tc.command, got, err, tc.reason)
		}
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
			case r.Scheme != "http" && r.Scheme != "https" || !strings.HasPrefix(r.Path, "/") || strings.HasPrefix(r.Path, "//") || !local(r.Host):
				t.Errorf("%q: %+v", command, r)
			}
		}
	})
}
