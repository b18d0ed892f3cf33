package main

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/network/armnetwork/v9"
	"k8s.io/utils/ptr"

	"sigs.k8s.io/cloud-provider-azure/pkg/azclient"
	"sigs.k8s.io/cloud-provider-azure/pkg/azclient/loadbalancerclient"
	"sigs.k8s.io/cloud-provider-azure/pkg/azclient/publicipaddressclient"
	"sigs.k8s.io/cloud-provider-azure/pkg/azclient/servicegatewayclient"
)

// Stands for Azure: says yes to everything after the same delay as the stand-in on our side, and keeps nothing. It is
// called in place of the Azure SDK, so that the peer is not charged for writing requests down and reading answers.
type instantARM struct {
	azclient.ClientFactory
	latency time.Duration
	writes  atomic.Int64
	// Told of each location update, if anybody listens.
	located chan struct{}
}

func (a *instantARM) write() {
	a.writes.Add(1)
	if a.latency > 0 {
		time.Sleep(a.latency)
	}
}

func (a *instantARM) GetPublicIPAddressClient() publicipaddressclient.Interface {
	return publicIPs{azure: a}
}

func (a *instantARM) GetLoadBalancerClient() loadbalancerclient.Interface {
	return loadBalancers{azure: a}
}

func (a *instantARM) GetServiceGatewayClient() servicegatewayclient.Interface {
	return serviceGateways{azure: a}
}

type publicIPs struct {
	publicipaddressclient.Interface
	azure *instantARM
}

func (p publicIPs) CreateOrUpdate(
	_ context.Context, _, _ string, address armnetwork.PublicIPAddress,
) (*armnetwork.PublicIPAddress, error) {
	p.azure.write()
	address.Properties.IPAddress = ptr.To(publicAddress)
	return &address, nil
}

func (p publicIPs) Delete(context.Context, string, string) error {
	p.azure.write()
	return nil
}

type loadBalancers struct {
	loadbalancerclient.Interface
	azure *instantARM
}

func (l loadBalancers) CreateOrUpdate(
	_ context.Context, _, _ string, balancer armnetwork.LoadBalancer,
) (*armnetwork.LoadBalancer, error) {
	l.azure.write()
	return &balancer, nil
}

func (l loadBalancers) Delete(context.Context, string, string) error {
	l.azure.write()
	return nil
}

type serviceGateways struct {
	servicegatewayclient.Interface
	azure *instantARM
}

func (s serviceGateways) UpdateServices(
	context.Context, string, string, armnetwork.ServiceGatewayUpdateServicesRequest,
) error {
	s.azure.write()
	return nil
}

func (s serviceGateways) UpdateAddressLocations(
	context.Context, string, string, armnetwork.ServiceGatewayUpdateAddressLocationsRequest,
) error {
	s.azure.write()
	if s.azure.located != nil {
		s.azure.located <- struct{}{}
	}
	return nil
}
