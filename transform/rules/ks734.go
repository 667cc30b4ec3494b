package rules

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

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

// connectionValues are the keys of its Secret that the webhook reads, one of which a connection has to have. For
// InferenceServices KServe reads the bucket.
var connectionValues = map[string][]string{"s3": {"AWS_S3_BUCKET"}, "uri": {"URI", "https-host"}}

// checkConnected looks at connections whose Secret is in the render (ValidateConnectionAnnotation, GetURIValue and
// BuildS3URI in internal/webhook/connectionapi/utils.go of opendatahub-io/odh-model-controller@57b43aad).
func checkConnected(p *pass) {
	name := p.Object.Annotation(kserve.ConnectionsAnnotation)
	if name == "" {
		return
	}
	annotations := yamldoc.Path{"metadata", "annotations"}
	at, path := annotations.With(kserve.ConnectionsAnnotation), annotations.With(kserve.ConnectionPathAnnotation)
	refused := func(at yamldoc.Path, words, because string) {
		p.Report(transform.Report{At: at, Message: "the webhook of OpenShift AI refuses the service" + words + ", because " +
			because})
	}
	if strings.ContainsAny(name, ",/") && !isPlaceholder(name) {
		refused(at, "", fmt.Sprintf("no Secret has the name %q: name one, which is in the service's namespace", name))
	}
	connection, kind := p.connection(p.Object)
	if connection == nil {
		return
	}
	if kind == "" {
		refused(at, "", fmt.Sprintf("the annotation %s of the Secret %s is not s3, uri or oci: set it there",
			connectionProtocol, name))
		return
	}
	llm := p.Object.GroupKind() == kserve.LLMInferenceService
	if keys := connectionValues[kind]; keys != nil && (llm || kind == "uri") && lacks(connection, keys) {
		refused(at, "", fmt.Sprintf("its connection %s has no %s: set it in the Secret", name, joined(keys, "or")))
	}
	if llm && kind == "s3" && p.Object.Get(path...).Str() == "" {
		refused(path, " (failed to build S3 URI: connection info does not have a path)", fmt.Sprintf("its connection %s is "+
			"one to S3: set this annotation to the folder of the model in the bucket", name))
	}
}

// connection returns the Secret of a service's connection, nil if the render does not have it, and what it is a
// connection to: s3, uri or oci, or nothing if the webhook knows it by no other name.
func (p *pass) connection(service *transform.Object) (connection *transform.Object, kind string) {
	name := service.Annotation(kserve.ConnectionsAnnotation)
	if name == "" {
		return nil, ""
	}
	connection = p.index.referable()[newReferable(secret, service.Namespace, name)]
	if connection == nil {
		return nil, ""
	}
	protocol, ref := connection.Annotation(connectionProtocol), connection.Annotation(connectionRef)
	if slices.Contains(connectionProtocols, protocol) {
		return connection, protocol
	}
	if protocol == "" && slices.Contains(connectionRefs, ref) {
		return connection, strings.TrimSuffix(ref, "-v1")
	}
	return connection, ""
}

// lacks reports whether a Secret has none of the keys. One without any may get its values from elsewhere.
func lacks(o *transform.Object, keys []string) (lacks bool) {
	for _, field := range []string{"data", "stringData"} {
		for key := range o.Get(field).Children() {
			if name, _ := key.(string); slices.Contains(keys, name) {
				return false
			}
			lacks = true
		}
	}
	return lacks
}
