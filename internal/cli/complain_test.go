package cli

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

func TestComplain(t *testing.T) {
	for _, tt := range []struct {
		name, dir, app, err, want string
	}{
		{"as it is", "/srv/repo", "", "app/a.yaml:3:1: bad", "app/a.yaml:3:1: bad\n"},
		{"with the Application", "/srv/repo", "iris", "one\ntwo\n", "iris: one\niris: two\n"},
		{"below the working directory", "/srv/repo", "", "open /srv/repo/app/a.yaml: no (/srv/repo/b)", "open app/a.yaml: no (b)\n"},
		{"a path that only ends like it", "/repo", "", "open /srv/repo/a.yaml: no", "open /srv/repo/a.yaml: no\n"},
		{"the root as working directory", "/", "", "open /srv/a.yaml: no", "open /srv/a.yaml: no\n"},
		{"beside the folder in Argo CD's copy", "/tmp/_cmp_server/1f/apps/a", "", "read /tmp/_cmp_server/1f/base/b.yaml: no", "read base/b.yaml: no\n"},
		{"terminal controls", "/srv/repo", "", "name \x1b[31mred\r", "name [31mred\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var stderr bytes.Buffer
			env := Env{Stderr: &stderr, Dir: tt.dir, Environ: []string{"ARGOCD_APP_NAME=" + tt.app}}
			env.complain(errors.New(tt.err))
			if stderr.String() != tt.want {
				t.Errorf("got %q, want %q", &stderr, tt.want)
			}
		})
	}
}

func TestComplainIsShort(t *testing.T) {
	for name, text := range map[string]string{
		"one long line":     strings.Repeat("é", 3000),
		"many lines":        strings.Repeat("app/a.yaml:3:1: something is wrong\n", 3000),
		"one long, a few":   strings.Repeat("x", 2000) + "\nb\nc\n",
		"just short enough": strings.Repeat(strings.Repeat("x", 97)+"\n", 19),
	} {
		var stderr bytes.Buffer
		env := Env{Stderr: &stderr, Dir: "/srv", Environ: []string{"ARGOCD_APP_NAME=iris"}}
		env.complain(errors.New(text))
		if n := stderr.Len(); n > maxComplaint || n < 1500 {
			t.Errorf("%s: %d bytes", name, n)
		}
		if !strings.HasSuffix(stderr.String(), "\n") {
			t.Errorf("%s: ends without a line end", name)
		}
	}
}
