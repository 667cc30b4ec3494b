package transform

import (
	"strings"
	"testing"
)

func TestParseRelease(t *testing.T) {
	for text, want := range map[string]Release{"0.15.2": {0, 15, 2}, "1.0.10": {1, 0, 10}, "9999.0.0": {9999, 0, 0}} {
		if got, err := ParseRelease(text); err != nil || got != want || got.String() != text {
			t.Errorf("%s: got %s, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "1.2", "v1.2.3", "1.2.3-rc1", "1.02.3", "1.2.3.4", "1.2.x", "1.2.10000", "1.2.3\n"} {
		_, err := ParseRelease(text)
		if err == nil || !strings.Contains(err.Error(), "write x.y.z") {
			t.Errorf("%q: error %v", text, err)
		}
	}
}

func TestContainsAll(t *testing.T) {
	window := Window{Release{0, 13, 0}, Release{0, 15, 1}}
	for _, tc := range []struct {
		name     string
		releases []Release
		want     bool
	}{
		{"all", []Release{{0, 13, 0}, {0, 15, 0}}, true},
		{"one is not", []Release{{0, 15, 0}, {0, 15, 1}}, false},
		{"nothing known", nil, false},
	} {
		if got := window.ContainsAll(tc.releases); got != tc.want {
			t.Errorf("%s: got %t", tc.name, got)
		}
	}
}

func TestWindow(t *testing.T) {
	for _, tc := range []struct {
		window  Window
		words   string
		in, out []Release
	}{
		{Window{}, "all", []Release{{0, 11, 0}, {0, 20, 0}}, nil},
		{Window{From: Release{0, 15, 1}}, "0.15.1 and later",
			[]Release{{0, 15, 1}, {0, 16, 0}}, []Release{{0, 15, 0}, {0, 9, 9}}},
		{Window{Before: Release{0, 15, 1}}, "before 0.15.1", []Release{{0, 15, 0}}, []Release{{0, 15, 1}, {1, 0, 0}}},
		{Window{Release{0, 13, 0}, Release{0, 15, 1}}, "0.13.0 to before 0.15.1",
			[]Release{{0, 13, 0}, {0, 14, 1}}, []Release{{0, 12, 1}, {0, 15, 1}}},
	} {
		if got := tc.window.String(); got != tc.words {
			t.Errorf("got %q, want %q", got, tc.words)
		}
		for _, r := range tc.in {
			if !tc.window.Contains(r) {
				t.Errorf("%s lacks %s", tc.window, r)
			}
		}
		for _, r := range tc.out {
			if tc.window.Contains(r) {
				t.Errorf("%s holds %s", tc.window, r)
			}
		}
	}
}
