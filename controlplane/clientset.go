package controlplane

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// clientset is one whose ConfigMaps come from a client that keeps them: KServe reads its configuration a dozen times
// each time that it looks at a service.
type clientset struct {
	kubernetes.Interface
	client client.Client
}

func (c clientset) CoreV1() typedcorev1.CoreV1Interface {
	return coreV1{c.Interface.CoreV1(), c.client}
}

type coreV1 struct {
	typedcorev1.CoreV1Interface
	client client.Client
}

func (c coreV1) ConfigMaps(namespace string) typedcorev1.ConfigMapInterface {
	return configMaps{c.CoreV1Interface.ConfigMaps(namespace), c.client, namespace}
}

type configMaps struct {
	typedcorev1.ConfigMapInterface
	client    client.Client
	namespace string
}

func (c configMaps) Get(ctx context.Context, name string, _ metav1.GetOptions) (*corev1.ConfigMap, error) {
	found := &corev1.ConfigMap{}
	err := c.client.Get(ctx, client.ObjectKey{Namespace: c.namespace, Name: name}, found)
	if apierrors.IsNotFound(err) {
		err = apierrors.NewNotFound(corev1.Resource("configmaps"), name) // and not in the words of a cache
	}
	found.TypeMeta = metav1.TypeMeta{} // as a clientset has it
	return found, err
}
