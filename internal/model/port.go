package model

import (
	"slices"
	"strconv"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/lazyregexp"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

var (
	// portName matches the names of arguments and variables for the port of an HTTP server: --port, --http_port,
	// --rest_api_port, PORT, UVICORN_PORT, NIM_HTTP_API_PORT.
	portName = lazyregexp.New(`(?i)^(--?)?(|([a-z]+[-_])*(http|rest|api|server|listen|web|app|run|uvicorn)[-_]?)port$`)
	// otherServer matches those of the other servers in a container.
	otherServer = lazyregexp.New(`(?i)grpc|metric|admin|management`)
	// addressFlag matches the names of arguments that are a port or an address in some servers, as in -p 9000 or
	// --bind 0.0.0.0:9000, and something else in others. Their values show which.
	addressFlag  = lazyregexp.New(`^(-p|-b|--bind|--listen|--addr|--address)$`)
	addressValue = lazyregexp.New(`^(\S*:)?[0-9]{2,5}$`)
)

// ServesElsewhere returns an argument or a variable by which the container's HTTP server has another port than the
// given one, and its value. Both are empty when there is none, or when another argument names the port.
func (c Container) ServesElsewhere(port int) (name, value string) {
	return servesElsewhere(port, append(slices.Clone(c.others), c.Node)...)
}

// servesElsewhere is ServesElsewhere for containers that KServe merges in this order. It appends the arguments of the
// later ones to those of the earlier ones (MergeRuntimeContainers in utils.go@v0.20.0), and the last argument counts.
func servesElsewhere(port int, containers ...*yamldoc.Node) (name, value string) {
	named, variables := map[string]string{}, map[string]string{}
	var names, words []string
	note := func(n, v string) {
		named[n] = v
		names = append(names, n)
	}
	for _, container := range containers {
		for _, v := range container.Get("env").List() {
			n := v.Get("name").Str()
			variables[n] = v.Get("value").Str()
			if portName().MatchString(n) && !otherServer().MatchString(n) {
				note(n, variables[n])
			}
		}
		for _, text := range slices.Concat(container.Get("command").Strings(), container.Get("args").Strings()) {
			words = append(words, strings.Fields(text)...)
		}
	}
	for i, word := range words {
		n, v, found := strings.Cut(word, "=")
		if !found && i+1 < len(words) {
			v = words[i+1]
		}
		v = expand(strings.Trim(v, `"'`), variables)
		flag := strings.HasPrefix(n, "-") && portName().MatchString(n) && !otherServer().MatchString(n)
		if flag || addressFlag().MatchString(n) && addressValue().MatchString(v) {
			note(n, v)
		}
	}
	for _, n := range names {
		v := named[n]
		if number, _ := strconv.Atoi(v[strings.LastIndexByte(v, ':')+1:]); number == port {
			return "", ""
		}
		name, value = n, v
	}
	return name, value
}

// expand returns the value of the variable that the string names, as in $(PORT), or else the string.
func expand(text string, variables map[string]string) string {
	if name := strings.Trim(text, "$(){}"); strings.HasPrefix(text, "$") && variables[name] != "" {
		return variables[name]
	}
	return text
}
