package install

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
)

// TestCheck changes the installed sidecar in one place each.
func TestCheck(t *testing.T) {
	for _, tc := range []struct {
		name    string
		change  func(sidecar, pod map[string]any)
		options Options
		want    []string // problem, field and a part of the message
		note    string
	}{
		{name: "nothing"},
		{name: "no sidecar", change: func(_, pod map[string]any) { pod["containers"] = pod["containers"].([]any)[:1] },
			want: []string{"missing containers no container runs the plugin"}},
		{name: "native sidecar", change: native("Always", "copyutil", containerName)},
		{name: "native sidecar too early", change: native("Always", containerName, "copyutil"),
			want: []string{"wrong initContainers argocd-kserve-plugin is before copyutil"}},
		{name: "init container", change: native("", "copyutil", containerName),
			want: []string{"wrong initContainers.restartPolicy the pod waits for the end"}},
		{name: "older image", change: set("image", "mirror.example.com:5000/plugin:v0.1.0@sha256:0123"),
			want: []string{"outdated image its tag is v0.1.0, and this program installs " + Version}},
		{name: "newer image", change: set("image", "mirror.example.com/plugin:v9.0.0"),
			note: "image v9.0.0 is newer than this program, " + Version + ": check with that release"},
		{name: "mirror", change: set("image", "mirror.example.com:5000/plugin:"+Version)},
		{name: "known by its settings alone", change: func(sidecar, _ map[string]any) {
			sidecar["name"], sidecar["image"] = "cmp", "mirror.example.com/other:"+Version
			delete(sidecar, "readinessProbe")
		}, want: []string{"missing readinessProbe.exec.command it is []"}},
		{name: "digest", change: set("image", "mirror.example.com:5000/plugin@sha256:0123"), note: "has no tag"},
		{name: "image of one's own", change: set("image", "mirror.example.com/plugin:7"),
			options: Options{Image: "mirror.example.com/plugin:8"},
			want:    []string{"outdated image it is mirror.example.com/plugin:7, not mirror.example.com/plugin:8"}},
		{name: "command", change: set("command", []any{"/bin/sh"}), want: []string{"wrong command it is"}},
		{name: "logs", change: set("args", []any{"--loglevel", "debug", "--config-dir-path", configFolder + "/"})},
		{name: "flags in the command", change: set("command", []any{serverProgram, "--logformat=json"})},
		{name: "other folder", change: set("args", []any{"--config-dir-path", "/etc/plugin"}),
			want: []string{"wrong args argocd-cmp-server reads /etc/plugin/plugin.yaml, and not the one of the image"}},
		{name: "other folder in the command", change: set("command", []any{serverProgram, "--config-dir-path=/etc/plugin"}),
			want: []string{"wrong args argocd-cmp-server reads /etc/plugin/plugin.yaml, and not the one of the image"}},
		{name: "probes", change: func(sidecar, _ map[string]any) {
			delete(sidecar, "readinessProbe")
			sidecar["livenessProbe"] = map[string]any{"tcpSocket": map[string]any{"port": 1}}
		}, want: []string{"missing readinessProbe.exec.command it is []", "missing livenessProbe.exec.command it is []"}},
		{name: "unlocked", change: withoutVariable("ARGOCD_KSERVE_PLUGIN_ALLOW_EMPTY"),
			want: []string{"unlocked env.ARGOCD_KSERVE_PLUGIN_ALLOW_EMPTY it is not set; install locks allow-empty at "}},
		{name: "other value", change: variableIs("ARGOCD_KSERVE_PLUGIN_FAIL_ON", "error")},
		{name: "bad value", change: variableIs("ARGOCD_KSERVE_PLUGIN_FAIL_ON", "always"),
			want: []string{"outdated env this release refuses it: environment variable ARGOCD_KSERVE_PLUGIN_FAIL_ON"}},
		{name: "refused release of KServe", change: variableIs("ARGOCD_KSERVE_PLUGIN_KSERVE_VERSION", "0.3.0"),
			want: []string{"outdated env this release refuses it: environment variable ARGOCD_KSERVE_PLUGIN_KSERVE_VERSION"}},
		{name: "other rules", change: variableIs("ARGOCD_KSERVE_PLUGIN_RULES_AS_OF", "newest"),
			note: "rules-as-of is newest, and install would set "},
		{name: "the last of two values counts", change: func(sidecar, _ map[string]any) {
			sidecar["env"] = append(sidecar["env"].([]any), map[string]any{"name": "ARGOCD_KSERVE_PLUGIN_TIMEOUT"})
		}, want: []string{"unlocked env.ARGOCD_KSERVE_PLUGIN_TIMEOUT it is not set; install locks timeout at "}},
		{name: "release of KServe from elsewhere", change: func(sidecar, pod map[string]any) {
			withoutVariable("ARGOCD_KSERVE_PLUGIN_KSERVE_VERSION")(sidecar, pod)
			sidecar["env"] = append(sidecar["env"].([]any), map[string]any{
				"name": "ARGOCD_KSERVE_PLUGIN_KSERVE_VERSION", "valueFrom": map[string]any{"configMapKeyRef": nil},
			})
		}, note: "takes its value from elsewhere: give --kserve-version"},
		{name: "variables from elsewhere", change: set("envFrom", []any{map[string]any{"prefix": "X_"}}),
			note: "envFrom: its variables count as not set"},
		{name: "no memory target", change: withoutVariable("GOMEMLIMIT"),
			want: []string{"missing env.GOMEMLIMIT it is not set"}},
		{name: "memory target as Kubernetes writes it", change: variableIs("GOMEMLIMIT", "200Mi"),
			want: []string{"wrong env.GOMEMLIMIT Go cannot read \"200Mi\", so argocd-cmp-server does not start"}},
		{name: "no memory target of Go's", change: variableIs("GOMEMLIMIT", "off")},
		{name: "memory target in bytes", change: variableIs("GOMEMLIMIT", "209715200B")},
		{name: "facts", change: variableIs("ARGOCD_KSERVE_PLUGIN_KSERVE_VERSION", "0.14.1"),
			options: Options{KServeVersion: "0.15.2", DefaultDeploymentMode: "Standard"},
			want: []string{"outdated env.ARGOCD_KSERVE_PLUGIN_KSERVE_VERSION it is 0.14.1, and the cluster has 0.15.2",
				"outdated env.ARGOCD_KSERVE_PLUGIN_DEFAULT_DEPLOYMENT_MODE it is unknown, and the cluster has Standard"}},
		{name: "spelling", change: variableIs("ARGOCD_KSERVE_PLUGIN_DEFAULT_DEPLOYMENT_MODE", "RawDeployment"),
			options: Options{KServeVersion: Unknown, DefaultDeploymentMode: "Standard"}},
		{name: "shared tmp", change: func(sidecar, _ map[string]any) {
			sidecar["volumeMounts"].([]any)[2].(map[string]any)["name"] = "tmp"
		}, want: []string{"wrong volumeMounts the container argocd-repo-server mounts the volume tmp"}},
		{name: "tmp of a native sidecar", change: func(_, pod map[string]any) {
			other := map[string]any{"name": "other", "volumeMounts": []any{
				map[string]any{"name": "argocd-kserve-plugin-tmp", "mountPath": "/tmp"},
			}}
			ended := maps.Clone(other)
			other["restartPolicy"], ended["name"] = "Always", "ended"
			pod["initContainers"] = []any{ended, other}
		}, want: []string{"wrong volumeMounts the container other mounts the volume"}},
		{name: "folder of a shared volume as tmp", change: mountIs("/tmp", "name", "tmp", "subPath", "kserve")},
		{name: "same folder of a shared volume as tmp", change: func(sidecar, pod map[string]any) {
			mountIs("/tmp", "name", "tmp", "subPath", "kserve")(sidecar, pod)
			pod["containers"].([]any)[0].(map[string]any)["volumeMounts"].([]any)[0].(map[string]any)["subPath"] = "kserve"
		}, want: []string{"wrong volumeMounts the container argocd-repo-server mounts the volume tmp ("}},
		{name: "read-only tmp", change: mountIs("/tmp", "readOnly", true),
			want: []string{"wrong volumeMounts the volume argocd-kserve-plugin-tmp at /tmp is read-only"}},
		{name: "read-only socket", change: mountIs(socketFolder, "readOnly", true),
			want: []string{"wrong volumeMounts the volume plugins at /home/argocd/cmp-server/plugins is read-only"}},
		{name: "writable program", change: mountIs(programFolder, "readOnly", false),
			want: []string{"wrong volumeMounts the sidecar can replace what is in the volume var-files at /var/run/argocd"}},
		{name: "read-only volume", change: tmpIs("persistentVolumeClaim", map[string]any{"readOnly": true}),
			want: []string{"wrong volumeMounts the volume argocd-kserve-plugin-tmp at /tmp is read-only"}},
		{name: "volume of a Secret", change: tmpIs("secret", map[string]any{"secretName": "s"}),
			want: []string{"wrong volumeMounts the volume argocd-kserve-plugin-tmp at /tmp is read-only",
				"wrong volumeMounts the sidecar can read what is secret in the volume argocd-kserve-plugin-tmp: "}},
		{name: "program in another folder", change: func(sidecar, pod map[string]any) {
			mountIs(programFolder, "subPath", "bin")(sidecar, pod)
			pod["initContainers"] = []any{map[string]any{"name": "copyutil", "volumeMounts": []any{
				map[string]any{"name": "var-files", "mountPath": programFolder},
			}}}
		}, want: []string{"wrong volumeMounts the volume var-files (subPath bin) is mounted at /var/run/argocd, where the " +
			"container copyutil mounts the volume var-files: mount the same one"}},
		{name: "socket in another volume", change: func(sidecar, pod map[string]any) {
			pod["containers"].([]any)[0].(map[string]any)["volumeMounts"] = []any{
				map[string]any{"name": "plugins", "mountPath": "/home/argocd/cmp-server/plugins/"},
			}
			sidecar["volumeMounts"].([]any)[1].(map[string]any)["name"] = "mine"
		}, want: []string{"wrong volumeMounts the volume mine is mounted at /home/argocd/cmp-server/plugins, where the " +
			"container argocd-repo-server mounts the volume plugins: mount the same one"}},
		{name: "no socket", change: func(sidecar, _ map[string]any) {
			sidecar["volumeMounts"] = slices.Delete(sidecar["volumeMounts"].([]any), 1, 2)
		}, want: []string{"missing volumeMounts nothing is mounted at /home/argocd/cmp-server/plugins"}},
		{name: "privileges", change: func(sidecar, _ map[string]any) {
			delete(sidecar["securityContext"].(map[string]any), "capabilities")
		}, want: []string{"missing securityContext.capabilities install sets {\"drop\":[\"ALL\"]}"}},
		{name: "privileges of the pod", change: func(sidecar, pod map[string]any) {
			delete(sidecar["securityContext"].(map[string]any), "runAsNonRoot")
			delete(sidecar["securityContext"].(map[string]any), "runAsUser")
			pod["securityContext"] = map[string]any{"runAsNonRoot": true}
		}},
		{name: "token", change: podIs("automountServiceAccountToken", true),
			want: []string{"wrong automountServiceAccountToken the sidecar can read the token of the pod's service account: " +
				"set false"}},
		{name: "no token", change: podIs("automountServiceAccountToken", false)},
		{name: "network of the node", change: podIs("hostNetwork", true),
			want: []string{"wrong hostNetwork the sidecar has the network of the node: set false"}},
		{name: "processes of the node", change: podIs("hostPID", true),
			want: []string{"wrong hostPID the sidecar sees the processes of the node: set false"}},
		{name: "memory of the node", change: podIs("hostIPC", true),
			want: []string{"wrong hostIPC the sidecar shares the memory of processes of the node: set false"}},
		{name: "processes of the pod", change: podIs("shareProcessNamespace", true),
			want: []string{"wrong shareProcessNamespace the sidecar can read the files and variables of the other containers: "}},
		{name: "privileged", change: func(sidecar, _ map[string]any) {
			sidecar["securityContext"].(map[string]any)["privileged"] = true
		}, want: []string{"wrong securityContext.privileged the sidecar can do what root can on the node: set false"}},
		{name: "privileged in quotes", change: func(sidecar, _ map[string]any) {
			sidecar["securityContext"].(map[string]any)["privileged"] = "true"
		}, want: []string{"wrong securityContext.privileged the sidecar can do what root can on the node: set false"}},
		{name: "files of the node", change: mountVolume("hostPath", map[string]any{"path": "/"}),
			want: []string{"wrong volumeMounts the sidecar has / of the node, in the volume more: remove the mount"}},
		{name: "root from elsewhere", change: fromElsewhere("root"),
			want: []string{"wrong env.ARGOCD_KSERVE_PLUGIN_ROOT its value is from elsewhere, so a run may read outside the "}},
		{name: "allow-empty from elsewhere", change: fromElsewhere("allow-empty"),
			want: []string{"wrong env.ARGOCD_KSERVE_PLUGIN_ALLOW_EMPTY its value is from elsewhere, so Argo CD may prune "}},
		{name: "variables of a Secret", change: set("envFrom", []any{map[string]any{"secretRef": map[string]any{"name": "s"}}}),
			want: []string{"wrong envFrom all values of a Secret are variables of the sidecar: remove it"},
			note: "envFrom: its variables count as not set"},
		{name: "one variable of a Secret", change: func(sidecar, _ map[string]any) {
			sidecar["env"] = append(sidecar["env"].([]any), map[string]any{
				"name": "ARGOCD_CMP_SERVER_OTLP_HEADERS", "valueFrom": map[string]any{"secretKeyRef": map[string]any{"key": "k"}},
			})
		}},
		{name: "Secret", change: mountVolume("secret", map[string]any{"secretName": "argocd-secret"}),
			want: []string{"wrong volumeMounts the sidecar can read what is secret in the volume more: remove the mount"}},
		{name: "store of secrets", change: mountVolume("csi", map[string]any{"driver": "secrets-store.csi.k8s.io", "readOnly": true}),
			want: []string{"wrong volumeMounts the sidecar can read what is secret in the volume more: remove the mount"}},
		{name: "other driver", change: mountVolume("csi", map[string]any{"driver": "nfs.csi.k8s.io", "readOnly": true})},
		{name: "Secret among others", change: mountVolume("projected", map[string]any{"sources": []any{
			map[string]any{"configMap": map[string]any{"name": "c"}}, map[string]any{"secret": map[string]any{"name": "s"}},
		}}), want: []string{"wrong volumeMounts the sidecar can read what is secret in the volume more: remove the mount"}},
		{name: "token in a volume", change: mountVolume("projected", map[string]any{"sources": []any{
			map[string]any{"serviceAccountToken": map[string]any{"path": "token"}},
		}}), want: []string{"wrong volumeMounts the sidecar can read what is secret in the volume more: remove the mount"}},
		{name: "nothing secret", change: mountVolume("projected", map[string]any{"sources": []any{
			map[string]any{"configMap": map[string]any{"name": "c"}},
		}})},
		{name: "Secret of another container", change: func(_, pod map[string]any) {
			pod["containers"].([]any)[0].(map[string]any)["volumeMounts"] = []any{
				map[string]any{"name": "more", "mountPath": "/more"},
			}
			pod["volumes"] = append(pod["volumes"].([]any), map[string]any{
				"name": "more", "secret": map[string]any{"secretName": "s"},
			})
		}},
		{name: "root above the repository", change: variableIs("ARGOCD_KSERVE_PLUGIN_ROOT", "/"),
			want: []string{"wrong env.ARGOCD_KSERVE_PLUGIN_ROOT it is /, so a run may read outside the copied repository; "}},
		{name: "root above the folder", change: variableIs("ARGOCD_KSERVE_PLUGIN_ROOT", "../.."),
			want: []string{"wrong env.ARGOCD_KSERVE_PLUGIN_ROOT it is ../.., so a run may read outside the copied repository; "}},
		{name: "root in the repository", change: variableIs("ARGOCD_KSERVE_PLUGIN_ROOT", ".")},
		{name: "empty applications", change: variableIs("ARGOCD_KSERVE_PLUGIN_ALLOW_EMPTY", "true"),
			want: []string{"wrong env.ARGOCD_KSERVE_PLUGIN_ALLOW_EMPTY it is true, so Argo CD prunes everything where there are "}},
		{name: "variables of Services", change: podIs("enableServiceLinks", true)}, // the chart and the operator have no field
		{name: "other privileges", change: func(sidecar, _ map[string]any) {
			sidecar["securityContext"].(map[string]any)["allowPrivilegeEscalation"] = true
		}, want: []string{"wrong securityContext.allowPrivilegeEscalation it is true; install sets false"}},
		{name: "root", change: func(sidecar, _ map[string]any) {
			sidecar["securityContext"].(map[string]any)["runAsUser"] = 0
		}, want: []string{"wrong securityContext.runAsUser it is 0; install sets 999"}},
		{name: "root of the pod", change: func(sidecar, pod map[string]any) {
			delete(sidecar["securityContext"].(map[string]any), "runAsUser")
			pod["securityContext"] = map[string]any{"runAsUser": 0}
		}, want: []string{"wrong securityContext.runAsUser it is 0; install sets 999"}},
		{name: "user of the platform", change: func(sidecar, _ map[string]any) {
			sidecar["securityContext"].(map[string]any)["runAsUser"] = 1000660000
		}},
		{name: "small limits", change: set("resources", map[string]any{"limits": map[string]any{
			"memory": "1Gi", "ephemeral-storage": 1000000,
		}}), want: []string{"wrong resources.limits.memory it is 1Gi, less than four times max-memory, which is 2 GiB",
			"wrong resources.limits.ephemeral-storage it is 1000000, less than max-input, which is 128 MiB"}},
		{name: "limits that fit the settings", change: func(sidecar, pod map[string]any) {
			variableIs("ARGOCD_KSERVE_PLUGIN_MAX_MEMORY", "256MiB")(sidecar, pod)
			sidecar["resources"].(map[string]any)["limits"].(map[string]any)["memory"] = 1 << 30
		}},
		{name: "small tmp", change: tmpIs("emptyDir", map[string]any{"sizeLimit": "64Mi"}),
			want: []string{"wrong volumes.argocd-kserve-plugin-tmp.emptyDir.sizeLimit it is 64Mi, less than max-input, "}},
		{name: "tmp without a limit", change: tmpIs("emptyDir", map[string]any{}),
			want: []string{"missing volumes.argocd-kserve-plugin-tmp.emptyDir.sizeLimit the runs can fill the disk of the node"}},
		{name: "tmp with the limit of the container", change: func(sidecar, pod map[string]any) {
			tmpIs("emptyDir", map[string]any{})(sidecar, pod)
			sidecar["resources"].(map[string]any)["limits"].(map[string]any)["ephemeral-storage"] = "2Gi"
		}},
		{name: "tmp in memory without a limit", change: tmpIs("emptyDir", map[string]any{"medium": "Memory"})},
		{name: "limits", change: set("resources", map[string]any{"limits": map[string]any{"memory": "4Gi"}})},
		{name: "a limit of null", change: set("resources", map[string]any{"limits": map[string]any{
			"memory": nil, "ephemeral-storage": "2Gi",
		}}), want: []string{"missing resources.limits.memory the container has no limit; install sets 2Gi"}},
		{name: "other name", change: set("name", "kserve")},
		{name: "other name and image", change: func(sidecar, _ map[string]any) {
			sidecar["name"], sidecar["image"] = "kserve", "mirror.example.com/plugin:"+Version
		}},
		{name: "other name and a tmp of two", change: func(sidecar, pod map[string]any) {
			sidecar["name"] = "kserve"
			mountIs("/tmp", "name", "tmp")(sidecar, pod)
		}, want: []string{"wrong volumeMounts the container argocd-repo-server mounts the volume tmp too"}},
		{name: "another plugin", change: func(sidecar, _ map[string]any) {
			clear(sidecar)
			sidecar["name"], sidecar["command"] = "avp", []any{serverProgram}
		}, want: []string{"missing containers no container runs the plugin"}},
		{name: "hidden plugin.yaml", change: mountPlugin,
			want: []string{"wrong volumeMounts the volume cmp hides the plugin.yaml of the image: give its ConfigMap cmp too, "}},
		{name: "plugin.yaml of no ConfigMap", change: func(sidecar, pod map[string]any) {
			mountPlugin(sidecar, pod)
			delete(pod["volumes"].([]any)[len(pod["volumes"].([]any))-1].(map[string]any), "configMap")
		}, want: []string{"wrong volumeMounts the volume cmp hides the plugin.yaml of the image: remove the mount"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if tc.options.KServeVersion == "" {
				tc.options.KServeVersion, tc.options.DefaultDeploymentMode = Unknown, Unknown
			}
			problems, notes := check(t, repoServerOf(t, tc.change), tc.options)
			expect(t, problems, tc.want)
			if got := strings.Join(notes, "\n"); !strings.Contains(got, tc.note) || (tc.note == "") != (got == "") {
				t.Errorf("notes %q, want %q", got, tc.note)
			}
		})
	}
}

