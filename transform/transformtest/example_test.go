package transformtest_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/transformtest"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// Run all cases below testdata. In a test this is the loop around t.Run. With UPDATE_GOLDEN=1 the expectations are
// written: read them before you commit them.
func Example() {
	stable := transform.Window{From: transform.Release{1, 21, 0}} // has batch/v1
	cronJobVersion := &transform.Rule{
		ID:       "EX101",
		Name:     "cron-job-version",
		Title:    "A CronJob has the API version batch/v1beta1",
		Doc:      "Kubernetes 1.21 introduced CronJobs of batch/v1, and 1.25 no longer serves batch/v1beta1.",
		Windows:  []transform.Window{stable},
		Kinds:    []transform.GroupKind{{Group: "batch", Kind: "CronJob"}},
		Example:  "1.24.0/beta",
		Severity: transform.Warning,
		Run: func(p *transform.Pass) {
			at := yamldoc.Path{"apiVersion"}
			if p.Object.APIVersion == "batch/v1beta1" && stable.ContainsAll(p.Releases) {
				p.Report(transform.Report{At: at, Message: "batch/v1 replaces batch/v1beta1",
					Edits: p.Object.Edits(yamldoc.Set(at, "batch/v1"))})
			}
		},
	}
	rules := []*transform.Rule{cronJobVersion}
	suite := transformtest.Suite{Dir: "testdata", Open: transformtest.Files(transform.Config{Rules: rules})}

	ctx, update := context.Background(), os.Getenv("UPDATE_GOLDEN") != ""
	cases, err := suite.Find(update)
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range cases {
		problems, err := suite.Check(ctx, c, update)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(c.Name, "problems:", problems)
	}
	fmt.Println("rules without a test:", suite.Uncovered(ctx, rules))
	// Output:
	// EX101/1.20.0/beta problems: []
	// EX101/1.24.0/beta problems: []
	// rules without a test: <nil>
}
