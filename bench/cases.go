package main

// testCase compares a command of the plugin with another one. In commands, ${input*n} is the path of an input with n
// entries.
type testCase struct {
	name, command string
	peer, other   string
	most          goal
}

// starts has, by a case's peer, the commands that take what the program and its peer take without any work. It is not
// counted.
var starts = map[string]struct{ own, other string }{
	helmTemplate: {plugin + "version", "helm version"},
}

// goal is what a case may take at most.
type goal struct {
	ratio  float64 // of the CPU time to that of the peer
	memory int64   // bytes above the size of the input; zero is no goal
}

const (
	plugin = "argocd-kserve-plugin "
	// flags let the rules repair everything, and raise the limits.
	flags = "--default-deployment-mode=Standard --health-metadata=true --shared-runtimes=edit " +
		"--timeout=10m --max-memory=4GiB --max-input=1GiB "

	generate = plugin + "generate --kserve-version=0.15.2 " + flags
	latest   = plugin + "generate --kserve-version=0.20.0 " + flags
	plane    = "argocd-kserve-plugin-kserve-0.20.0 "
	diff     = plugin + "diff --kserve-version=0.15.2 --color=never --fail-on=never " + flags

	cat          = "`cat`"
	helmTemplate = "`helm template`, both net of `version`"

	// target is the memory target that install/ sets for the garbage collector.
	target = "GOMEMLIMIT=200MiB "
)

const (
	linear = 11 // times the CPU time for ten times the input

	// collected is linear where only the larger run has more than 64 MiB of memory, from which on garbage is collected
	// more often, or, with plan, 2 GB.
	collected = 13.5

	// large and many are 0.6 and 1.2 ms per MB on a machine where cat takes 0.148 ms. In medium, the start of the program
	// counts too.
	medium = 5
	large  = 4.1
	many   = 8.1

	// start, planned and doctored are 0.5, 8.5 and 3 s on a machine where `version` takes 25 ms. Of planned, a service takes
	// 17 ms: KServe's own controller looks at it four times and makes four objects, and each write passes the webhooks, the
	// defaults and the validation of the API server, as in a cluster.
	start    = 20
	planned  = 340
	doctored = 120

	// ruled is chart with 109 rules, which run twice. It was 0.9 with 72.
	chart = 0.9
	ruled = 1.3

	assess   = 3.6 // half of what it was with a Lua state for each object
	overhead = 60e6
)

