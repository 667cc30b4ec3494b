//go:build linux

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The start of the program counts with small charts, so it ends before the large packages are initialized.
func TestHandOver(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	binary, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, data := range map[string][]byte{
		"argocd-kserve-plugin":      binary,
		"argocd-kserve-plugin-helm": []byte("#!/bin/sh\necho \"$@\"\n"),
		"chart/Chart.yaml":          nil,
		"plain/cm.yaml":             []byte("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n"),
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for args, early := range map[string]bool{
		"generate --rules=KS101 chart": true, "generate plain": false, "check plain": false,
	} {
		cmd := exec.Command(filepath.Join(dir, "argocd-kserve-plugin"), strings.Fields(args)...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GODEBUG=inittrace=1")
		var stderr strings.Builder
		cmd.Stderr = &stderr
		stdout, err := cmd.Output()
		if err != nil {
			t.Errorf("%s: %v\n%s", args, err, &stderr)
		}
		if became := string(stdout) == args+"\n"; became != early {
			t.Errorf("%s: prints %s", args, stdout)
		}
		if loaded := strings.Contains(stderr.String(), "init sigs.k8s.io/kustomize/"); loaded == early {
			t.Errorf("%s: the large packages are initialized: %v\n%s", args, loaded, &stderr)
		}
	}
}
