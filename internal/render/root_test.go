package render

import (
	"path/filepath"
	"testing"
)

func TestRoot(t *testing.T) {
	top := write(t, `
-- repo/.git/HEAD --
-- repo/apps/a/x.yaml --
-- linked/.git --
gitdir: ../repo/.git/worktrees/linked
-- linked/a/x.yaml --
-- loose/a/x.yaml --
-- request/apps/a/x.yaml --
-- narrow/a/x.yaml --
-- request/live -> deploy/envs/production --
-- request/deploy/envs/production/x.yaml --
-- request/top -> . --
`)
	argo := func(source string) func(string) string {
		return env("ARGOCD_APP_NAME", "app", "ARGOCD_APP_SOURCE_PATH", source)
	}
	for _, tc := range []struct {
		name, dir, path string
		getenv          func(string) string
		want            string
	}{
		{"work tree", ".", "repo/apps/a", env(), "repo"},
		{"linked work tree", "loose", "../linked/a", env(), "linked"},
		{"no work tree", ".", "loose/a", env(), "loose/a"},
		{"copied tree", "request/apps/a", ".", argo("apps/a"), "request"},
		{"copied tree, source path not clean", "request/apps/a", ".", argo("./apps//a/"), "request"},
		{"only the common parent was copied", "narrow/a", ".", argo("deep/apps/a"), "narrow"},
		{"only the app was copied", "narrow", ".", argo("deep/apps/a"), "narrow"},
		{"app at the top", "request", ".", argo("."), "request"},
		{"a link as app", "request/deploy/envs/production", ".", argo("live"), "request"},
		{"a link above the app", "request/deploy/envs/production", ".", argo("top/live"), "request"},
		{"a link to the top", "request", ".", argo("top"), "request"},
		{"chart or OCI source", "request", ".", argo(""), "request"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := filepath.Join(top, tc.dir)
			got, err := Root(filepath.Join(dir, tc.path), Options{Dir: dir, Getenv: tc.getenv})
			if want := filepath.Join(top, tc.want); got != want || err != nil {
				t.Errorf("got %s, %v; want %s", got, err, want)
			}
		})
	}
}

func TestRootSetting(t *testing.T) {
	top := write(t, `
-- repo/.git/HEAD --
-- repo/apps/a/x.yaml --
-- repo/other -> ../elsewhere --
-- elsewhere/x.yaml --
`)
	for _, tc := range []struct {
		root      string
		locked    bool
		want, err string
	}{
		{"apps", false, "repo/apps", ""},
		{"..", true, ".", ""},
		{"..", false, "",
			"root ..: outside the default root; only a flag or the plugin's own environment can widen it"},
		{"other", false, "",
			"root other: outside the default root; only a flag or the plugin's own environment can widen it"},
		{"nowhere", true, "", "root nowhere: no such file or directory"},
	} {
		o := options(filepath.Join(top, "repo"))
		o.Root, o.RootLocked = tc.root, tc.locked
		got, err := Root(filepath.Join(top, "repo/apps/a"), o)
		if tc.err != "" {
			wantError(t, err, tc.err)
		} else if got != filepath.Join(top, tc.want) || err != nil {
			t.Errorf("root %s: got %s, %v; want %s", tc.root, got, err, tc.want)
		}
	}

	o := options(filepath.Join(top, "repo"))
	o.Root = "apps"
	_, err := manifests(t.Context(), ".", o)
	wantError(t, err, ".: outside the root apps; only the flag --root, or the operator's setting root, can widen it")
}

func TestNoWorkTree(t *testing.T) {
	top := write(t, `
-- shop/overlays/live/kustomization.yaml --
resources: [../../base]
-- shop/base/kustomization.yaml --
resources: [map.yaml]
-- shop/base/map.yaml --
apiVersion: v1
kind: ConfigMap
metadata: {name: map}
`)
	o := options(top)
	_, err := manifests(t.Context(), "shop/overlays/live", o)
	wantError(t, err, "shop/overlays/live/kustomization.yaml:1:13: resources: shop/base: "+
		"outside the root shop/overlays/live; no Git work tree found; pass --root shop")
	o.Root, o.RootLocked = "shop", true
	if _, err = manifests(t.Context(), "shop/overlays/live", o); err != nil {
		t.Error(err)
	}
}

func TestOutsideTheCopiedTree(t *testing.T) {
	top := write(t, `
-- request/a/kustomization.yaml --
resources: [../../base]
-- base/kustomization.yaml --
`)
	o := options(filepath.Join(top, "request/a"))
	o.Getenv = env("ARGOCD_APP_NAME", "app", "ARGOCD_APP_SOURCE_PATH", "apps/a")
	_, err := manifests(t.Context(), ".", o)
	wantError(t, err, "kustomization.yaml:1:13: resources: ../../base: outside the root ..; "+
		"if Argo CD copies only a part of the repository (--plugin-use-manifest-generate-paths), "+
		"list it in the annotation argocd.argoproj.io/manifest-generate-paths")
}
