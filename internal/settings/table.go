package settings

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

var truth = []string{"false", "true"}

// Table holds every setting. Flags, environment variables, Argo CD parameters, the settings file, the announcements
// and the documentation are all made from it.
var Table = []Setting{
	{
		Name: "kserve-version", Title: "KServe version",
		Help:    "KServe release in the cluster",
		Accepts: "x.y.z, x.y (any patch of it) or unknown", Default: unknown,
		field: func(s *Settings) any { return &s.KServeVersion },
		check: kserveVersion,
	},
	{
		Name: "argocd-version", Title: "Argo CD version",
		Help:    "Argo CD release that applies the manifests",
		Accepts: "x.y.z, x.y or unknown", Default: unknown,
		field: func(s *Settings) any { return &s.ArgoCDVersion },
		check: argocdVersion,
	},
	{
		Name: "default-deployment-mode", Title: "Default deployment mode",
		Help:    "mode of the InferenceServices that name none; the cluster's is in the ConfigMap inferenceservice-config, key deploy",
		Accepts: "Standard, Knative, ModelMesh (RawDeployment and Serverless are understood) or unknown", Default: unknown,
		field: func(s *Settings) any { return &s.DefaultDeploymentMode },
		check: deploymentMode,
	},
	{
		Name: "namespace", Title: "Namespace",
		Help:    "namespace of the manifests that name none",
		Accepts: "a namespace", Unset: "ARGOCD_APP_NAMESPACE",
		field: func(s *Settings) any { return &s.Namespace },
		check: namespace,
	},
	{
		Name: "rules", Title: "Rules",
		Help:    "rules to run; IDs with a leading - are left out, other IDs are the only ones run",
		Accepts: "a list of rule IDs such as KS101 or -KS301", Unset: "all",
		field: func(s *Settings) any { return &s.Rules },
		check: ruleID,
	},
	{
		Name: "probes", Title: "Probes",
		Help:   "exec readiness probes: auto converts where KServe would break them, always converts all that have a proven HTTP equivalent, tcp prefers tcpSocket, never only reports",
		Values: []string{"auto", "always", "tcp", "never"}, Default: "auto",
		field: func(s *Settings) any { return &s.Probes },
	},
	{
		Name: "autoscaler", Title: "Autoscaler",
		Help:   "autoscalers that bear a name KServe uses: rename them, keep them by the finalizer KServe 0.13.0 to 0.15.0 honours, or report them",
		Values: []string{"rename", "finalizer", "report"}, Default: "rename",
		field: func(s *Settings) any { return &s.Autoscaler },
	},
	{
		Name: "health-metadata", Title: "Health metadata",
		Help:   "annotate InferenceServices with the conditions that make them healthy",
		Values: []string{"on", "off"}, Default: "on",
		field: func(s *Settings) any { return &s.HealthMetadata },
	},
	{
		Name: "progress-deadline-seconds", Title: "Progress deadline in seconds",
		Help:    "time after which an InferenceService that is not ready counts as degraded",
		Accepts: "a positive number or none", Default: none,
		field: func(s *Settings) any { return &s.ProgressDeadlineSeconds },
	},
	{
		Name: "deployment-mode-rewrite", Title: "Rewrite of the deployment mode",
		Help:   "whether the deployment mode annotation is respelled also where KServe 0.16 to 0.18 may have locked the old spelling",
		Values: []string{"auto", "always"}, Default: "auto",
		field: func(s *Settings) any { return &s.DeploymentModeRewrite },
	},
	{
		Name: "fail-on", Title: "Fail on",
		Help:   "least severity of a finding that makes the command fail; generate counts only what it could not repair",
		Values: []string{"never", "advice", "warning", "error"}, Unset: "never in generate, else warning",
		field: func(s *Settings) any { return &s.FailOn },
	},
	{
		Name: "source", Title: "Source",
		Help:   "how manifests are made; auto takes kustomize where there is a kustomization, else the directory's files",
		Values: []string{"auto", "directory", "kustomize"}, Default: "auto",
		field: func(s *Settings) any { return &s.Source },
	},
	{
		Name: "root", Title: "Root",
		Help:    "folder outside which nothing is read: found as the copied repository under Argo CD, else the Git work tree, else the folder given; only the sidecar may widen it",
		Accepts: "a folder, relative to the working directory", Unset: "found",
		field: func(s *Settings) any { return &s.Root },
	},
	{
		Name: "directory-recurse", Title: "Recurse",
		Help:   "read the folders below a directory too",
		Values: truth, Default: "false",
		field: func(s *Settings) any { return &s.Recurse },
	},
	{
		Name: "directory-include", Title: "Include",
		Help:    "files of a directory that are manifests",
		Accepts: "a list of globs", Default: "*.yaml *.yml *.json",
		field: func(s *Settings) any { return &s.Include },
	},
	{
		Name: "directory-exclude", Title: "Exclude",
		Help:    "files of a directory that are left out",
		Accepts: "a list of globs", Unset: none,
		field: func(s *Settings) any { return &s.Exclude },
	},
	{
		Name: "allow-empty", Title: "Allow empty",
		Help:   "take a source without any object as success; Argo CD may then prune everything",
		Values: truth, Default: "false",
		field: func(s *Settings) any { return &s.AllowEmpty },
	},
	{
		Name: "timeout", Title: "Timeout",
		Help:    "time after which the command gives up; keep it below Argo CD's repo server timeout, 60s unless changed",
		Accepts: "a duration such as 45s or 2m", Default: "45s",
		field: func(s *Settings) any { return &s.Timeout },
	},
	{
		Name: "max-input", Title: "Largest input",
		Help:    "bytes that may be read",
		Accepts: "a number of bytes, with KiB, MiB or GiB", Default: "256 MiB",
		field: func(s *Settings) any { return &s.MaxInput },
	},
}

const unknown = "unknown"

var (
	versionForm   = regexp.MustCompile(`^\d+\.\d+(\.\d+)?$`)
	namespaceForm = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`)
)

func kserveVersion(text string) (string, error) {
	_, _, err := kserve.ParseVersions(text)
	return strings.TrimPrefix(text, "v"), err
}

func argocdVersion(text string) (string, error) {
	number := strings.TrimPrefix(text, "v")
	if number != unknown && !versionForm.MatchString(number) {
		return "", fmt.Errorf("%q is not x.y.z, x.y or unknown", text)
	}
	return number, nil
}

func deploymentMode(text string) (string, error) {
	mode, ok := kserve.ParseMode(text)
	if !ok && text != unknown {
		return "", fmt.Errorf("%q is not Standard, Knative, ModelMesh or unknown", text)
	}
	return cmp.Or(string(mode), unknown), nil
}

func namespace(text string) (string, error) {
	if !namespaceForm.MatchString(text) {
		return "", fmt.Errorf("%q is not the name of a namespace", text)
	}
	return text, nil
}

func ruleID(text string) (string, error) {
	var ids []string
	for _, rule := range transform.Rules {
		if strings.TrimPrefix(text, "-") == rule.ID {
			return text, nil
		}
		ids = append(ids, rule.ID)
	}
	return "", fmt.Errorf("%q is no rule; the rules are %s", text, strings.Join(ids, ", "))
}
