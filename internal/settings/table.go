package settings

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/lazyregexp"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/rules"
)

var truth = []string{"false", "true"}

// Table lists every setting. Flags, environment variables, Argo CD parameters, the settings file, the announcements and
// the documentation all come from it.
var Table = slices.Concat([]Setting{
	{
		Name: "kserve-version", Title: "KServe version",
		Help:    "KServe release in the cluster; unknown stands for all from 0.12 on",
		Accepts: "x.y.z, x.y (any patch of it), odh-x.y (the one of that OpenDataHub) or unknown", Default: unknown,
		pattern: `^(v?\d+\.\d+(\.\d+)?|odh-.+|unknown)$`,
		field:   func(s *Settings) any { return &s.KServeVersion },
		isFact:  true,
		check:   kserveVersion,
	},
	{
		Name: "argocd-version", Title: "Argo CD version",
		Help:    "Argo CD release that applies the manifests",
		Accepts: "x.y.z, x.y or unknown", Default: unknown,
		pattern: `^(v?\d+\.\d+(\.\d+)?|unknown)$`,
		field:   func(s *Settings) any { return &s.ArgoCDVersion },
		isFact:  true,
		check:   argocdVersion,
	},
	{
		Name: "default-deployment-mode", Title: "Default deployment mode",
		Help: "deployment mode of InferenceServices that do not set one; " +
			"the cluster's default is in the ConfigMap inferenceservice-config, key deploy",
		Accepts: "Standard or RawDeployment, Knative or Serverless, ModelMesh, or unknown", Default: unknown,
		pattern: "^(Standard|RawDeployment|Knative|Serverless|ModelMesh|unknown)$",
		field:   func(s *Settings) any { return &s.DefaultDeploymentMode },
		isFact:  true,
		check:   deploymentMode,
	},
	{
		Name: "namespace", Title: "Namespace",
		Help:    "namespace of manifests that do not set one",
		Accepts: "a namespace", Unset: "ARGOCD_APP_NAMESPACE",
		pattern: namespaceText,
		field:   func(s *Settings) any { return &s.Namespace },
		check:   namespace,
	},
	{
		Name: "rules", Title: "Rules",
		Help:    "rules to run; -ID leaves a rule out; if any ID is listed without -, only those run",
		Accepts: "a list of rule IDs such as KS101 or -KS301", Unset: "all",
		pattern: `^(-?KS\d{3}|all)$`,
		field:   func(s *Settings) any { return &s.Select },
		check:   ruleID,
	},
	{
		Name: "rules-as-of", Title: "Rules as of",
		Help: "minor release of the plugin whose repairs are made; rules that came later only advise, so that an upgrade " +
			"of the plugin changes no manifest",
		Accepts: "x.y, at most " + rules.Newest.Minor() + ", or newest", Default: "newest",
		pattern: `^(v?\d+\.\d+|newest)$`,
		field:   func(s *Settings) any { return &s.AsOf },
		check:   rulesVersion,
	},
	{
		Name: "suppressions", Title: "Suppressions",
		Help: "whether comments and annotations in the manifests may accept findings; where they may not, such findings " +
			"are reported and repaired like all others",
		Values:  texts(rules.SuppressionsAllow, rules.SuppressionsForbid),
		Default: string(rules.SuppressionsAllow),
		field:   func(s *Settings) any { return (*string)(&s.Suppressions) },
	},
	{
		Name: "probes", Title: "Probes",
		Help: "exec readiness probes in Standard mode: copied converts those that KServe copies to its agent and so " +
			"breaks, auto also those with an exact HTTP equivalent, always also those with a looser one; tcp is copied with " +
			"tcpSocket rather than httpGet, never only reports",
		Values: texts(rules.ProbesAuto, rules.ProbesCopied, rules.ProbesAlways, rules.ProbesTCP,
			rules.ProbesNever),
		Default: string(rules.ProbesAuto),
		field:   func(s *Settings) any { return (*string)(&s.Probes) },
	},
	{
		Name: "autoscaler", Title: "Autoscaler",
		Help: "autoscalers that have a name KServe uses: rename them, keep them with the finalizer that KServe " +
			"0.13.0 to 0.15.0 honours, or only report them",
		Values:  texts(rules.AutoscalerRename, rules.AutoscalerFinalizer, rules.AutoscalerReport),
		Default: string(rules.AutoscalerRename),
		field:   func(s *Settings) any { return (*string)(&s.Autoscaler) },
	},
	{
		Name: "health-metadata", Title: "Health metadata",
		Help: "annotate InferenceServices with the conditions that make them healthy: auto only those whose pods " +
			"restart because of another repair, true all of them, false none",
		Values:  texts(rules.HealthMetadataAuto, rules.HealthMetadataOn, rules.HealthMetadataOff),
		Default: string(rules.HealthMetadataAuto),
		field:   func(s *Settings) any { return (*string)(&s.HealthMetadata) },
	},
	{
		Name: "progress-deadline-seconds", Title: "Progress deadline in seconds",
		Help:    "seconds after which an InferenceService that is not ready counts as Degraded",
		Accepts: "a positive number or none", Default: none,
		pattern: `^([1-9]\d*|none)$`,
		field:   func(s *Settings) any { return &s.ProgressDeadlineSeconds },
	},
	{
		Name: "deployment-mode-rewrite", Title: "Rewrite of the deployment mode",
		Help: "when to respell the deployment mode annotation: always does so even where KServe 0.16 may have " +
			"locked the old spelling",
		Values:  texts(rules.DeploymentModeRewriteAuto, rules.DeploymentModeRewriteAlways),
		Default: string(rules.DeploymentModeRewriteAuto),
		field:   func(s *Settings) any { return (*string)(&s.DeploymentModeRewrite) },
	},
	{
		Name: "shared-runtimes", Title: "Shared runtimes",
		Help: "serving runtimes, which services of other apps may use too: only report what is wrong in them, or edit " +
			"them, which restarts the pods of their services",
		Values:  texts(rules.SharedRuntimesReport, rules.SharedRuntimesEdit),
		Default: string(rules.SharedRuntimesReport),
		field:   func(s *Settings) any { return (*string)(&s.SharedRuntimes) },
	},
	{
		Name: "pruned-fields", Title: "Pruned fields",
		Help: "fields that KServe does not know: only report them, move them to where they belong if that is known, which " +
			"makes them count and so restarts the pods, or remove them, as the API server does",
		Values:  texts(rules.PrunedFieldsReport, rules.PrunedFieldsMove, rules.PrunedFieldsRemove),
		Default: string(rules.PrunedFieldsReport),
		field:   func(s *Settings) any { return (*string)(&s.PrunedFields) },
	},
	{
		Name: "fail-on", Title: "Fail on",
		Help:   "lowest severity of a finding that makes the command fail; generate ignores what it repaired",
		Values: []string{"never", "advice", "warning", "error"}, Unset: "never in generate, error in upgrade, else warning",
		field: func(s *Settings) any { return &s.FailOn },
	},
	{
		Name: "report", Title: "Report",
		Help:   "object with the findings that generate adds to each namespace, if the cluster has that kind",
		Values: []string{none, "openreports", "policyreport"}, Default: none,
		field: func(s *Settings) any { return &s.Report },
	},
	{
		Name: "source", Title: "Source",
		Help: "how to render manifests; auto uses kustomize if there is a kustomization, Helm if there is a Chart.yaml, " +
			"else the directory's files",
		Values: []string{"auto", "directory", "kustomize", "helm"}, Default: "auto",
		field: func(s *Settings) any { return &s.Source },
	},
	{
		Name: "root", Title: "Root",
		Help: "folder that confines reading: by default the copied repository under Argo CD, else the Git work tree, " +
			"else the given folder; only whoever runs the plugin may widen it",
		Accepts: "a folder, relative to the working directory, or found", Unset: found,
		field: func(s *Settings) any { return &s.Root },
		check: root,
	},
	{
		Name: "directory-recurse", Title: "Recurse",
		Help:   "also read the folders below a directory",
		Values: truth, Default: "false",
		field: func(s *Settings) any { return &s.Recurse },
	},
	{
		Name: "directory-include", Title: "Include",
		Help:    "files of a directory to read",
		Accepts: "a list of globs, at most 1024 bytes", Default: "*.yaml *.yml *.json",
		field: func(s *Settings) any { return &s.Include },
	},
	{
		Name: "directory-exclude", Title: "Exclude",
		Help:    "files of a directory to leave out",
		Accepts: "a list of globs, at most 1024 bytes", Unset: none,
		field: func(s *Settings) any { return &s.Exclude },
	},
	{
		Name: "kustomize-load-restrictor", Title: "Load restrictor of kustomize",
		Help: "which files a kustomization may read: those in and below its own folder, as kustomize has it, or all " +
			"below the root; folders such as ../base are allowed in both cases",
		Values: []string{"kustomization", "root"}, Default: "kustomization",
		field: func(s *Settings) any { return &s.LoadRestrictor },
	},
	{
		Name: "allow-empty", Title: "Allow empty",
		Help:   "accept a source without objects; Argo CD may then prune everything",
		Values: truth, Default: "false",
		field: func(s *Settings) any { return &s.AllowEmpty },
	},
	{
		Name: "timeout", Title: "Timeout",
		Help:    "time after which the command gives up; keep it below Argo CD's repo server timeout (60s by default)",
		Accepts: "a duration such as 45s or 2m", Default: "45s", ceiling: true,
		pattern: `^(\d+(\.\d+)?(h|m|s|ms|us|ns))+$`,
		field:   func(s *Settings) any { return &s.Timeout },
	},
	{
		Name: "max-input", Title: "Largest input",
		Help: "maximum number of bytes to read; aliases may add as many to the manifests, and aliases, copy operations and " +
			"files read again to a kustomization, but not more than a quarter of max-memory",
		Accepts: bytes, Default: "128 MiB", ceiling: true,
		pattern: sizeForm,
		field:   func(s *Settings) any { return &s.MaxInput },
	},
	{
		Name: maxMemory, Title: "Largest memory",
		Help: "memory at which the command gives up, before the kernel ends the whole container; the default is " +
			"GOMEMLIMIT, else half of the container's limit, else 512 MiB",
		Accepts: bytes, Default: "512 MiB", ceiling: true,
		pattern: sizeForm,
		field:   func(s *Settings) any { return &s.MaxMemory },
	},
}, helmTable, kustomizeTable)