// TestCheckPlugin compares a mounted plugin.yaml with the one in the image.
func TestCheckPlugin(t *testing.T) {
	server := string(repoServerOf(t, mountPlugin))
	configMap := "---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: cmp}, data: {plugin.yaml: %q}}\n"
	problems, _ := check(t, fmt.Appendf(nil, server+configMap, pluginYAML), unknown)
	expect(t, problems, nil)
	for _, other := range []string{strings.Replace(string(pluginYAML), "generate]", "generate, -v]", 1), "", "a: ["} {
		problems, _ = check(t, fmt.Appendf(nil, server+configMap, other), unknown)
		expect(t, problems, []string{"outdated volumeMounts the key plugin.yaml of the ConfigMap cmp differs"})
	}
	renamed := string(repoServerOf(t, func(sidecar, pod map[string]any) {
		mountPlugin(sidecar, pod)
		volumes := pod["volumes"].([]any)
		volumes[len(volumes)-1].(map[string]any)["configMap"] = map[string]any{
			"name": "cmp", "items": []any{map[string]any{"key": "kserve", "path": "plugin.yaml"}},
		}
	}))
	problems, _ = check(t, fmt.Appendf(nil, renamed+strings.Replace(configMap, "plugin.yaml:", "kserve:", 1), pluginYAML),
		unknown)
	expect(t, problems, nil)
}

