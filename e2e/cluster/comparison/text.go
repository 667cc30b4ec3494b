package comparison

// Sections are the tables of the page, in their order.
var Sections = []Section{Services, Changes}

const introduction = `# Ways to compare and to track

<!-- Written by make e2e SUITE=comparison. It compares this page with what it measures; -update rewrites the page. -->

Argo CD compares the cluster with Git in several ways, and marks the objects of an Application in several ways. Every
row is a run of the real Argo CD and of KServe's own controller and webhooks, in Standard mode, on a real Kubernetes 1.34
API server, where kwok simulates the pods.

| comparison | how it is set |
|---|---|
| client | the default |
| structured | the sync option ServerSideApply=true |
| server | ServerSideApply=true, and the compare option ServerSideDiff=true |

| tracking | ` + "`application.resourceTrackingMethod`" + ` in argocd-cm |
|---|---|
| label | the default up to Argo CD 2.14: the label ` + "`app.kubernetes.io/instance`" + ` |
| annotation | the default since 3.0: the annotation ` + "`argocd.argoproj.io/tracking-id`" + ` |
| annotation+label | both; the annotation decides |

A way without a row was not measured. What follows from this is in [argocd.md](../argocd.md#resource-tracking).
`

// Services is about an app in every way.
var Services = Section{
	Title: "An app",
	Keys:  4,
	Header: []string{
		"Argo CD", "Tracking", "Comparison", "KServe", "OutOfSync without the plugin", "With the plugin",
		"KServe's objects that get the mark", "Edited by hand", "Removed from Git",
	},
	Text: `The app has a service for each of KS101, KS202 with KS204, KS501, KS601, KS602 and KS605, and one without
` + "`resources`" + `: [the manifests](../../e2e/cluster/testdata/comparison). With the plugin, the first sync made every
object, with one ReplicaSet for each Deployment. Then the app was Synced through ten refreshes, five of them hard, without
another sync. "With the lines" has the ignoreDifferences that ` + "`drift`" + ` prints. KServe copies the mark of a service to
objects that it makes; Argo CD took none of them as its own. The last two columns are about what a person changes: an HPA
deleted, one edited, and a service edited in the cluster, and a service and an HPA removed from Git.
`,
}

// Changes is about another tracking method for an app that runs.
var Changes = Section{
	Title: "Changing the tracking method",
	Keys:  5,
	Header: []string{
		"Argo CD", "From", "To", "Comparison", "KServe", "Before a sync", "Pods after a sync",
		"with ApplyOutOfSyncOnly=true", "with KServe's list", "An HPA removed from Git before a sync",
	},
	Text: `KServe copies labels and annotations to the pods. So a mark that comes or goes replaces them with the next sync,
whatever that sync is for. KServe's list is what ` + "`health config -o inferenceservice-config`" + ` prints.
`,
}
