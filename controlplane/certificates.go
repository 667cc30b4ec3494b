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
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// Certificate is the Secret with a certificate that a controller makes for each object of a kind. Its key takes the
// controller a second or two. The control plane has the Secret ready, with a key that is made at once; the controller
// keeps the certificate, if it is for all names that it needs, and writes the rest of the Secret.
type Certificate struct {
	For schema.GroupKind
	// Names returns the name of the Secret, and of the Services that the certificate is for.
	Names func(object string) (secret string, services []string)
}

// preparing puts the Secret of each object into the cluster, once: a controller may delete it.
func (s *Server) preparing(c Certificate) Controller {
	return Controller{For: c.For, standIn: true, Reconciler: reconcile.Func(
		func(_ context.Context, r reconcile.Request) (reconcile.Result, error) {
			o, err := s.get(key{c.For, r.Namespace, r.Name})
			if err != nil {
				return reconcile.Result{}, nil
			}
			name, services := c.Names(r.Name)
			k := key{secrets, r.Namespace, name}
			if _, err := s.get(k); err == nil || s.prepared[k].owner == metaOf(o).GetUID() {
				return reconcile.Result{}, nil
			}
			hosts := []string{"localhost"}
			for _, service := range services {
				host := service + "." + r.Namespace + ".svc"
				hosts = append(hosts, host, host+".cluster.local")
			}
			certificate, key, err := newCertificate(hosts)
			if err != nil {
				return reconcile.Result{}, err
			}
			secret := object{
				"apiVersion": "v1", "kind": "Secret", "metadata": object{"name": name, "namespace": r.Namespace},
				"type": "kubernetes.io/tls", "data": object{
					"tls.crt": base64.StdEncoding.EncodeToString(certificate),
					"tls.key": base64.StdEncoding.EncodeToString(key),
				},
			}
			controller := true
			metaOf(secret).SetOwnerReferences([]metav1.OwnerReference{{
				APIVersion: s.kinds[c.For].storage, Kind: c.For.Kind, Name: r.Name, UID: metaOf(o).GetUID(), Controller: &controller,
			}})
			made, err := s.create(target{kind: s.kinds[secrets], version: "v1", namespace: r.Namespace}, secret, false)
			if err != nil {
				return reconcile.Result{}, err
			}
			s.prepared[k] = prepared{metaOf(o).GetUID(), metaOf(made).GetResourceVersion()}
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