// TestReadLive reads what is no repo-server.
func TestReadLive(t *testing.T) {
	const deployment = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: argocd-repo-server}\n"
	for stream, want := range map[string]string{
		"": "live.yaml: no Deployment has a name that ends in repo-server, or a container argocd-kserve-plugin",
		deployment + "spec: {template: {spec: {containers: [{env: [{name: A, value: 5}]}]}}}": "live.yaml: Deployment " +
			"argocd-repo-server: spec.template.spec: Containers.Env.Value has the wrong type: number",
		deployment + "spec: {template: {spec: 5}}": "live.yaml: Deployment argocd-repo-server: spec.template.spec: ",
		deployment + "spec: [":                     "live.yaml: ",
	} {
		if _, err := ReadLive([]byte(stream), "live.yaml"); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", stream, err, want)
		}
	}
	other := strings.Replace(string(repoServerOf(t, nil)), "argocd-repo-server", "reposerver", 1)
	problems, _ := check(t, []byte(other), unknown)
	expect(t, problems, nil)
	problems, _ = check(t, []byte(deployment), unknown)
	expect(t, problems, []string{"missing containers no container runs the plugin"})
}

func check(t *testing.T, stream []byte, o Options) (problems []Problem, notes []string) {
	t.Helper()
	live, err := ReadLive(stream, "live.yaml")
	if err != nil {
		t.Fatal(err)
	}
	problems, notes, err = live.Check(o, nil)
	if err != nil {
		t.Fatal(err)
	}
	return problems, notes
}

