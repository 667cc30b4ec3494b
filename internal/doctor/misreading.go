package doctor

import (
	"cmp"
	"time"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/health"
)

// misreading is what Argo CD says of a service that is well, because its own check misreads the status.
type misreading struct {
	status health.Status // "" if it misreads nothing
	// ofWhole is the Application that has the status, if Argo CD keeps none of the service. It may have another reason.
	ofWhole string
}

// isCertain reports whether Argo CD says so of the service itself.
func (m misreading) isCertain() bool { return m.status != "" && m.ofWhole == "" }

// String returns what Argo CD says and why, "" if it misreads nothing.
func (m misreading) String() string {
	switch {
	case m.status == "":
		return ""
	case m.ofWhole != "":
		return "application " + m.ofWhole + " is " + string(m.status) + ", as is this service for Argo CD's own check, " +
			"which misreads the status"
	}
	return string(m.status) + ", because its own check misreads the status"
}

// remedy returns what ends the misreading.
func (m misreading) remedy() string {
	if m.ofWhole != "" {
		return "if the health checks are not installed in Argo CD, " + installChecks
	}
	return installChecks
}

const installChecks = "whoever runs it has to install what argocd-kserve-plugin health config prints"

// misread returns what Argo CD says of a service that is well, if one of its own checks says so too of the service as
// it is now. From 3.0 on it keeps only the health of the whole Application (--persist-resource-health is off).
func (c *Cluster) misread(r ref, now time.Time) misreading {
	for _, a := range c.applying(r) {
		said := cmp.Or(a.health, a.whole)
		if said == "" || isWell(said) {
			continue
		}
		for _, checks := range c.bundled {
			if check, ok := checks[r.kind]; ok && check.Assess(c.objects[r], now).Status == said {
				m := misreading{status: said}
				if a.health == "" {
					m.ofWhole = a.name
				}
				return m
			}
		}
	}
	return misreading{}
}
