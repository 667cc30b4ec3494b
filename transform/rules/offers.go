package rules

import (
	"cmp"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// anyProtocol is what a runtime without protocolVersions supports.
const anyProtocol = "*"

// offered is a place where KServe looks for a runtime, and what it wants there.
type offered struct {
	cluster   bool   // a ClusterServingRuntime
	anywhere  bool   // a ServingRuntime that KServe selects, whatever its namespace, by the format alone
	namespace string // of a ServingRuntime
	wanted
}

// offer is what the runtimes of the render offer somebody.
type offer struct {
	runtime   *transform.Object // the first
	automatic bool              // one of them has autoSelect
	idle      *transform.Object // the first that KServe never selects
	spelt     string            // the first format that differs in case from the one wanted
}

// add adds another offer.
func (o offer) add(other offer) offer {
	if o.runtime == nil {
		o.runtime = other.runtime
	}
	if o.idle == nil {
		o.idle = other.idle
	}
	o.automatic = o.automatic || other.automatic
	o.spelt = cmp.Or(o.spelt, other.spelt)
	return o
}

// offer returns what a service finds, in its own namespace first.
func (p *pass) offer(s *model.Service, want wanted) (found offer) {
	protocols := []string{want.protocol, anyProtocol}
	if want.protocol == "" {
		protocols = []string{""}
	}
	for _, at := range []offered{{namespace: s.Namespace, wanted: want}, {cluster: true, wanted: want}} {
		for _, at.protocol = range protocols {
			found = found.add(p.index.offers()[at])
		}
	}
	return found
}

// formatElsewhere returns a ServingRuntime that KServe would select for a format, if it looked in the namespace, for a
// service that finds none of that format, nil if there is none.
func (p *pass) formatElsewhere(s *model.Service, format string) *transform.Object {
	if s.Namespace == "" {
		return nil
	}
	return p.index.offers()[offered{anywhere: true, wanted: wanted{format: format}}].runtime
}

// findOffers returns what all runtimes offer.
func findOffers(render *transform.Snapshot) map[offered]offer {
	found := map[offered]offer{}
	for _, kind := range []transform.GroupKind{kserve.ServingRuntime, kserve.ClusterServingRuntime} {
		for _, o := range render.Objects(kind) {
			at := offered{cluster: kind == kserve.ClusterServingRuntime}
			if !at.cluster {
				at.namespace = o.Namespace
			}
			own := supported(o)
			protocols := append(own.Protocols, "")
			if len(protocols) == 1 {
				protocols = []string{anyProtocol, ""}
			}
			for _, f := range own.Formats {
				at.wanted = wanted{format: strings.ToLower(f.Name)}
				found[at] = found[at].add(offer{spelt: f.Name})
				at.format = f.Name
				one := offer{runtime: o, automatic: !f.Named && o.Get("spec", "workerSpec").IsNull()}
				if model.Disabled(o) || o.Get("spec", "multiModel").Str() == "true" {
					one = offer{idle: o}
				}
				if somewhere := (offered{anywhere: true, wanted: wanted{format: f.Name}}); at.namespace != "" && one.automatic {
					found[somewhere] = found[somewhere].add(one)
				}
				for _, at.version = range slices.Compact([]string{"", f.Version}) {
					for _, at.protocol = range protocols {
						found[at] = found[at].add(one)
					}
				}
			}
		}
	}
	return found
}
