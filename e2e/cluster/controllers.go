package main

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/controller-manager/pkg/informerfactory"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller/certificates/rootcacertpublisher"
	"k8s.io/kubernetes/pkg/controller/clusterroleaggregation"
	"k8s.io/kubernetes/pkg/controller/endpoint"
	"k8s.io/kubernetes/pkg/controller/endpointslice"
	"k8s.io/kubernetes/pkg/controller/endpointslicemirroring"
	"k8s.io/kubernetes/pkg/controller/garbagecollector"
	"k8s.io/kubernetes/pkg/controller/namespace"
	"k8s.io/kubernetes/pkg/controller/serviceaccount"
)

const (
	workers = 5
	// kube-controller-manager's limits for one EndpointSlice and for one mirrored subset.
	endpointsPerSlice  = 100
	endpointsPerSubset = 1000
	// kube-controller-manager looks every 30 s for new kinds to collect: too long for a test with a new CRD.
	newKindsEvery = 2 * time.Second
)

// startControllers starts the part of kube-controller-manager that tests rely on. No scheduler, no kubelet: a test
// creates nodes, binds pods to them and writes their status itself.
func startControllers(ctx context.Context, loopback *rest.Config, authorityPEM []byte) error {
	config := rest.CopyConfig(loopback)
	config.QPS, config.Burst = -1, -1
	config.ContentType = "application/vnd.kubernetes.protobuf"
	config.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	metadataClient, err := metadata.NewForConfig(config)
	if err != nil {
		return err
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	metadataFactory := metadatainformer.NewSharedInformerFactory(metadataClient, 0)
	core := factory.Core().V1()
	slices := factory.Discovery().V1().EndpointSlices()

	endpointSlices := endpointslice.NewController(
		ctx, core.Pods(), core.Services(), core.Nodes(), slices, endpointsPerSlice, client, 0)
	mirroring := endpointslicemirroring.NewController(
		ctx, core.Endpoints(), slices, core.Services(), endpointsPerSubset, client, 0)
	endpoints := endpoint.NewEndpointController(ctx, core.Pods(), core.Services(), core.Endpoints(), client, 0)
	namespaces := namespace.NewNamespaceController(
		ctx, client, metadataClient, client.Discovery().ServerPreferredNamespacedResources, core.Namespaces(),
		5*time.Minute, corev1.FinalizerKubernetes)
	serviceAccounts, err := serviceaccount.NewServiceAccountsController(
		klog.FromContext(ctx), core.ServiceAccounts(), core.Namespaces(), client,
		serviceaccount.DefaultServiceAccountsControllerOptions())
	if err != nil {
		return err
	}
	rootCertificates, err := rootcacertpublisher.NewPublisher(core.ConfigMaps(), core.Namespaces(), client, authorityPEM)
	if err != nil {
		return err
	}
	roleAggregation := clusterroleaggregation.NewClusterRoleAggregation(factory.Rbac().V1().ClusterRoles(), client.RbacV1())
	informersStarted := make(chan struct{})
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(client.Discovery()))
	graph := garbagecollector.NewDependencyGraphBuilder(
		ctx, metadataClient, mapper, garbagecollector.DefaultIgnoredResources(),
		informerfactory.NewInformerFactory(factory, metadataFactory), informersStarted)
	collector, err := garbagecollector.NewComposedGarbageCollector(ctx, client, metadataClient, mapper, graph)
	if err != nil {
		return err
	}

	factory.Start(ctx.Done())
	metadataFactory.Start(ctx.Done())
	close(informersStarted)
	go endpointSlices.Run(ctx, workers)
	go mirroring.Run(ctx, workers)
	go endpoints.Run(ctx, workers)
	go namespaces.Run(ctx, workers)
	go serviceAccounts.Run(ctx, 1)
	go rootCertificates.Run(ctx, 1)
	go roleAggregation.Run(ctx, workers)
	go collector.Run(ctx, workers, 30*time.Second)
	go collector.Sync(ctx, client.Discovery(), newKindsEvery)
	return nil
}
