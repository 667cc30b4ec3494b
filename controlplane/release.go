package controlplane

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/record"
	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"
)

// Release is a release of KServe.
type Release struct {
	Version           string                        // without a leading v
	Standard, Knative string                        // how it spells the modes
	Manifests         fs.FS                         // with the directory manifests, where hack/pack has packed its sources
	Scheme            []func(*runtime.Scheme) error // beside client-go's
	Kinds             func(*Cluster) []Kind         // of Kubernetes, beside those that every release has; may be nil
	Webhooks          func(*Cluster) []Webhook      // that KServe's programs register
	Controllers       func(*Cluster) []Controller   // that they start
	// Configuration reads what the methods SetupWithManager of the controllers take beside the manager.
	Configuration func(*Cluster) ([]any, error)
	// Informer is for a release whose controller-runtime asks for more methods than [Informer] has; nil for none.
	Informer func(*Informer) cache.Informer
	// Expired is for a release that makes a new certificate each time that it looks at an LLMInferenceService, unless
	// it finds one that has expired.
	Expired bool
}

// Cluster is what KServe's webhooks and controllers get.
type Cluster struct {
	Client    client.Client
	Clientset kubernetes.Interface
	Uncached  *kubernetes.Clientset // for what takes no interface
	Config    *rest.Config
	Scheme    *runtime.Scheme
	Recorder  record.EventRecorder

	server  *Server
	reader  *reader
	manager *manager
}

// newCluster makes a cluster with the kinds of the release, and with nothing in it. close ends it.
//
// The defaulter of InferenceServices makes its own client, from the file that KUBECONFIG names and with client-go's scheme,
// which has KServe's kinds in KServe's own programs too. Such a client has the transport of the whole process, which is
// therefore the server: nothing in the process can reach the network.
func newCluster(release Release, unready []string) (c *Cluster, close func(), err error) {
	ctrllog.SetLogger(logr.Discard())
	klog.SetLogger(logr.Discard())
	server := newServer()
	http.DefaultTransport = server
	c = &Cluster{
		Scheme: scheme.Scheme, server: server,
		Config: &rest.Config{Host: host, QPS: -1, Transport: server, ContentConfig: rest.ContentConfig{
			ContentType: runtime.ContentTypeJSON,
		}},
	}
	for _, add := range release.Scheme {
		if err := add(c.Scheme); err != nil {
			return nil, nil, err
		}
	}
	if c.Uncached, err = kubernetes.NewForConfig(c.Config); err != nil {
		return nil, nil, err
	}
	server.addBuiltins(builtins)
	if release.Kinds != nil {
		server.addBuiltins(release.Kinds(c))
	}
	if err := server.addDefinitions(release.Manifests, c.Scheme); err != nil {
		return nil, nil, err
	}
	direct, err := client.New(c.Config, client.Options{Scheme: c.Scheme, Mapper: server.mapper()})
	if err != nil {
		return nil, nil, err
	}
	c.reader = &reader{direct, server, map[key]read{}, map[index]client.IndexerFunc{}, nil}
	c.Client = c.reader
	c.Clientset = clientset{c.Uncached, c.Client}
	c.manager = newManager(server)
	c.Recorder = recorder{c.manager}
	others, err := server.others(unready)
	if err != nil {
		return nil, nil, err
	}
	c.manager.controllers = append(release.Controllers(c), others...)
	if server.kinds[llmServices] != nil {
		c.manager.controllers = append(c.manager.controllers, server.certificates(release.Expired))
	}
	handlers, err := serve(c.Scheme, release.Webhooks(c))
	if err != nil {
		return nil, nil, err
	}
	var configurations []json.RawMessage
	if err := readJSON(release.Manifests, webhooksFile, &configurations); err != nil {
		return nil, nil, err
	}
	if err := server.addWebhooks(configurations, handlers); err != nil {
		return nil, nil, err
	}
	server.addKnativeWebhooks()
	close, err = kubeconfig()
	return c, close, err
}

// kubeconfig writes the file for clients that KServe makes itself. end removes it.
func kubeconfig() (end func(), err error) {
	dir, err := os.MkdirTemp("", "controlplane-")
	if err != nil {
		return nil, err
	}
	end = func() { os.RemoveAll(dir) }
	path := filepath.Join(dir, "kubeconfig")
	const content = `{"apiVersion":"v1","kind":"Config","current-context":"c",` +
		`"contexts":[{"name":"c","context":{"cluster":"c"}}],"clusters":[{"name":"c","cluster":{"server":%q}}]}`
	if err := os.WriteFile(path, fmt.Appendf(nil, content, host), 0o600); err != nil {
		end()
		return nil, err
	}
	return end, os.Setenv("KUBECONFIG", path)
}

// mapper knows the resources of the kinds, so that no client has to ask for them.
func (s *Server) mapper() meta.RESTMapper {
	var versions []schema.GroupVersion
	for _, k := range s.kinds {
		for _, v := range k.versions {
			version, _ := schema.ParseGroupVersion(v)
			versions = append(versions, version)
		}
	}
	mapper := meta.NewDefaultRESTMapper(versions)
	for _, k := range s.kinds {
		scope := meta.RESTScopeRoot
		if k.namespaced {
			scope = meta.RESTScopeNamespace
		}
		for _, v := range k.versions {
			version, _ := schema.ParseGroupVersion(v)
			resource := version.WithResource(k.plural)
			mapper.AddSpecific(version.WithKind(k.Kind), resource, resource, scope)
		}
	}
	return mapper
}
