package main

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/client-go/rest"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
	"k8s.io/kubernetes/cmd/kube-apiserver/app/options"
)

// Every request that would change something is logged before it is handled, so that whoever has seen its answer
// finds it in the log.
const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [ResponseStarted, ResponseComplete, Panic]
rules:
- level: None
  verbs: [get, list, watch]
- level: None
  nonResourceURLs: ["*"]
- level: Metadata
`

type apiServer struct {
	// loopback is how the process itself talks to the server, with all rights.
	loopback *rest.Config
	run      func(context.Context) error
}

// listen comes before everything that must know the port, so that no other process can take it in between.
func listen(port int) (net.Listener, error) {
	return net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
}

func newAPIServer(
	ctx context.Context, settings settings, listener net.Listener, etcdAddress string, credentials *credentials,
) (*apiServer, error) {
	auditPolicyFile := filepath.Join(settings.directory, "audit-policy.yaml")
	if err := os.WriteFile(auditPolicyFile, []byte(auditPolicy), 0o600); err != nil {
		return nil, err
	}
	serverOptions, err := parseOptions(append([]string{
		"--etcd-servers=" + etcdAddress,
		"--bind-address=127.0.0.1",
		"--secure-port=" + strconv.Itoa(listener.Addr().(*net.TCPAddr).Port),
		// Not an address of this machine: the server refuses to advertise a loopback address.
		"--advertise-address=192.0.2.1",
		"--endpoint-reconciler-type=none",
		"--service-cluster-ip-range=" + strings.Join(settings.serviceCIDRs, ","),
		"--client-ca-file=" + credentials.authorityFile,
		"--tls-cert-file=" + credentials.serverCertificateFile,
		"--tls-private-key-file=" + credentials.serverKeyFile,
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-signing-key-file=" + credentials.serviceAccountKeyFile,
		"--service-account-key-file=" + credentials.serviceAccountKeyFile,
		"--authorization-mode=Node,RBAC",
		"--allow-privileged=true",
		"--enable-priority-and-fairness=false",
		"--profiling=false",
		"--audit-policy-file=" + auditPolicyFile,
		"--audit-log-path=" + settings.auditLog,
		// Never a new file: whoever counts reads on from where they were.
		"--audit-log-maxsize=1000000",
	}, settings.apiServerFlags...))
	if err != nil {
		return nil, err
	}
	serverOptions.SecureServing.Listener = listener
	// Its own clients would fill the log with warnings about what the controllers use.
	rest.SetDefaultWarningHandler(rest.NoWarnings{})
	return build(ctx, serverOptions)
}

// parseOptions does what the kube-apiserver command does, without that command: it would take over the signals.
func parseOptions(arguments []string) (*options.ServerRunOptions, error) {
	serverOptions := options.NewServerRunOptions()
	flags := pflag.NewFlagSet("kube-apiserver", pflag.ContinueOnError)
	for _, set := range serverOptions.Flags().FlagSets {
		flags.AddFlagSet(set)
	}
	if err := flags.Parse(arguments); err != nil {
		return nil, err
	}
	return serverOptions, serverOptions.GenericServerRunOptions.ComponentGlobalsRegistry.Set()
}

func build(ctx context.Context, serverOptions *options.ServerRunOptions) (*apiServer, error) {
	completed, err := serverOptions.Complete(ctx)
	if err != nil {
		return nil, err
	}
	if err := utilerrors.NewAggregate(completed.Validate()); err != nil {
		return nil, err
	}
	config, err := app.NewConfig(completed)
	if err != nil {
		return nil, err
	}
	loopback := config.KubeAPIs.ControlPlane.Generic.LoopbackClientConfig
	completedConfig, err := config.Complete()
	if err != nil {
		return nil, err
	}
	chain, err := app.CreateServerChain(completedConfig)
	if err != nil {
		return nil, err
	}
	prepared, err := chain.PrepareRun()
	if err != nil {
		return nil, err
	}
	return &apiServer{loopback: loopback, run: prepared.Run}, nil
}