func expect(t *testing.T, problems []Problem, want []string) {
	t.Helper()
	if len(problems) != len(want) {
		t.Fatalf("problems %+v, want %q", problems, want)
	}
	for i, p := range problems {
		if got := p.Problem + " " + p.Field + " " + p.Message; !strings.HasPrefix(got, want[i]) {
			t.Errorf("problem %q, want %q", got, want[i])
		}
	}
}

func set(field string, value any) func(sidecar, pod map[string]any) {
	return func(sidecar, _ map[string]any) { sidecar[field] = value }
}

func podIs(field string, value any) func(sidecar, pod map[string]any) {
	return func(_, pod map[string]any) { pod[field] = value }
}

// mountVolume mounts a volume that install does not.
func mountVolume(kind string, source any) func(sidecar, pod map[string]any) {
	return func(sidecar, pod map[string]any) {
		sidecar["volumeMounts"] = append(sidecar["volumeMounts"].([]any), map[string]any{"name": "more", "mountPath": "/more"})
		pod["volumes"] = append(pod["volumes"].([]any), map[string]any{"name": "more", kind: source})
	}
}

// fromElsewhere lets a setting of the sidecar take its value from a ConfigMap.
func fromElsewhere(setting string) func(sidecar, pod map[string]any) {
	return func(sidecar, _ map[string]any) {
		name := settings.Variable(setting)
		env := slices.DeleteFunc(sidecar["env"].([]any), func(v any) bool { return v.(map[string]any)["name"] == name })
		sidecar["env"] = append(env, map[string]any{
			"name": name, "valueFrom": map[string]any{"configMapKeyRef": map[string]any{"name": "c", "key": "k"}},
		})
	}
}

