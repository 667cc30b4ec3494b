//go:build linux

package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// comment is one on a pull request of GitHub, or a note of a merge request of GitLab. The fields are in the order in which
// GitLab writes them.
type comment struct {
	ID   int     `json:"id"`
	Type *string `json:"type"`
	Body string  `json:"body"`
	User struct {
		Login string `json:"login"`
	} `json:"user"`
}

// reviews stands for the API of a code host, with the comments of one pull request.
type reviews struct {
	comments []comment
	readOnly bool
	listed   string // what it answers instead of the comments
	requests []string
}

func (r *reviews) add(login, body string) {
	c := comment{ID: 1000 + len(r.comments), Body: body}
	c.User.Login = login
	r.comments = append(r.comments, c)
}

// bodies are those of the comments of a login.
func (r *reviews) bodies(login string) []string {
	var all []string
	for _, c := range r.comments {
		if c.User.Login == login {
			all = append(all, c.Body)
		}
	}
	return all
}

// marker is the first line of the comment of a workflow.
func (r *reviews) marker(t *testing.T) string {
	t.Helper()
	own := r.bodies(bot)
	if len(own) != 1 {
		t.Fatalf("%d comments", len(own))
	}
	marker, _, _ := strings.Cut(own[0], "\n")
	return marker
}

// change adds or changes a comment, unless the token may only read. It may be the token's own comments alone that it may
// change.
func (r *reviews) change(w http.ResponseWriter, id, body string, own bool) {
	if r.readOnly {
		http.Error(w, `{"message":"Resource not accessible by integration"}`, http.StatusForbidden)
		return
	}
	if id == "" {
		r.add(bot, body)
	}
	for i := range r.comments {
		if strconv.Itoa(r.comments[i].ID) != id {
			continue
		}
		if own && r.comments[i].User.Login != bot {
			http.Error(w, `{"message":"403 Forbidden"}`, http.StatusForbidden)
			return
		}
		r.comments[i].Body = body
	}
	fmt.Fprintln(w, "{}")
}

const bot = "github-actions[bot]"

// github serves the comments of pull request 7 of owner/models, in pages, the oldest first.
func (r *reviews) github(t *testing.T) string {
	const repository = "/repos/owner/models/issues/"
	body := func(request *http.Request) string {
		var sent struct{ Body string }
		if err := json.NewDecoder(request.Body).Decode(&sent); err != nil {
			t.Error(err)
		}
		return sent.Body
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+repository+"7/comments", func(w http.ResponseWriter, request *http.Request) {
		if r.listed != "" {
			fmt.Fprint(w, r.listed)
			return
		}
		page, _ := strconv.Atoi(request.FormValue("page"))
		size, _ := strconv.Atoi(request.FormValue("per_page"))
		from := min((page-1)*size, len(r.comments))
		_ = json.NewEncoder(w).Encode(append([]comment{}, r.comments[from:min(from+size, len(r.comments))]...))
	})
	mux.HandleFunc("POST "+repository+"7/comments", func(w http.ResponseWriter, request *http.Request) {
		r.change(w, "", body(request), false)
	})
	mux.HandleFunc("PATCH "+repository+"comments/{id}", func(w http.ResponseWriter, request *http.Request) {
		r.change(w, request.PathValue("id"), body(request), false)
	})
	return r.serve(t, mux, "Authorization", "Bearer secret")
}

// gitlab serves the notes of merge request 7 of project 3, the newest first. It writes < as Rails does.
func (r *reviews) gitlab(t *testing.T) string {
	const notes = "/projects/3/merge_requests/7/notes"
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+notes, func(w http.ResponseWriter, request *http.Request) {
		if r.listed != "" {
			fmt.Fprint(w, r.listed)
			return
		}
		newest := append([]comment{}, r.comments...)
		slices.Reverse(newest)
		_ = json.NewEncoder(w).Encode(newest)
	})
	mux.HandleFunc("POST "+notes, func(w http.ResponseWriter, request *http.Request) {
		r.change(w, "", request.FormValue("body"), true)
	})
	mux.HandleFunc("PUT "+notes+"/{id}", func(w http.ResponseWriter, request *http.Request) {
		r.change(w, request.PathValue("id"), request.FormValue("body"), true)
	})
	return r.serve(t, mux, "PRIVATE-TOKEN", "secret")
}

// serve serves what has the token.
func (r *reviews) serve(t *testing.T, mux *http.ServeMux, header, token string) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		r.requests = append(r.requests, request.Method+" "+request.URL.Path)
		if got := request.Header.Get(header); got != token {
			t.Errorf("%s is %q", header, got)
		}
		mux.ServeHTTP(w, request)
	}))
	t.Cleanup(server.Close)
	return server.URL
}
