package cli

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

func TestComplain(t *testing.T) {
	for _, tc := range []struct {
		name, dir, app string
		err            error
		want           string
	}{
		{"as it is", "/srv/repo", "", errors.New("app/a.yaml:3:1: bad"), "app/a.yaml:3:1: bad\n"},
		{"with the Application", "/srv/repo", "iris",
			errors.Join(errors.New("one"), errors.New("two\n")), "iris: one\niris: two\n"},
		{"errors joined twice", "/srv/repo", "",
			errors.Join(errors.New("one"), errors.Join(errors.New("two"), errors.New("three"))), "one\ntwo\nthree\n"},
		{"a name with a line end", "/srv/repo", "", errors.New("app/a\n::error::b.yaml:3:1: bad"),
			`app/a\n::error::b.yaml:3:1: bad` + "\n"},
		{"a workflow command", "/srv/repo", "", errors.New("::error::b.yaml:3:1: bad"), `\x3a:error::b.yaml:3:1: bad` + "\n"},
		{"below the working directory", "/srv/repo", "",
			errors.New("open /srv/repo/app/a.yaml: no (/srv/repo/b)"), "open app/a.yaml: no (b)\n"},
		{"a path that only ends like it", "/repo", "", errors.New("open /srv/repo/a.yaml: no"), "open /srv/repo/a.yaml: no\n"},
		{"the root as working directory", "/", "", errors.New("open /srv/a.yaml: no"), "open /srv/a.yaml: no\n"},
		{"beside the folder in Argo CD's copy", "/tmp/_cmp_server/1f/apps/a", "",
			errors.New("read /tmp/_cmp_server/1f/base/b.yaml: no"), "read base/b.yaml: no\n"},
		{"terminal controls", "/srv/repo", "a\a",
			errors.Join(errors.New("name \x1b[31mred\rr"), errors.New("bell\a\u009b1m\u202e\t\r\n")),
			`a\a: name \x1b[31mred\rr` + "\n" + `a\a: bell\a\u009b1m\u202e` + "\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var stderr bytes.Buffer
			env := Env{Stderr: &stderr, Dir: tc.dir, Environ: []string{"ARGOCD_APP_NAME=" + tc.app}}
			env.state = newState(env, nil)
			env.complain(tc.err)
			if stderr.String() != tc.want {
				t.Errorf("got %q, want %q", &stderr, tc.want)
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
		env.state = newState(env, nil)
		var errs []error
		for line := range strings.Lines(text) {
			errs = append(errs, errors.New(line))
		}
		env.complain(errors.Join(errs...))
		if n := stderr.Len(); n > 2048 || n < 1500 {
			t.Errorf("%s: %d bytes", name, n)
		}
		if !strings.HasSuffix(stderr.String(), "\n") {
			t.Errorf("%s: ends without a line end", name)
		}
		var whole bytes.Buffer
		elsewhere := Env{Stderr: &whole, Dir: "/srv"}
		elsewhere.state = newState(elsewhere, nil)
		elsewhere.complain(errors.Join(errs...))
		if n, want := whole.Len(), len(strings.TrimSuffix(text, "\n"))+1; n != want {
			t.Errorf("%s: %d bytes without Argo CD, want %d", name, n, want)
		}
	}
}
