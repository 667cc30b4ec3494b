package render

import (
	"path/filepath"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render/rendertest"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/tree"
)

func TestRoot(t *testing.T) {
	top := rendertest.Write(t, `
-- repo/.git/HEAD --
-- repo/apps/a/x.yaml --
-- linked/.git --
gitdir: ../repo/.git/worktrees/linked
-- linked/a/x.yaml --
-- repo/out -> ../loose --
-- repo/other -> ../linked --
-- there -> repo --
-- loose/a/x.yaml --
-- request/apps/a/x.yaml --
-- _cmp_server/narrow/a/x.yaml --
-- elsewhere/apps/a/x.yaml --
-- request/live -> deploy/envs/production --
-- request/deploy/envs/production/x.yaml --
-- request/top -> . --
`)
	argo := func(source string) func(string) string {
		return rendertest.Env("ARGOCD_APP_NAME", "app", "ARGOCD_APP_SOURCE_PATH", source)
	}
	for _, tc := range []struct {
		name, dir, path string
		getenv          func(string) string
		want            string
	}{
		{"work tree", ".", "repo/apps/a", rendertest.Env(), "repo"},
		{"linked work tree", "loose", "../linked/a", rendertest.Env(), "linked"},
		{"no work tree", ".", "loose/a", rendertest.Env(), "loose/a"},
		{"a link out of the work tree", "repo", "out", rendertest.Env(), "repo"},
		{"a link to another work tree", "repo", "other", rendertest.Env(), "repo"},
		{"a folder of such a link", "repo", "out/a", rendertest.Env(), "repo"},
		{"a link out and back", "repo", "out/../repo/apps", rendertest.Env(), "repo"},
		{"a link to a work tree", ".", "there/apps/a", rendertest.Env(), "repo"},
		{"a link that the working directory is", "there", "apps/a", rendertest.Env(), "repo"},
		{"copied tree", "request/apps/a", ".", argo("apps/a"), "request"},
		{"copied tree, source path not clean", "request/apps/a", ".", argo("./apps//a/"), "request"},
		{"only the common parent was copied", "_cmp_server/narrow/a", ".", argo("deep/apps/a"), "_cmp_server/narrow"},
		{"only the app was copied", "_cmp_server/narrow", ".", argo("deep/apps/a"), "_cmp_server/narrow"},
		{"app at the top", "request", ".", argo("."), "request"},
		{"the top itself", "request", "apps/a", argo("apps/a"), "request"},
		{"a link as app", "request/deploy/envs/production", ".", argo("live"), "request"},
		{"a link above the app", "request/deploy/envs/production", ".", argo("top/live"), "request"},
		{"a link to the top", "request", ".", argo("top"), "request"},
		{"chart or OCI source", "request", ".", argo(""), "request"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := filepath.Join(top, tc.dir)
			got, err := tree.Root(tc.path, Options{Dir: dir, Getenv: tc.getenv}.Tree())
			if want := filepath.Join(top, tc.want); got != want || err != nil {
				t.Errorf("got %s, %v; want %s", got, err, want)
			}
		})
	}
}

// A link of the repository is the working directory that argocd-cmp-server gives the plugin.
func TestSourcePathOutside(t *testing.T) {
	top := rendertest.Write(t, `
-- _cmp_server/1/apps/evil -> ../../../elsewhere --
-- _cmp_server/1/apps/x.yaml --
-- _cmp_server/2/apps/x.yaml --
-- elsewhere/x.yaml --
`)
	for _, tc := range []struct{ dir, source, want string }{
		{"elsewhere", "apps/evil", ""},
		{"elsewhere", "apps/elsewhere", ""},
		{".", filepath.Base(top), top}, // the whole path fits
		{".", "apps/" + filepath.Base(top), ""},
		{"_cmp_server", "apps/_cmp_server", ""},
		{"_cmp_server/2/apps", "live", filepath.Join(top, "_cmp_server/2/apps")},
	} {
		o := Options{Dir: filepath.Join(top, tc.dir), Getenv: rendertest.Env("ARGOCD_APP_NAME", "app", "ARGOCD_APP_SOURCE_PATH", tc.source)}
		got, err := tree.Root(".", o.Tree())
		if tc.want == "" {
			rendertest.WantError(t, err, "the working directory is not "+tc.source+" in a copy of the repository; "+
				"the source path of the Application may be a link that leads out of it")
		} else if err != nil || got != tc.want && got != filepath.Dir(tc.want) {
			t.Errorf("%s, %s: got %s, %v", tc.dir, tc.source, got, err)
		}
	}
}

func TestRootSetting(t *testing.T) {
	top := rendertest.Write(t, `
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
		got, err := tree.Root("apps/a", o.Tree())
		if tc.err != "" {
			rendertest.WantError(t, err, tc.err)
		} else if got != filepath.Join(top, tc.want) || err != nil {
			t.Errorf("root %s: got %s, %v; want %s", tc.root, got, err, tc.want)
		}
	}

	o := options(filepath.Join(top, "repo"))
	o.Root = "apps"
	_, err := manifests(t.Context(), ".", o)
	rendertest.WantError(t, err, ".: outside the root apps; only the flag --root, or the operator's setting root, can widen it")
}

func TestNoWorkTree(t *testing.T) {
	top := rendertest.Write(t, `
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
	rendertest.WantError(t, err, "shop/overlays/live/kustomization.yaml:1:13: resources: shop/base: "+
		"outside the root shop/overlays/live; no Git work tree found; pass --root shop")
	o.Root, o.RootLocked = "shop", true
	if _, err = manifests(t.Context(), "shop/overlays/live", o); err != nil {
		t.Error(err)
	}
}

func TestOutsideTheCopiedTree(t *testing.T) {
	top := rendertest.Write(t, `
-- _cmp_server/request/a/kustomization.yaml --
resources: [../../base]
-- _cmp_server/base/kustomization.yaml --
`)
	o := options(filepath.Join(top, "_cmp_server/request/a"))
	o.Getenv = rendertest.Env("ARGOCD_APP_NAME", "app", "ARGOCD_APP_SOURCE_PATH", "apps/a")
	_, err := manifests(t.Context(), ".", o)
	rendertest.WantError(t, err, "kustomization.yaml:1:13: resources: ../../base: outside the root ..; "+
		"if Argo CD copies only a part of the repository (--plugin-use-manifest-generate-paths), "+
		"list it in the annotation argocd.argoproj.io/manifest-generate-paths")
}
