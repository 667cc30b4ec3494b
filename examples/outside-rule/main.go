// Command outside-rule repairs manifests with a rule of its own. It shows how another module uses the engine.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "outside-rule:", err)
		os.Exit(2)
	}
}

// run repairs the named files. It writes the repaired stream to stdout and the findings to stderr.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("outside-rule", flag.ContinueOnError)
	flags.SetOutput(stderr)
	config := transform.Config{Rules: []*transform.Rule{disruptionBudgetVersion}}
	flags.Func("release", "the Kubernetes release that the cluster runs, `x.y.z`", func(text string) error {
		release, err := transform.ParseRelease(text)
		config.Releases = []transform.Release{release}
		return err
	})
	if err := flags.Parse(args); err != nil {
		return err
	}
	var files []transform.File
	for _, path := range flags.Args() {
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files = append(files, transform.File{Path: path, Data: data})
	}
	result, err := transform.Run(ctx, files, config)
	if err != nil {
		return err
	}
	for _, finding := range transform.Sorted(result.Findings()) {
		fmt.Fprintf(stderr, "%s: %q\n", finding.Severity, finding)
	}
	pieces, err := result.Stream()
	if err != nil {
		return err
	}
	for _, piece := range pieces {
		if _, err := stdout.Write(piece); err != nil {
			return err
		}
	}
	return nil
}