// texts returns the values of an option of the rules.
func texts[T ~string](values ...T) []string {
	var list []string
	for _, value := range values {
		list = append(list, string(value))
	}
	return list
}

const (
	maxMemory     = "max-memory"
	bytes         = "a number of bytes, with KiB, MiB or GiB"
	namespaceText = `^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`
	sizeForm      = `^[1-9]\d* *([KMG]i(B)?)?$`
)

const unknown = "unknown"

var (
	versionForm   = lazyregexp.New(`^\d+\.\d+(\.\d+)?$`)
	namespaceForm = lazyregexp.New(namespaceText)
)

func kserveVersion(text string) (string, error) {
	_, _, err := kserve.ParseVersions(text)
	return strings.TrimPrefix(text, "v"), err
}

func argocdVersion(text string) (string, error) {
	number := strings.TrimPrefix(text, "v")
	if number != unknown && !versionForm().MatchString(number) {
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
	if !namespaceForm().MatchString(text) {
		return "", fmt.Errorf("%q is not the name of a namespace", text)
	}
	return text, nil
}

const found = "found"

// root turns the word for the default into the empty value, so that the sidecar can lock the default.
func root(text string) (string, error) {
	if text == found {
		return "", nil
	}
	return text, nil
}

func rulesVersion(text string) (string, error) {
	_, err := rules.ParseVersion(text)
	return strings.TrimPrefix(text, "v"), err
}

func ruleID(text string) (string, error) {
	for _, rule := range rules.All {
		if strings.TrimPrefix(text, "-") == rule.ID {
			return text, nil
		}
	}
	return "", fmt.Errorf("unknown rule %q; argocd-kserve-plugin explain lists their IDs", text)
}
