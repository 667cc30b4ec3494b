package install

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
)

type volume struct {
	Name      string
	ConfigMap *struct {
		Name  string
		Items []struct{ Key, Path string }
	}
	Secret, DownwardAPI, Image *struct{}
	HostPath                   struct{ Path string }
	Projected                  *struct{ Sources []projection }
	PersistentVolumeClaim, NFS struct{ ReadOnly bool }
	CSI                        struct {
		Driver   string
		ReadOnly bool
	}
	EmptyDir *struct {
		Medium    string
		SizeLimit amount
	}
}

// projection is a source of a projected volume.
type projection struct{ Secret, ServiceAccountToken *struct{} }

func (p projection) isSecret() bool { return p.Secret != nil || p.ServiceAccountToken != nil }

// secretsDriver mounts what is secret elsewhere (kubernetes-sigs/secrets-store-csi-driver).
const secretsDriver = "secrets-store.csi.k8s.io"

// isSecret reports whether a Secret, a token of a service account or something of a store of secrets is in the volume.
func (v volume) isSecret() bool {
	return v.Secret != nil || v.CSI.Driver == secretsDriver ||
		v.Projected != nil && slices.ContainsFunc(v.Projected.Sources, projection.isSecret)
}

// readOnly reports whether nobody can write into the volume.
func (v volume) readOnly() bool {
	return v.ConfigMap != nil || v.Secret != nil || v.Projected != nil || v.DownwardAPI != nil || v.Image != nil ||
		v.PersistentVolumeClaim.ReadOnly || v.CSI.ReadOnly || v.NFS.ReadOnly
}

type mount struct {
	Name, MountPath, SubPath, SubPathExpr string
	ReadOnly                              bool
}

// source says what is mounted.
func (m *mount) source() string {
	if sub := cmp.Or(m.SubPath, m.SubPathExpr); sub != "" {
		return m.Name + " (subPath " + sub + ")"
	}
	return m.Name
}

// volume returns the volume with the name, an empty one if there is none.
func (p pod) volume(name string) volume {
	for _, v := range p.Volumes {
		if v.Name == name {
			return v
		}
	}
	return volume{Name: name}
}

// mounts compares what is mounted into the sidecar, and looks at what the other containers mount.
func (c *comparison) mounts(sidecar *container) {
	for _, want := range c.want.VolumeMounts {
		mount := sidecar.mountAt(want.MountPath)
		if mount == nil {
			c.add(Missing, "volumeMounts", "nothing is mounted at %s; install mounts the volume %s", want.MountPath, want.Name)
			continue
		}
		switch readOnly := mount.ReadOnly || c.pod.volume(mount.Name).readOnly(); {
		case readOnly && !want.ReadOnly:
			c.add(Wrong, "volumeMounts", "the volume %s at %s is read-only, and argocd-cmp-server writes there",
				mount.Name, want.MountPath)
		case !readOnly && want.ReadOnly:
			c.add(Wrong, "volumeMounts", "the sidecar can replace what is in the volume %s at %s: mount it readOnly",
				mount.Name, want.MountPath)
		}
		if want.MountPath != temporary {
			c.shared(sidecar, mount)
			continue
		}
		for _, other := range c.pod.running() {
			if other.Name != sidecar.Name && other.mounts(mount) {
				c.add(Wrong, "volumeMounts", "the container %s mounts the volume %s too, and argocd-cmp-server empties it: "+
					"give the sidecar a /tmp of its own", other.Name, mount.source())
			}
		}
	}
}

// shared looks whether the others have another volume than the sidecar at a path: copyutil, or the repo-server.
func (c *comparison) shared(sidecar *container, own *mount) {
	var others []string
	for _, other := range slices.Concat(c.pod.Containers, c.pod.InitContainers) {
		theirs := other.mountAt(path.Clean(own.MountPath))
		switch {
		case other.Name == sidecar.Name || theirs == nil:
		case theirs.source() == own.source():
			return
		default:
			others = append(others, fmt.Sprintf("the container %s mounts the volume %s", other.Name, theirs.source()))
		}
	}
	if len(others) > 0 {
		c.add(Wrong, "volumeMounts", "the volume %s is mounted at %s, where %s: mount the same one",
			own.source(), path.Clean(own.MountPath), strings.Join(others, ", "))
	}
}

// mountAt returns what is mounted at a path, nil if nothing is.
func (c *container) mountAt(at string) *mount {
	for i, mount := range c.VolumeMounts {
		if path.Clean(mount.MountPath) == at {
			return &c.VolumeMounts[i]
		}
	}
	return nil
}

// mounts reports whether a container mounts the same folder, anywhere.
func (c *container) mounts(other *mount) bool {
	return slices.ContainsFunc(c.VolumeMounts, func(m mount) bool { return m.source() == other.source() })
}
