package judge

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

// Cluster is what webhooks find when they ask the API server: KServe's configuration and nothing else.
type Cluster struct {
	Scheme    *runtime.Scheme
	Decoder   admission.Decoder
	Client    client.Client
	Clientset kubernetes.Interface
}

// readConfig reads inferenceservice-config as KServe's sources ship it, config/configmap/inferenceservice.yaml, and
// sets the default mode, in the release's spelling.
func readConfig(dir, mode string) (*corev1.ConfigMap, error) {
	path := filepath.Join(dir, "config", "configmap", "inferenceservice.yaml")
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	config := &corev1.ConfigMap{}
	if err := yaml.Unmarshal(data, config); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var deploy map[string]any
	if err := json.Unmarshal([]byte(config.Data["deploy"]), &deploy); err != nil {
		return nil, fmt.Errorf("%s: deploy: %w", path, err)
	}
	deploy["defaultDeploymentMode"] = mode
	changed, err := json.Marshal(deploy)
	if err != nil {
		return nil, err
	}
	config.Data["deploy"] = string(changed)
	return config, nil
}

// newCluster makes a cluster that holds the ConfigMap. The defaulter of InferenceService makes its own client, from the
// file that KUBECONFIG names: a server on the loopback interface answers it. close ends the server.
func newCluster(config *corev1.ConfigMap, schemes []func(*runtime.Scheme) error) (c Cluster, close func(), err error) {
	c.Scheme = runtime.NewScheme()
	for _, add := range append(schemes, corev1.AddToScheme) {
		if err := add(c.Scheme); err != nil {
			return Cluster{}, nil, err
		}
	}
	c.Decoder = admission.NewDecoder(c.Scheme)
	c.Client = fake.NewClientBuilder().WithScheme(c.Scheme).WithObjects(config.DeepCopy()).Build()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return Cluster{}, nil, err
	}
	dir, err := os.MkdirTemp("", "judge-*")
	if err != nil {
		return Cluster{}, nil, errors.Join(err, listener.Close())
	}
	close = func() {
		listener.Close()
		os.RemoveAll(dir)
	}
	go http.Serve(listener, serve(config)) // ends with the listener
	address := "http://" + listener.Addr().String()
	kubeconfig := api.NewConfig()
	kubeconfig.Clusters["judge"] = &api.Cluster{Server: address}
	kubeconfig.Contexts["judge"] = &api.Context{Cluster: "judge"}
	kubeconfig.CurrentContext = "judge"
	path := filepath.Join(dir, "kubeconfig")
	if err := clientcmd.WriteToFile(*kubeconfig, path); err != nil {
		close()
		return Cluster{}, nil, err
	}
	if err := os.Setenv("KUBECONFIG", path); err != nil {
		close()
		return Cluster{}, nil, err
	}
	c.Clientset, err = kubernetes.NewForConfig(&rest.Config{Host: address, QPS: -1})
	if err != nil {
		close()
		return Cluster{}, nil, err
	}
	return c, close, nil
}

func serve(config *corev1.ConfigMap) http.Handler {
	config = config.DeepCopy()
	config.APIVersion, config.Kind = "v1", "ConfigMap"
	mux := http.NewServeMux()
	path := "/api/v1/namespaces/" + config.Namespace + "/configmaps/" + config.Name
	mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(config)
	})
	return mux
}
