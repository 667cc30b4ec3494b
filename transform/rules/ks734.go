package rules

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks734.md
var ks734Doc string

var refusedConnection = &transform.Rule{
	ID:       "KS734",
	Name:     "refused-connection",
	Title:    "OpenShift AI refuses a service because of its connection",
	Doc:      ks734Doc,
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{kserve.InferenceService, kserve.LLMInferenceService},
	Example:  "unknown/path",
	Severity: transform.Error,
	Run:      run(checkConnected),
}

// The annotations of a connection's Secret that say what it is a connection to, and those values of them that the webhook
// takes. The first one that is not empty counts (ValidateConnectionType in internal/webhook/connectionapi/utils.go of
// opendatahub-io/odh-model-controller@57b43aad).
const (
	connectionProtocol = "opendatahub.io/connection-type-protocol"
	connectionRef      = "opendatahub.io/connection-type-ref"
)

var (
	connectionProtocols = []string{"s3", "uri", "oci"}
	connectionRefs      = []string{"s3", "uri-v1", "oci-v1"}
)

// checkConnected looks at connections whose Secret is in the render (ValidateConnectionAnnotation and BuildS3URI in
// internal/webhook/connectionapi/utils.go of opendatahub-io/odh-model-controller@57b43aad).
func checkConnected(p *pass) {
	name := p.Object.Annotation(kserve.ConnectionsAnnotation)
	connection := p.index.referable()[newReferable(secret, p.Object.Namespace, name)]
	if name == "" || connection == nil {
		return
	}
	annotations := yamldoc.Path{"metadata", "annotations"}
	protocol, ref := connection.Annotation(connectionProtocol), connection.Annotation(connectionRef)
	known := slices.Contains(connectionProtocols, protocol) || protocol == "" && slices.Contains(connectionRefs, ref)
	path := annotations.With(kserve.ConnectionPathAnnotation)
	switch {
	case !known:
		p.Report(transform.Report{At: annotations.With(kserve.ConnectionsAnnotation), Message: fmt.Sprintf("the webhook of "+
			"OpenShift AI refuses the service, because the annotation %s of the Secret %s is not s3, uri or oci: set it there",
			connectionProtocol, name)})
	case p.Object.GroupKind() == kserve.LLMInferenceService && cmp.Or(protocol, ref) == "s3" && p.Object.Get(path...).Str() == "":
		p.Report(transform.Report{At: path, Message: fmt.Sprintf("the webhook of OpenShift AI refuses the service (failed to "+
			"build S3 URI: connection info does not have a path), because its connection %s is one to S3: set this annotation to the "+
			"folder of the model in the bucket", name)})
	}
}
