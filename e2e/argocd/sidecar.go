package argocd

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/stack"
)

// Sidecar is the plugin's container: Argo CD's argocd-cmp-server with the plugin and its plugin.yaml, and with the
// command, environment, user, mounts and probe that the container's definition gives.
type Sidecar struct {
	*stack.Running
	Sockets string // folder of the unix socket, which the repo-server shares
	Tmp     string // the folder that is /tmp in the container

	stack     *stack.Stack
	container corev1.Container
	root      string
	env       []string
	uid       int
}

// Image is what the plugin's image adds to an empty file system, or all of an image.
type Image struct {
	Plugin string // the plugin's executable; the one for Helm charts is beside it
	Config string // plugin.yaml

	// Root is a folder of the stack with the unpacked image, instead of the two.
	Root string
}

// Sockets is the folder in which the repo-server looks for the sockets of plugins.
func Sockets(s *stack.Stack) string { return s.Mkdir("plugins", User) }

// StartSidecar starts the container. Its root file system holds what the image holds, so paths are the real ones; what
// the kubelet adds is there too: /dev, /proc, a PATH.
func StartSidecar(tb testing.TB, s *stack.Stack, v Version, image Image, container corev1.Container) *Sidecar {
	tb.Helper()
	c := &Sidecar{
		stack:     s,
		container: container,
		root:      image.Root,
		Sockets:   Sockets(s),
		Tmp:       s.Tmpfs("sidecar-tmp", User, container.Resources.Limits.StorageEphemeral().Value()),
		env:       []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"},
		uid:       int(*container.SecurityContext.RunAsUser),
	}
	for _, variable := range container.Env {
		c.env = append(c.env, variable.Name+"="+variable.Value)
	}
	if c.root == "" {
		c.root = s.Mkdir("sidecar", 0)
		s.Bind(image.Plugin, c.inside("/usr/local/bin/argocd-kserve-plugin"))
		s.Bind(image.Config, c.inside(pluginConfigPath))
	}
	c.mount(tb, v)
	server := c.process("sidecar", append(container.Command, container.Args...), c.ready)
	server.Memory = container.Resources.Limits.Memory().Value()
	c.Running = s.Start(server)
	return c
}

func (c *Sidecar) ready(ctx context.Context) error {
	out, err := c.Command(ctx, c.container.ReadinessProbe.Exec.Command).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// inside returns where a path of the container is here.
func (c *Sidecar) inside(path string) string { return filepath.Join(c.root, path) }

func (c *Sidecar) mount(tb testing.TB, v Version) {
	tb.Helper()
	for _, path := range []string{"/proc", "/dev/null", "/dev/zero", "/dev/random", "/dev/urandom"} {
		c.stack.Bind(path, c.inside(path))
	}
	// Argo CD's init container puts its binary into this volume.
	varFiles := c.stack.Mkdir("var-files", User)
	c.stack.Bind(v.Binary(tb), filepath.Join(varFiles, "argocd-cmp-server"))
	volumes := map[string]string{"var-files": varFiles, "plugins": c.Sockets, "argocd-kserve-plugin-tmp": c.Tmp}
	for _, mount := range c.container.VolumeMounts {
		volume, ok := volumes[mount.Name]
		if !ok {
			tb.Fatalf("the sidecar mounts %s, which is none of Argo CD's volumes for plugins nor its own", mount.Name)
		}
		c.stack.Bind(volume, c.inside(mount.MountPath))
		if mount.ReadOnly {
			c.stack.Seal(c.inside(mount.MountPath))
		}
	}
	if *c.container.SecurityContext.ReadOnlyRootFilesystem {
		c.stack.Seal(c.root)
	}
}

func (c *Sidecar) process(name string, command []string, ready func(context.Context) error) stack.Process {
	return stack.Process{
		Name: name, Path: command[0], Args: command[1:], Env: c.env, Dir: "/", Root: c.root, UID: c.uid, Ready: ready,
	}
}

// Command returns a program of the image as a command in the running container, like kubectl exec.
func (c *Sidecar) Command(ctx context.Context, command []string) *exec.Cmd {
	return c.stack.Command(ctx, c.process(command[0], command, nil))
}
