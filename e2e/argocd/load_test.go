package argocd_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/argocd"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/stack"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/wait"
)

// TestLoad has the repo-server render 32 applications of one commit at once, as after a push to a monorepo. Nothing
// else runs meanwhile, so that every process is accounted for.
func TestLoad(t *testing.T) {
	const apps = 32
	for _, version := range argocd.Versions {
		t.Run(version.Name(t), func(t *testing.T) {
			server := startRepoServer(t, version)
			repo := argocd.NewRepository(t, server.stack, "monorepo")
			for i := range apps {
				name := fmt.Sprintf("app-%02d", i)
				repo.Write(name+"/iris.yaml", strings.ReplaceAll(iris, "iris", name))
				if i%2 == 0 {
					repo.Write(name+"/kustomization.yaml", "resources: [iris.yaml, ../base]\nnameSuffix: -"+name+"\n")
				}
			}
			repo.Write("base/kustomization.yaml", "resources: [config.yaml]\n")
			repo.Write("base/config.yaml", yaml11)
			revision := repo.Commit()
			before := processes(t)

			table.Run(t, version.Name(t), "repo-server: 32 applications at once", func(t *testing.T) {
				var group sync.WaitGroup
				for i := range apps {
					group.Go(func() {
						name := fmt.Sprintf("app-%02d", i)
						request := argocd.Request(repo.URL, revision, name)
						request.AppName = name
						want := []string{"InferenceService/" + name}
						if i%2 == 0 {
							want = []string{"ConfigMap/config-" + name, "InferenceService/" + name + "-" + name}
						}
						response, err := server.Generate(t.Context(), request)
						if err != nil {
							t.Errorf("%s: %v", name, err)
						} else if got := names(t, response.Manifests); strings.Join(got, " ") != strings.Join(want, " ") {
							t.Errorf("%s: objects %v, want %v", name, got, want)
						}
					})
				}
				group.Wait()
				nothingLeft(t, server.sidecar)
				wait.For(t, "no process is left", func(context.Context) error {
					if now := processes(t); !maps.Equal(now, before) {
						return fmt.Errorf("%v, before %v", now, before)
					}
					return nil
				})
			})
		})
	}
}

// names returns Kind/name of the documents.
func names(t *testing.T, documents []string) []string {
	t.Helper()
	var names []string
	for _, document := range documents {
		var object struct {
			Kind     string
			Metadata struct{ Name string }
		}
		if err := json.Unmarshal([]byte(document), &object); err != nil {
			t.Error(err)
		}
		names = append(names, object.Kind+"/"+object.Metadata.Name)
	}
	return names
}

func processes(t *testing.T) map[int]string {
	t.Helper()
	processes, err := stack.Processes()
	if err != nil {
		t.Fatal(err)
	}
	return processes
}

// nothingLeft fails the test unless the sidecar's volume soon holds no more than argocd-cmp-server's empty folder.
func nothingLeft(t *testing.T, sidecar *argocd.Sidecar) {
	t.Helper()
	wait.For(t, "no file is left", func(context.Context) error {
		var left []string
		err := filepath.WalkDir(sidecar.Tmp, func(path string, _ fs.DirEntry, err error) error {
			if path != sidecar.Tmp && path != filepath.Join(sidecar.Tmp, "_cmp_server") {
				left = append(left, path)
			}
			return err
		})
		if err == nil && len(left) > 0 {
			err = fmt.Errorf("%d: %v", len(left), left[0])
		}
		return err
	})
}
