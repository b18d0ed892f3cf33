// A whole Kubernetes control plane in one process, for tests: etcd, kube-apiserver and the controllers that tests rely
// on. It keeps nothing: it lives as long as its standard input is open, and removes its folder when it ends.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

const startLimit = 2 * time.Minute

type settings struct {
	directory       string
	port            int
	serviceCIDRs    []string
	apiServerFlags  []string
	adminKubeconfig string
	auditLog        string
}

// ready is the one line on standard output, printed when the API server answers.
type ready struct {
	URL                  string `json:"url"`
	Kubeconfig           string `json:"kubeconfig"`
	CertificateAuthority string `json:"certificateAuthority"`
	AuditLog             string `json:"auditLog"`
}

func main() {
	settings, err := parseSettings()
	if err == nil {
		go removeAndExit(settings.directory)
		err = run(context.Background(), settings)
	}
	fmt.Fprintln(os.Stderr, "fatal:", err)
	os.Exit(1)
}

func parseSettings() (settings, error) {
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: cluster -directory FOLDER [flags] [-- kube-apiserver flags]")
		flag.PrintDefaults()
	}
	directory := flag.String("directory", "", "folder for all state; removed at the end")
	port := flag.Int("port", 0, "port on 127.0.0.1; 0 takes a free one")
	serviceCIDRs := flag.String("service-cidrs", "10.96.0.0/16,fd00:10:96::/112",
		"ranges for Services, comma separated; one of each family makes the cluster dual-stack")
	flag.Parse()
	if *directory == "" {
		return settings{}, errors.New("-directory is missing")
	}
	absolute, err := filepath.Abs(*directory)
	if err != nil {
		return settings{}, err
	}
	return settings{
		directory:       absolute,
		port:            *port,
		serviceCIDRs:    strings.Split(*serviceCIDRs, ","),
		apiServerFlags:  flag.Args(),
		auditLog:        filepath.Join(absolute, "audit.log"),
		adminKubeconfig: filepath.Join(absolute, "kubeconfig"),
	}, os.MkdirAll(absolute, 0o700)
}

// removeAndExit waits for the end of standard input, which comes even when the parent is killed, or for a signal.
// There is nothing to save, so nothing is shut down in order: that alone would take five seconds.
func removeAndExit(directory string) {
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGINT, syscall.SIGTERM)
	go func() {
		io.Copy(io.Discard, os.Stdin)
		ended <- syscall.SIGTERM
	}()
	<-ended
	// The rest of the process still writes: a file made after its folder was listed makes the removal fail.
	for range 10 {
		if os.RemoveAll(directory) == nil {
			break
		}
	}
	os.Exit(0)
}

func run(ctx context.Context, settings settings) error {
	etcdAddress, err := startEtcd(settings.directory)
	if err != nil {
		return fmt.Errorf("etcd: %w", err)
	}
	listener, err := listen(settings.port)
	if err != nil {
		return err
	}
	url := "https://" + listener.Addr().String()
	credentials, err := newCredentials(settings.directory, settings.serviceCIDRs)
	if err != nil {
		return fmt.Errorf("certificates: %w", err)
	}
	if err := credentials.writeAdminKubeconfig(settings.adminKubeconfig, url); err != nil {
		return fmt.Errorf("kubeconfig: %w", err)
	}
	server, err := newAPIServer(ctx, settings, listener, etcdAddress, credentials)
	if err != nil {
		return fmt.Errorf("kube-apiserver: %w", err)
	}
	client, err := kubernetes.NewForConfig(server.loopback)
	if err != nil {
		return err
	}
	failed := make(chan error, 1)
	go func() { failed <- fmt.Errorf("kube-apiserver ended: %v", server.run(ctx)) }()
	if err := until(failed, "kube-apiserver", func() error {
		return client.Discovery().RESTClient().Get().AbsPath("/readyz").Do(ctx).Error()
	}); err != nil {
		return err
	}
	if err := startControllers(ctx, server.loopback, credentials.authorityPEM); err != nil {
		return fmt.Errorf("controllers: %w", err)
	}
	// Only now can a Service get an address and a Pod be created.
	if err := until(failed, "the namespace default", func() error {
		_, noService := client.CoreV1().Services("default").Get(ctx, "kubernetes", metav1.GetOptions{})
		_, noAccount := client.CoreV1().ServiceAccounts("default").Get(ctx, "default", metav1.GetOptions{})
		return errors.Join(noService, noAccount)
	}); err != nil {
		return err
	}
	line := ready{url, settings.adminKubeconfig, credentials.authorityFile, settings.auditLog}
	if err := json.NewEncoder(os.Stdout).Encode(line); err != nil {
		return err
	}
	return <-failed
}

// until asks again and again until the check passes, something failed, or the start takes too long.
func until(failed <-chan error, what string, check func() error) error {
	limit := time.After(startLimit)
	for {
		err := check()
		if err == nil {
			return nil
		}
		select {
		case err := <-failed:
			return err
		case <-limit:
			return fmt.Errorf("%s is not ready after %v: %w", what, startLimit, err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}
