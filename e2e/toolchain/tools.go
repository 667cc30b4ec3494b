package toolchain

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
)

// Tool is a real program, built from a module under e2e/tools, or for KServe under controlplane.
type Tool struct {
	Name    string // of the executable
	Folder  string // of the module, from e2e/tools
	Module  string // the module whose version and sources the program stands for
	Package string // its main package; it begins with a dot for one in Folder
	LDFlags string // added to -s -w
}

// Kubernetes prints a version that clients cannot parse unless the linker sets it.
const kubernetesVersion = "-X k8s.io/component-base/version.gitVersion=v1.34.4" +
	" -X k8s.io/component-base/version.gitMajor=1 -X k8s.io/component-base/version.gitMinor=34"

// The programs. One Argo CD binary is all of its components, and one Kubernetes binary is etcd, kube-apiserver,
// kube-controller-manager and kube-scheduler: the name it is started with (argv[0]) decides.
var (
	ArgoCD2 = Tool{Name: "argocd2", Folder: "argocd2",
		Module: "github.com/argoproj/argo-cd/v2", Package: "github.com/argoproj/argo-cd/v2/cmd"}
	ArgoCD30 = Tool{Name: "argocd30", Folder: "argocd30",
		Module: "github.com/argoproj/argo-cd/v3", Package: "github.com/argoproj/argo-cd/v3/cmd"}
	ArgoCD3 = Tool{Name: "argocd3", Folder: "argocd3",
		Module: "github.com/argoproj/argo-cd/v3", Package: "github.com/argoproj/argo-cd/v3/cmd"}
	Kubernetes = Tool{Name: "kubernetes", Folder: "kubernetes",
		Module: "k8s.io/kubernetes", Package: ".", LDFlags: kubernetesVersion}
	Kwok = Tool{Name: "kwok", Folder: "kwok",
		Module: "sigs.k8s.io/kwok", Package: "sigs.k8s.io/kwok/cmd/kwok"}
	Kubectl = Tool{Name: "kubectl", Folder: "kubectl",
		Module: "k8s.io/kubectl", Package: "."}
	// A program of ours with Knative's own reconcilers.
	KnativeController = Tool{Name: "knative-controller", Folder: "knative", Module: knativeModule, Package: "."}
	KnativeAutoscaler = knative("autoscaler")
	KnativeWebhook    = knative("webhook")
	KEDAOperator      = keda("operator")
	KEDAWebhooks      = keda("webhooks")
	ArgoCDOperator    = Tool{Name: "argocd-operator", Folder: "argocd-operator",
		Module: "github.com/argoproj-labs/argocd-operator", Package: "github.com/argoproj-labs/argocd-operator/cmd"}
	// The helm of Argo CD 3.5.7 and that of 2.14.21 (hack/tool-versions.sh).
	Helm4 = Tool{Name: "helm4", Folder: "helm4", Module: "helm.sh/helm/v4", Package: "helm.sh/helm/v4/cmd/helm",
		LDFlags: "-X helm.sh/helm/v4/internal/version.version=v4.2.1"}
	Helm3 = Tool{Name: "helm3", Folder: "helm3", Module: "helm.sh/helm/v3", Package: "helm.sh/helm/v3/cmd/helm",
		LDFlags: "-X helm.sh/helm/v3/internal/version.version=v3.16.3"}
	// The kustomize of Argo CD 3.5.7, and a program that calls it with Argo CD's own code.
	Kustomize = Tool{Name: "kustomize", Folder: "kustomize",
		Module: "sigs.k8s.io/kustomize/kustomize/v5", Package: "sigs.k8s.io/kustomize/kustomize/v5"}
	KustomizeInArgoCD3 = Tool{Name: "kustomize-in-argocd3", Folder: "../kustomize/argocd",
		Module: "github.com/argoproj/argo-cd/v3", Package: "."}
	Kpt = Tool{Name: "kpt", Folder: "kpt", Module: "github.com/kptdev/kpt", Package: "."}
	// Another plugin of Argo CD, that the plugin works with.
	VaultPlugin = Tool{Name: "argocd-vault-plugin", Folder: "argocd-vault-plugin",
		Module: "github.com/argoproj-labs/argocd-vault-plugin", Package: "github.com/argoproj-labs/argocd-vault-plugin"}
)

// KServeManager is the KServe controller of a release that has a folder under controlplane, such as v0.20.0.
func KServeManager(version string) Tool { return kserve("manager", version) }

// KServeLLMManager is the controller of LLMInferenceServices, from v0.16.0 on.
func KServeLLMManager(version string) Tool { return kserve("llmisvc", version) }

// KServeAgent is the agent container's program of the same releases.
func KServeAgent(version string) Tool { return kserve("agent", version) }

// KServeFolder is the [Tool.Folder] of a release's module.
func KServeFolder(version string) string { return "../../controlplane/kserve-" + version }

const kserveModule = "github.com/kserve/kserve"

func kserve(program, version string) Tool {
	return Tool{
		Name: "kserve-" + program, Folder: KServeFolder(version), Module: kserveModule,
		Package: kserveModule + "/cmd/" + program,
	}
}

const knativeModule = "knative.dev/serving"

func knative(program string) Tool {
	return Tool{
		Name: "knative-" + program, Folder: "knative", Module: knativeModule, Package: knativeModule + "/cmd/" + program,
	}
}

const kedaModule = "github.com/kedacore/keda/v2"

func keda(program string) Tool {
	return Tool{Name: "keda-" + program, Folder: "keda", Module: kedaModule, Package: kedaModule + "/cmd/" + program}
}

// Version returns the version of the program's module, as its go.mod requires it.
func (t Tool) Version() (string, error) {
	dir, err := t.dir()
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "go.mod")
	data, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	file, err := modfile.ParseLax(path, data, nil)
	if err != nil {
		return "", err
	}
	for _, require := range file.Require {
		if require.Mod.Path == t.Module {
			return require.Mod.Version, nil
		}
	}
	return "", fmt.Errorf("%s does not require %s", path, t.Module)
}

func (t Tool) dir() (string, error) {
	root, err := Repository()
	return filepath.Join(root, "e2e", "tools", t.Folder), err
}

// sum changes with anything in the tool's folders and with its linker flags.
func (t Tool) sum() (string, error) {
	dir, err := t.dir()
	if err != nil {
		return "", err
	}
	files := []string{filepath.Join(dir, "go.mod"), filepath.Join(dir, "go.sum")}
	if strings.HasPrefix(t.Package, ".") {
		sources, err := filepath.Glob(filepath.Join(dir, t.Package, "*.go"))
		if err != nil {
			return "", err
		}
		files = append(files, sources...)
	}
	hash := sha256.New()
	fmt.Fprintln(hash, t.Package, t.LDFlags)
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		fmt.Fprintln(hash, filepath.Base(file), len(data))
		hash.Write(data)
	}
	return fmt.Sprintf("%x", hash.Sum(nil)[:4]), nil
}
