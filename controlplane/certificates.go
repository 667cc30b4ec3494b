package controlplane

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
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"knative.dev/pkg/kmeta"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

var llmServices = KServe("LLMInferenceService")

// certificates puts a Secret with a certificate beside each LLMInferenceService, once: a controller may delete it.
// KServe takes a second or two to make the key of one. It keeps a certificate that it finds, if that is for all names
// that it needs, and writes the rest of the Secret. expired is for releases that keep only one that has expired, as it
// is.
//
// The names are those of reconcileSelfSignedCertsSecret and collectDNSNames in KServe's package llmisvc, with the pool
// of its presets.
func (s *Server) certificates(expired bool) Controller {
	return Controller{For: llmServices, standIn: true, Reconciler: reconcile.Func(
		func(_ context.Context, r reconcile.Request) (reconcile.Result, error) {
			o, err := s.get(key{llmServices, r.Namespace, r.Name})
			if err != nil {
				return reconcile.Result{}, nil
			}
			k := key{secrets, r.Namespace, kmeta.ChildName(r.Name, "-kserve-self-signed-certs")}
			if _, err := s.get(k); err == nil || s.prepared[k].owner == metaOf(o).GetUID() {
				return reconcile.Result{}, nil
			}
			hosts := []string{"localhost"}
			for _, service := range []string{"-kserve-workload-svc", "-epp-service"} {
				host := kmeta.ChildName(r.Name, service) + "." + r.Namespace + ".svc"
				hosts = append(hosts, host, host+".cluster.local")
			}
			certificate, key, err := newCertificate(hosts)
			if err != nil {
				return reconcile.Result{}, err
			}
			secret := object{
				"apiVersion": "v1", "kind": "Secret", "metadata": object{"name": k.name, "namespace": r.Namespace},
				"type": "kubernetes.io/tls", "data": object{
					"tls.crt": base64.StdEncoding.EncodeToString(certificate),
					"tls.key": base64.StdEncoding.EncodeToString(key),
				},
			}
			meta, yes := metaOf(secret), true
			meta.SetOwnerReferences([]metav1.OwnerReference{{
				APIVersion: s.kinds[llmServices].storage, Kind: llmServices.Kind, Name: r.Name, UID: metaOf(o).GetUID(),
				Controller: &yes, BlockOwnerDeletion: &yes,
			}})
			// With this label it is in KServe's cache.
			labels := map[string]string{"app.kubernetes.io/part-of": "llminferenceservice"}
			if expired {
				labels["app.kubernetes.io/component"] = "llminferenceservice-workload"
				labels["app.kubernetes.io/name"] = r.Name
				meta.SetAnnotations(map[string]string{"certificates.kserve.io/expiration": start.Format(time.RFC3339)})
			}
			meta.SetLabels(labels)
			made, err := s.create(target{kind: s.kinds[secrets], version: "v1", namespace: r.Namespace}, secret, false)
			if err != nil {
				return reconcile.Result{}, err
			}
			s.prepared[k] = prepared{owner: metaOf(o).GetUID()}
			if !expired {
				s.prepared[k] = prepared{metaOf(o).GetUID(), metaOf(made).GetResourceVersion()}
			}
			return reconcile.Result{}, nil
		},
	)}
}

var signer = sync.OnceValues(func() (*ecdsa.PrivateKey, error) { return ecdsa.GenerateKey(elliptic.P256(), rand.Reader) })

// newCertificate returns a certificate for the hosts, and for the addresses that the cluster has, with its key.
func newCertificate(hosts []string) (certificate, key []byte, err error) {
	private, err := signer()
	if err != nil {
		return nil, nil, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: start, NotAfter: time.Now().AddDate(100, 0, 0), DNSNames: hosts,
		IPAddresses: []net.IP{net.ParseIP("127.0.0.1"), net.ParseIP(serviceAddress), net.ParseIP(podAddress)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		return nil, nil, err
	}
	encoded, err := x509.MarshalPKCS8PrivateKey(private)
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: encoded}), err
}
