package main

import (
	"fmt"

	"sigs.k8s.io/cloud-provider-azure/pkg/provider/servicegateway/difftracker"
	utilsets "sigs.k8s.io/cloud-provider-azure/pkg/util/sets"
)

const addressesPerNode = 100

// The same world as on our side; see bench/service-gateway/world.ts.
type world struct {
	services   int
	perService int
}

func (w world) uid(service int) string {
	return fmt.Sprintf("5e4f1ce0-0000-4000-8000-%012x", service)
}

func (w world) address(pod int) string {
	return fmt.Sprintf("10.%d.%d.%d", 64+pod>>16, pod>>8&255, pod&255)
}

func (w world) node(pod int) string {
	node := pod % (w.services * w.perService / addressesPerNode)
	return fmt.Sprintf("10.0.%d.%d", node>>8, node&255)
}

// The endpoints of a Service, its first pod being this one: address -> node IP.
func (w world) endpoints(service, firstPod int) map[string]string {
	endpoints := map[string]string{w.address(firstPod): w.node(firstPod)}
	for index := 1; index < w.perService; index++ {
		pod := service*w.perService + index
		endpoints[w.address(pod)] = w.node(pod)
	}
	return endpoints
}

func (w world) initialEndpoints(service int) map[string]string {
	return w.endpoints(service, service*w.perService)
}

// What the engine holds when all of it is there and in step, as after it has listed both sides.
func (w world) inStep() (difftracker.K8sState, difftracker.NRPState) {
	k8s, nrp := empty()
	for service := range w.services {
		uid := w.uid(service)
		k8s.Services.Insert(uid)
		nrp.LoadBalancers.Insert(uid)
		for address, node := range w.initialEndpoints(service) {
			if _, known := k8s.Nodes[node]; !known {
				k8s.Nodes[node] = difftracker.Node{Pods: map[string]difftracker.Pod{}}
				nrp.Locations[node] = difftracker.NRPLocation{Addresses: map[string]difftracker.NRPAddress{}}
			}
			k8s.Nodes[node].Pods[address] = difftracker.Pod{InboundIdentities: utilsets.NewString(uid)}
			nrp.Locations[node].Addresses[address] = difftracker.NRPAddress{Services: utilsets.NewString(uid)}
		}
	}
	return k8s, nrp
}

func empty() (difftracker.K8sState, difftracker.NRPState) {
	k8s := difftracker.K8sState{
		Services: utilsets.NewString(),
		Egresses: utilsets.NewString(),
		Nodes:    map[string]difftracker.Node{},
	}
	nrp := difftracker.NRPState{
		LoadBalancers: utilsets.NewString(),
		NATGateways:   utilsets.NewString(),
		Locations:     map[string]difftracker.NRPLocation{},
	}
	return k8s, nrp
}
