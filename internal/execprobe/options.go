package execprobe

import (
	"fmt"
	"strings"
)

// option says what a command line option does to the request.
type option struct {
	value bool                                    // it has a value
	apply func(w *webRequest, value string) error // nil: it does not change what is asked
}

// The kinds of options. One that is in no table is not understood.
var (
	harmless  = option{}
	discarded = option{value: true}
	strictly  = option{apply: func(w *webRequest, _ string) error { w.strict = true; return nil }}
	method    = option{value: true, apply: func(_ *webRequest, v string) error { return onlyGET(v) }}
	head      = option{apply: func(*webRequest, string) error { return onlyGET("HEAD") }}
	body      = option{value: true, apply: func(*webRequest, string) error { return onlyGET("a body") }}
	header    = option{value: true, apply: (*webRequest).addHeader}
	address   = option{value: true, apply: func(w *webRequest, v string) error { w.urls = append(w.urls, v); return nil }}
)

// curlOptions are those of curl(1) that occur in probes. --insecure needs no counterpart: probes never verify.
var curlOptions = map[string]option{
	"--fail": strictly, "--fail-with-body": strictly,
	"--request": method, "--head": head, "--header": header, "--url": address,
	"--data": body, "--data-raw": body, "--data-binary": body, "--json": body, "--form": body,
	"--silent": harmless, "--show-error": harmless, "--verbose": harmless, "--no-progress-meter": harmless, "--progress-bar": harmless,
	"--include": harmless, "--location": harmless, "--insecure": harmless, "--compressed": harmless, "--globoff": harmless,
	"--no-buffer": harmless, "--ipv4": harmless, "--ipv6": harmless, "--http1.0": harmless, "--http1.1": harmless, "--no-keepalive": harmless,
	"--output": discarded, "--max-time": discarded, "--connect-timeout": discarded, "--retry": discarded, "--retry-delay": discarded,
	"--retry-max-time": discarded, "--retry-connrefused": harmless, "--retry-all-errors": harmless, "--write-out": discarded,
	"--noproxy": discarded, "--cacert": discarded, "--speed-time": discarded, "--speed-limit": discarded,
}

var curlShort = map[byte]string{
	'f': "--fail", 'X': "--request", 'I': "--head", 'H': "--header", 'd': "--data", 'F': "--form",
	's': "--silent", 'S': "--show-error", 'v': "--verbose", '#': "--progress-bar", 'i': "--include", 'L': "--location",
	'k': "--insecure", 'g': "--globoff", 'N': "--no-buffer", '4': "--ipv4", '6': "--ipv6", '0': "--http1.0",
	'o': "--output", 'm': "--max-time", 'w': "--write-out",
}

// wgetOptions are those of GNU and BusyBox wget that occur in probes.
var wgetOptions = map[string]option{
	"--method": method, "--header": header, "--post-data": body, "--body-data": body, "--post-file": body,
	"--quiet": harmless, "--spider": harmless, "--verbose": harmless, "--no-verbose": harmless, "--server-response": harmless,
	"--no-check-certificate": harmless, "--no-proxy": harmless, "--inet4-only": harmless, "--inet6-only": harmless,
	"--output-document": discarded, "--timeout": discarded, "--tries": discarded, "--connect-timeout": discarded, "--read-timeout": discarded,
	"--dns-timeout": discarded, "--waitretry": discarded, "--wait": discarded, "--max-redirect": discarded, "--ca-certificate": discarded,
	"--retry-connrefused": harmless, "--output-file": discarded,
}

var wgetShort = map[byte]string{
	'q': "--quiet", 'v': "--verbose", 'S': "--server-response", '4': "--inet4-only", '6': "--inet6-only",
	'O': "--output-document", 'T': "--timeout", 't': "--tries", 'w': "--wait", 'o': "--output-file",
}

func curl(args []string) (Request, error) {
	l := commandLine{args: args, long: curlOptions, short: curlShort}
	if err := l.read(); err != nil {
		return Request{}, err
	}
	return l.web.request()
}

// wget exits with 8 on an HTTP error, or 1 from BusyBox: it is always strict.
func wget(args []string) (Request, error) {
	l := commandLine{args: args, long: wgetOptions, short: wgetShort, equals: true, web: webRequest{strict: true}}
	if err := l.read(); err != nil {
		return Request{}, err
	}
	return l.web.request()
}

// commandLine is what is left to read of a command line, and what has been understood of it.
type commandLine struct {
	args   []string
	long   map[string]option
	short  map[byte]string
	equals bool // --name=value is understood
	web    webRequest
}

// read takes in all words: options before and after the URL, and short ones together (-sSf, -fo FILE, -m5).
func (l *commandLine) read() error {
	for len(l.args) > 0 {
		arg := l.args[0]
		l.args = l.args[1:]
		var err error
		switch {
		case l.equals && arg == "-nv": // the one short option of wget that has two letters
		case strings.HasPrefix(arg, "--"):
			err = l.takeLong(arg)
		case strings.HasPrefix(arg, "-") && len(arg) > 1:
			err = l.takeShort(arg[1:])
		default:
			l.web.urls = append(l.web.urls, arg)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (l *commandLine) takeLong(arg string) error {
	name, value, inline := arg, "", false
	if l.equals {
		name, value, inline = strings.Cut(arg, "=")
	}
	o, known := l.long[name]
	if !known || inline && !o.value {
		return fmt.Errorf("uses option %s, which is not understood", arg)
	}
	if inline {
		return o.change(&l.web, value)
	}
	return l.take(name, o)
}

// takeShort takes a word of short options. One that has a value takes the rest of the word, or else the next word.
func (l *commandLine) takeShort(letters string) error {
	for i := range len(letters) {
		name, known := l.short[letters[i]]
		if !known {
			return fmt.Errorf("uses option -%c, which is not understood", letters[i])
		}
		o := l.long[name]
		if rest := letters[i+1:]; o.value && rest != "" {
			return o.change(&l.web, rest)
		}
		if err := l.take(name, o); err != nil {
			return err
		}
	}
	return nil
}

// take applies an option with the next word as its value, if it has one.
func (l *commandLine) take(name string, o option) error {
	if !o.value {
		return o.change(&l.web, "")
	}
	if len(l.args) == 0 {
		return fmt.Errorf("gives option %s no value", name)
	}
	value := l.args[0]
	l.args = l.args[1:]
	return o.change(&l.web, value)
}

// onlyGET refuses what an HTTP probe can't send.
func onlyGET(method string) error {
	if method != "GET" {
		return fmt.Errorf("sends %s, an HTTP probe sends GET alone", method)
	}
	return nil
}

func (o option) change(w *webRequest, value string) error {
	if o.apply == nil {
		return nil
	}
	return o.apply(w, value)
}