// mountIs sets fields of the mount at a path.
func mountIs(at string, fields ...any) func(sidecar, pod map[string]any) {
	return func(sidecar, _ map[string]any) {
		for _, mount := range sidecar["volumeMounts"].([]any) {
			if mount := mount.(map[string]any); mount["mountPath"] == at {
				for pair := range slices.Chunk(fields, 2) {
					mount[pair[0].(string)] = pair[1]
				}
			}
		}
	}
}

// tmpIs makes the sidecar's volume for /tmp another one.
func tmpIs(kind string, source any) func(sidecar, pod map[string]any) {
	return func(_, pod map[string]any) {
		for i, volume := range pod["volumes"].([]any) {
			if name := volume.(map[string]any)["name"]; name == "argocd-kserve-plugin-tmp" {
				pod["volumes"].([]any)[i] = map[string]any{"name": name, kind: source}
			}
		}
	}
}

func variableIs(name, value string) func(sidecar, pod map[string]any) {
	return func(sidecar, _ map[string]any) {
		for _, entry := range sidecar["env"].([]any) {
			if entry.(map[string]any)["name"] == name {
				entry.(map[string]any)["value"] = value
			}
		}
	}
}

func withoutVariable(name string) func(sidecar, pod map[string]any) {
	return func(sidecar, _ map[string]any) {
		sidecar["env"] = slices.DeleteFunc(sidecar["env"].([]any), func(entry any) bool {
			return entry.(map[string]any)["name"] == name
		})
	}
}

// native moves the sidecar to the init containers, which get these names.
func native(restartPolicy string, names ...string) func(sidecar, pod map[string]any) {
	return func(sidecar, pod map[string]any) {
		pod["containers"] = pod["containers"].([]any)[:1]
		sidecar["restartPolicy"] = restartPolicy
		var list []any
		for _, name := range names {
			if name == containerName {
				list = append(list, sidecar)
			} else {
				list = append(list, map[string]any{"name": name})
			}
		}
		pod["initContainers"] = list
	}
}

func mountPlugin(sidecar, pod map[string]any) {
	sidecar["volumeMounts"] = append(sidecar["volumeMounts"].([]any), map[string]any{
		"name": "cmp", "mountPath": configFolder + "/plugin.yaml", "subPath": "plugin.yaml",
	})
	pod["volumes"] = append(pod["volumes"].([]any), map[string]any{
		"name": "cmp", "configMap": map[string]any{"name": "cmp"},
	})
}
