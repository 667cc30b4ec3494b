package plan

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"math/big"
	"net"
	"net/netip"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/controlplane"
)

const certificateSuffix = "-kserve-self-signed-certs"

// certify gives a new LLMInferenceService the Secret with a certificate for all its addresses, as plan's control plane
// does. KServe keeps it; without it, it makes a key of 4096 bits for each new address, of services and pods, which for
// hundreds of services takes most of an hour. Names that KServe has to shorten are few, and left to it.
func (p *proof) certify(ctx context.Context, service *unstructured.Unstructured) error {
	if len(service.GetName()+certificateSuffix) > validation.DNS1123LabelMaxLength {
		return nil
	}
	certificate, key, err := newCertificate(service.GetName(), service.GetNamespace())
	if err != nil {
		return err
	}
	secret := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Secret", "type": "kubernetes.io/tls",
		"metadata": map[string]any{
			"name":   service.GetName() + certificateSuffix,
			"labels": map[string]any{"app.kubernetes.io/part-of": "llminferenceservice"}, // KServe sees no other
		},
		"data": map[string]any{
			"tls.crt": base64.StdEncoding.EncodeToString(certificate), "tls.key": base64.StdEncoding.EncodeToString(key),
		},
	}}
	// KServe 0.16.0 makes another at each look, unless one has expired: that it leaves as it is.
	if p.plugin.KServeVersion == "0.16.0" {
		secret.SetLabels(map[string]string{
			"app.kubernetes.io/component": "llminferenceservice-workload", "app.kubernetes.io/name": service.GetName(),
			"app.kubernetes.io/part-of": "llminferenceservice",
		})
		secret.SetAnnotations(map[string]string{
			"certificates.kserve.io/expiration": time.Unix(0, 0).UTC().Format(time.RFC3339),
		})
	}
	isController := true
	secret.SetOwnerReferences([]metav1.OwnerReference{{
		APIVersion: service.GetAPIVersion(), Kind: service.GetKind(), Name: service.GetName(), UID: service.GetUID(),
		Controller: &isController, BlockOwnerDeletion: &isController,
	}})
	if _, err := p.cluster.Create(ctx, secret, service.GetNamespace()); !apierrors.IsAlreadyExists(err) {
		return err
	}
	return nil // the case has one of its own, or KServe was faster
}

var signer = sync.OnceValues(func() (*ecdsa.PrivateKey, error) {
	return ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
})

// addresses are those of pods and of all Services that a cluster can have.
var addresses = sync.OnceValue(func() []net.IP {
	all := []net.IP{net.ParseIP("127.0.0.1"), net.ParseIP(podAddress)}
	services := netip.MustParsePrefix(controlplane.Services)
	for a := services.Addr(); services.Contains(a); a = a.Next() {
		all = append(all, a.AsSlice())
	}
	return all
})

// newCertificate returns a certificate for the names that collectDNSNames in pkg/controller/v1alpha2/llmisvc of KServe
// has, with its key.
func newCertificate(service, namespace string) (certificate, key []byte, err error) {
	private, err := signer()
	if err != nil {
		return nil, nil, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Minute), NotAfter: time.Now().AddDate(100, 0, 0),
		DNSNames: []string{"localhost"}, IPAddresses: addresses(),
	}
	for _, suffix := range []string{"-kserve-workload-svc", "-epp-service"} {
		host := service + suffix + "." + namespace + ".svc"
		template.DNSNames = append(template.DNSNames, host, host+".cluster.local")
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		return nil, nil, err
	}
	encoded, err := x509.MarshalPKCS8PrivateKey(private)
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: encoded}), err
}
