package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"time"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/client-go/util/keyutil"
)

// credentials are made anew at each start.
type credentials struct {
	authorityPEM                                        []byte
	authorityFile, serverCertificateFile, serverKeyFile string
	serviceAccountKeyFile                               string
	adminCertificatePEM, adminKeyPEM                    []byte
}

type keyPair struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

func newCredentials(directory string, serviceCIDRs []string) (*credentials, error) {
	made := &credentials{
		authorityFile:         filepath.Join(directory, "ca.crt"),
		serverCertificateFile: filepath.Join(directory, "server.crt"),
		serverKeyFile:         filepath.Join(directory, "server.key"),
		serviceAccountKeyFile: filepath.Join(directory, "service-account.key"),
	}
	addresses := []net.IP{net.IPv4(127, 0, 0, 1)}
	for _, cidr := range serviceCIDRs {
		address, err := kubernetesServiceAddress(cidr)
		if err != nil {
			return nil, err
		}
		addresses = append(addresses, address)
	}
	authority, err := newAuthority()
	if err != nil {
		return nil, err
	}
	server, err := issue(authority, &x509.Certificate{
		Subject:     pkix.Name{CommonName: "kube-apiserver"},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		DNSNames:    []string{"localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"},
		IPAddresses: addresses,
	})
	if err != nil {
		return nil, err
	}
	admin, err := issue(authority, &x509.Certificate{
		Subject:     pkix.Name{CommonName: "admin", Organization: []string{"system:masters"}},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	})
	if err != nil {
		return nil, err
	}
	serviceAccountKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	made.authorityPEM = certificatePEM(authority.certificate)
	made.adminCertificatePEM = certificatePEM(admin.certificate)
	if made.adminKeyPEM, err = keyutil.MarshalPrivateKeyToPEM(admin.key); err != nil {
		return nil, err
	}
	return made, writeFiles(
		map[string][]byte{
			made.authorityFile:         made.authorityPEM,
			made.serverCertificateFile: certificatePEM(server.certificate),
		},
		map[string]*ecdsa.PrivateKey{
			made.serverKeyFile:         server.key,
			made.serviceAccountKeyFile: serviceAccountKey,
		},
	)
}

func (made *credentials) writeAdminKubeconfig(path, url string) error {
	config := clientcmdapi.NewConfig()
	config.Clusters["cluster"] = &clientcmdapi.Cluster{Server: url, CertificateAuthorityData: made.authorityPEM}
	config.AuthInfos["admin"] = &clientcmdapi.AuthInfo{
		ClientCertificateData: made.adminCertificatePEM,
		ClientKeyData:         made.adminKeyPEM,
	}
	config.Contexts["admin"] = &clientcmdapi.Context{Cluster: "cluster", AuthInfo: "admin"}
	config.CurrentContext = "admin"
	return clientcmd.WriteToFile(*config, path)
}

// kubernetesServiceAddress is the first address of a Service range: the one of the Service "kubernetes".
func kubernetesServiceAddress(cidr string) (net.IP, error) {
	prefix, err := netip.ParsePrefix(cidr)
	if err != nil {
		return nil, fmt.Errorf("-service-cidrs: %w", err)
	}
	return prefix.Masked().Addr().Next().AsSlice(), nil
}

func newAuthority() (keyPair, error) {
	return sign(&x509.Certificate{
		Subject:               pkix.Name{CommonName: "cluster-ca"},
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}, nil)
}

func issue(authority keyPair, template *x509.Certificate) (keyPair, error) {
	template.KeyUsage = x509.KeyUsageDigitalSignature | x509.KeyUsageKeyEncipherment
	return sign(template, &authority)
}

// sign makes a key and its certificate, signed by the authority or, without one, by itself.
func sign(template *x509.Certificate, authority *keyPair) (keyPair, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return keyPair{}, err
	}
	serialNumber, err := rand.Int(rand.Reader, big.NewInt(1<<62))
	if err != nil {
		return keyPair{}, err
	}
	template.SerialNumber = serialNumber
	template.NotBefore = time.Now().Add(-time.Hour)
	template.NotAfter = time.Now().AddDate(1, 0, 0)
	if authority == nil {
		authority = &keyPair{template, key}
	}
	encoded, err := x509.CreateCertificate(rand.Reader, template, authority.certificate, key.Public(), authority.key)
	if err != nil {
		return keyPair{}, err
	}
	certificate, err := x509.ParseCertificate(encoded)
	return keyPair{certificate, key}, err
}

func certificatePEM(certificate *x509.Certificate) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.Raw})
}

func writeFiles(contents map[string][]byte, keys map[string]*ecdsa.PrivateKey) error {
	for path, key := range keys {
		encoded, err := keyutil.MarshalPrivateKeyToPEM(key)
		if err != nil {
			return err
		}
		contents[path] = encoded
	}
	for path, content := range contents {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			return err
		}
	}
	return nil
}
