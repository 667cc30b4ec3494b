// The command release makes what a release consists of from a commit: archives for each platform, the image, their
// lists of contents (SBOM) and checksums. The same commit and the same Go give the same bytes on every machine.
// docs/releasing.md describes the files.
//
//	release build [-version v0.2.0] [-platforms linux/amd64,...] [-image-only] DIR
//	release push DIR REPOSITORY
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

// program is the name of the project, of its main program, and the start of all names of files.
const program = "argocd-kserve-plugin"

// home is the project's page, and modulePath the path of its module.
const (
	modulePath = "github.com/argocd-kserve-plugin/argocd-kserve-plugin"
	home       = "https://" + modulePath
)

var errUsage = errors.New("usage: release build [FLAGS] DIR | release push DIR REPOSITORY")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return errUsage
	}
	switch args[0] {
	case "build":
		return runBuild(ctx, args[1:])
	case "push":
		if len(args) != 3 {
			return errUsage
		}
		pushed, err := push(ctx, args[1], args[2])
		if err == nil {
			fmt.Println(pushed)
		}
		return err
	}
	return errUsage
}

func runBuild(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("build", flag.ContinueOnError)
	version := flags.String("version", "", "the version, such as v0.2.0; without it the tag of the commit")
	names := flags.String("platforms", strings.Join(allPlatforms, ","), "what to build for")
	imageOnly := flags.Bool("image-only", false, "write the image and nothing else")
	if err := flags.Parse(args); err != nil || flags.NArg() != 1 {
		return errors.Join(err, errUsage)
	}
	platforms, err := parsePlatforms(*names)
	if err != nil {
		return err
	}
	r, err := checkout(ctx, *version)
	if err != nil {
		return err
	}
	defer os.RemoveAll(r.work)
	if err := r.checkVersion(); err != nil {
		return err
	}
	return r.build(ctx, platforms, *imageOnly, flags.Arg(0))
}
