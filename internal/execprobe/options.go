package execprobe

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/lazyregexp"
)

// option is the effect of a command line option on the request.
type option struct {
	value bool                                    // it has a value
	apply func(w *webRequest, value string) error // nil: it does not change the request
}

// The kinds of options. An option that is in no table is not understood.
var (
	harmless  = option{}
	discarded = option{value: true}
	strictly  = option{apply: (*webRequest).failOnError}
	method    = option{value: true, apply: func(_ *webRequest, v string) error { return onlyGET(v) }}
	head      = option{apply: func(*webRequest, string) error { return onlyGET("HEAD") }}
	body      = option{value: true, apply: func(*webRequest, string) error { return onlyGET("a body") }}
	header    = option{value: true, apply: (*webRequest).addHeader}
	address   = option{value: true, apply: (*webRequest).addURL}
	ipv4      = option{apply: func(w *webRequest, _ string) error { w.family = "-4"; return nil }}
	ipv6      = option{apply: func(w *webRequest, _ string) error { w.family = "-6"; return nil }}
	logFile   = option{value: true, apply: func(_ *webRequest, v string) error { return unsaved(v) }}
	output    = option{value: true, apply: func(w *webRequest, v string) error { w.unsaved = true; return unsaved(v) }}
	spider    = option{apply: (*webRequest).checkOnly}
	format    = option{value: true, apply: func(_ *webRequest, v string) error { return checkFormat(v) }}
	timeLimit = option{value: true, apply: (*webRequest).limitTime}
	atLeast1  = number(fromOne)
	count     = number(whole)
	altering  = altered(harmless) // redirects, TLS options, headers, a protocol that a probe does not use
	again     = altered(count)
	slowness  = altered(atLeast1) // a response that is slow, but in time for a probe, fails
	speed     = altered(count)
)

// The usual numbers. Others make the tools fail, or run into a limit before the response comes.
var (
	fractional = lazyregexp.New(`^[1-9][0-9]{0,5}(\.[0-9]{1,6})?$`)
	fromOne    = lazyregexp.New(`^[1-9][0-9]{0,5}$`)
	whole      = lazyregexp.New(`^[0-9]{1,6}$`)
)

// number is an option whose value is a usual number.
func number(usual func() *regexp.Regexp) option {
	return option{value: true, apply: func(_ *webRequest, v string) error {
		if !usual().MatchString(v) {
			return unusualNumber(v)
		}
		return nil
	}}
}

// limitTime takes a number of seconds after which the command gives up. The shortest counts.
func (w *webRequest) limitTime(v string) error {
	if !fractional().MatchString(v) {
		return unusualNumber(v)
	}
	limit, err := time.ParseDuration(v + "s")
	if w.limit == 0 || limit < w.limit {
		w.limit = limit
	}
	return err
}

func unusualNumber(v string) error {
	return fmt.Errorf("gives an option the number %q, which may make it fail", v)
}

// altered is an option that makes the request more than one plain GET.
func altered(o option) option {
	return option{value: o.value, apply: func(w *webRequest, v string) error {
		w.altered = true
		return o.change(w, v)
	}}
}

// failOnError refuses a second option: curl 7.88 does not start with both --fail and --fail-with-body.
func (w *webRequest) failOnError(string) error {
	if w.strict {
		return errors.New("has --fail or --fail-with-body more than once")
	}
	w.strict = true
	return nil
}

// checkOnly is --spider. GNU wget sends HEAD, and GET only after the response 500 or 501 (src/http.c@v1.24.5); BusyBox
// sends GET (networking/wget.c@1_36_1).
func (w *webRequest) checkOnly(string) error {
	w.unsaved, w.head = true, true
	return nil
}

func (w *webRequest) addURL(v string) error {
	w.urls = append(w.urls, v)
	return nil
}

// unsaved refuses to write to a file.
func unsaved(file string) error {
	if file != "-" && file != "/dev/null" {
		return fmt.Errorf("writes to %q, which may fail", file)
	}
	return nil
}

// checkFormat refuses a format in a file, and one that writes to a file.
func checkFormat(format string) error {
	if strings.HasPrefix(format, "@") || strings.Contains(format, "%output{") {
		return fmt.Errorf("uses format %q, which may fail", format)
	}
	return nil
}

// curlOptions are those of curl(1) that occur in probes. --insecure needs no counterpart: probes never verify.
var curlOptions = map[string]option{
	"--fail": strictly, "--fail-with-body": strictly,
	"--request": method, "--head": head, "--header": header, "--url": address,
	"--data": body, "--data-raw": body, "--data-binary": body, "--json": body, "--form": body,
	"--silent": harmless, "--show-error": harmless, "--verbose": harmless,
	"--no-progress-meter": harmless, "--progress-bar": harmless, "--include": harmless,
	"--location": altering, "--insecure": altering, "--compressed": altering, "--globoff": harmless,
	"--no-buffer": harmless, "--ipv4": ipv4, "--ipv6": ipv6,
	"--http1.0": altering, "--http1.1": harmless, "--no-keepalive": harmless,
	"--retry-connrefused": harmless, "--retry-all-errors": harmless,
	"--output": output, "--write-out": format, "--noproxy": discarded,
	"--max-time": timeLimit, "--connect-timeout": timeLimit, "--speed-time": slowness, "--speed-limit": speed,
	"--retry": again, "--retry-delay": count, "--retry-max-time": count,
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
	"--quiet": harmless, "--spider": spider, "--verbose": harmless, "--no-verbose": harmless,
	"--server-response": harmless, "--no-check-certificate": harmless, "--no-proxy": harmless,
	"--inet4-only": ipv4, "--inet6-only": ipv6, "--retry-connrefused": harmless,
	"--output-document": output, "--output-file": logFile, "--tries": count,
	"--timeout": atLeast1, "--connect-timeout": atLeast1, "--read-timeout": atLeast1, "--dns-timeout": atLeast1,
	"--wait": count, "--waitretry": count, "--max-redirect": atLeast1,
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

// wgetURL matches what GNU and BusyBox wget take for the same URL: BusyBox sends the fragment, wants a path before the
// query, and looks for :// everywhere; GNU wants a scheme before [::1].
var wgetURL = lazyregexp.New(`^(https?://[^/?#]+(/[^#]*)?|[^/?#:\[]+(:[0-9]+)?(/([^#:]|:[^#/])*)?)$`)

// wget exits with 8 on an HTTP error, or 1 from BusyBox: it is always strict. It is never exact: it follows redirects,
// and with --spider GNU wget sends HEAD.
func wget(args []string) (Request, error) {
	l := commandLine{
		args: args, long: wgetOptions, short: wgetShort, equals: true, web: webRequest{strict: true, altered: true},
	}
	if err := l.read(); err != nil {
		return Request{}, err
	}
	request, err := l.web.request()
	switch {
	case err != nil:
		return Request{}, err
	case !wgetURL().MatchString(l.web.urls[0]):
		return Request{}, fmt.Errorf("requests %q, which GNU and BusyBox wget read differently", l.web.urls[0])
	case !l.web.unsaved:
		return Request{}, errors.New("saves the response in a file, which may fail")
	}
	return request, nil
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
		return fmt.Errorf("sends %s; an HTTP probe sends only GET", method)
	}
	return nil
}

func (o option) change(w *webRequest, value string) error {
	if o.apply == nil {
		return nil
	}
	return o.apply(w, value)
}
