// Argocd renders a kustomization with Argo CD's own code. Its arguments are the program kustomize, the top of the
// checkout and the kustomization in it. On stdin it gets an Application's spec.source.kustomize as JSON; the variables
// of the build environment are those of the process. On stdout it writes the objects as a JSON list.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	"github.com/argoproj/argo-cd/v3/util/git"
	"github.com/argoproj/argo-cd/v3/util/kustomize"
)

func main() {
	if err := run(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(program, root, path string) error {
	var options v1alpha1.ApplicationSourceKustomize
	if err := json.NewDecoder(os.Stdin).Decode(&options); err != nil {
		return err
	}
	var env v1alpha1.Env
	for _, entry := range os.Environ() {
		if name, value, _ := strings.Cut(entry, "="); strings.HasPrefix(name, "ARGOCD_APP_") {
			env = append(env, &v1alpha1.EnvEntry{Name: name, Value: value})
		}
	}
	app := kustomize.NewKustomizeApp(root, filepath.Join(root, path), git.NopCreds{}, "", program, "", "")
	objects, _, _, err := app.Build(&options, nil, &env, nil)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(objects)
}