var cases = []testCase{
	{
		"chart of 50 services", generate + "${chart*50}",
		helmTemplate, "helm template demo ${chart*50}",
		goal{ratio: ruled},
	},
	{
		"chart of 500 services", generate + "${chart*500}",
		helmTemplate, "helm template demo ${chart*500}",
		goal{ratio: ruled},
	},
	{
		"chart of 50 services, without rules", generate + "--rules=KS911 ${chart*50}",
		helmTemplate, "helm template demo ${chart*50}",
		goal{ratio: chart},
	},
	{
		"chart of 500 services, without rules", generate + "--rules=KS911 ${chart*500}",
		helmTemplate, "helm template demo ${chart*500}",
		goal{ratio: chart},
	},
	{
		"kustomize overlay with a patch, an InferenceService and an HPA",
		generate + "--root=examples examples/two-environments/overlays/production",
		"`kustomize build`", "kustomize build examples/two-environments/overlays/production",
		goal{ratio: 0.4},
	},
	{
		"kustomize overlay of 100 services",
		generate + "--root=${overlay*100} ${overlay*100}/production",
		"`kustomize build`", "kustomize build ${overlay*100}/production",
		goal{ratio: 1},
	},
	{
		"5,000 services", generate + "${services.yaml*5000}",
		"one decode with yaml.v3", "decode ${services.yaml*5000}",
		goal{ratio: 5.5, memory: 190e6},
	},
	{
		"5,000 services", generate + "${services.yaml*5000}",
		"the same repairs with `yq`", "yq --from-file ${repairs.yq*1} ${services.yaml*5000}",
		goal{ratio: 0.7},
	},
	{
		"36 MB that no rule names", generate + "${foreign.yaml*17000}",
		cat, "cat ${foreign.yaml*17000}",
		goal{ratio: medium},
	},
	{
		"150 MB that no rule names", generate + "${foreign.yaml*71000}",
		cat, "cat ${foreign.yaml*71000}",
		goal{ratio: large},
	},
	{
		"150,000 small documents that no rule names", generate + "${small.yaml*150000}",
		cat, "cat ${small.yaml*150000}",
		goal{ratio: many},
	},
	{
		"5,000 services", generate + "${services.yaml*5000}",
		"500 services", generate + "${services.yaml*500}",
		goal{ratio: linear},
	},
	{
		"YAML List of 5,000 services", generate + "${list.yaml*5000}",
		"List of 500", generate + "${list.yaml*500}",
		goal{ratio: collected},
	},
	{
		"JSON List of 5,000 services on one line", generate + "${list.json*5000}",
		"List of 500", generate + "${list.json*500}",
		goal{ratio: linear},
	},
	{
		"5,000 variables of one container that all have one name", generate + "${duplicates.yaml*5000}",
		"500 variables", generate + "${duplicates.yaml*500}",
		goal{ratio: linear},
	},
	{
		"5,000 services with three HPAs and a Canary each, in one namespace", generate + "${mixed.yaml*5000}",
		"500 of them", generate + "${mixed.yaml*500}",
		goal{ratio: collected},
	},
	{
		"5,000 HPAs whose targets are stale, in one namespace", latest + "${stale.yaml*5000}",
		"500 of them", latest + "${stale.yaml*500}",
		goal{ratio: collected},
	},
	{
		"KS104: 800 runtimes of one format, 20 services that name none", latest + "${runtimes.yaml*800}",
		"80 runtimes, 2 services", latest + "${runtimes.yaml*80}",
		goal{ratio: linear},
	},
	{
		"`diff` of 5,000 services", diff + "${services.yaml*5000}",
		"`generate`", generate + "${services.yaml*5000}",
		goal{ratio: 1.2},
	},
	{
		"`health assess` of 5,000 services and their Deployments", plugin + "health assess ${live.yaml*5000}",
		"500 of them", plugin + "health assess ${live.yaml*500}",
		goal{ratio: linear},
	},
	{
		"`health assess` of 5,000 services and their Deployments", plugin + "health assess ${live.yaml*5000}",
		"one decode with yaml.v3", "decode ${live.yaml*5000}",
		goal{ratio: assess},
	},
	{
		"`doctor` of 2,000 services and what is made of them", plugin + "doctor --fail-on=never ${made.yaml*2000}",
		"200 of them", plugin + "doctor --fail-on=never ${made.yaml*200}",
		goal{ratio: linear},
	},
	{
		"`doctor` of 2,000 services and what is made of them", plugin + "doctor --fail-on=never ${made.yaml*2000}",
		"`version`", plugin + "version",
		goal{ratio: doctored, memory: 300e6},
	},
	{
		"`health wait` for 5,000 services with 50,000 changes", plugin + "health wait ${changes.json*5000} ${names*5000}",
		"500 services, 5,000 changes", plugin + "health wait ${changes.json*500} ${names*500}",
		goal{ratio: collected},
	},
	{
		"the program of `plan` for KServe 0.20.0: one service", plane + "< ${request.json*1}",
		"`version`", plugin + "version",
		goal{ratio: start},
	},
	{
		"the program of `plan` for KServe 0.20.0: 500 services", plane + "< ${request.json*500}",
		"`version`", plugin + "version",
		goal{ratio: planned, memory: 400e6},
	},
	{
		"the program of `plan` for KServe 0.20.0: 5,000 services", plane + "< ${request.json*5000}",
		"500 services", plane + "< ${request.json*500}",
		goal{ratio: collected},
	},
	{
		"`version`", plugin + "version",
		"an empty Go program", "empty",
		goal{ratio: 18},
	},
	{
		"1,000 services from a file, with the installed GOMEMLIMIT", target + generate + "${services.yaml*1000}",
		"no GOMEMLIMIT", generate + "${services.yaml*1000}",
		goal{ratio: 1.2, memory: overhead},
	},
	{
		"1,000 services from stdin, with the installed GOMEMLIMIT", target + generate + "- < ${services.yaml*1000}",
		"no GOMEMLIMIT", generate + "- < ${services.yaml*1000}",
		goal{ratio: 1.2, memory: overhead},
	},
}
