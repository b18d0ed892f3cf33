package main

import (
	"context"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes"
	corev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	servicehelper "k8s.io/cloud-provider/service/helpers"

	"sigs.k8s.io/cloud-provider-azure/pkg/provider/servicegateway/difftracker"
)

const publicAddress = "198.18.0.1"

// Stands for Kubernetes: the Services are there, hold their finalizers and tell their address, so that the engine finds
// nothing to write; or none is there any more. What either engine writes to Kubernetes is not compared.
type quietCluster struct {
	kubernetes.Interface
	services map[string]*v1.Service
}

func (w world) quietCluster() quietCluster {
	services := map[string]*v1.Service{}
	for number := range w.services {
		service := w.service(number)
		services[service.Name] = service
	}
	return quietCluster{services: services}
}

func (w world) service(number int) *v1.Service {
	uid := w.uid(number)
	service := &v1.Service{}
	service.Namespace, service.Name, service.UID = "bench", "service-"+uid, types.UID(uid)
	service.Finalizers = []string{
		difftracker.ServiceGatewayServiceCleanupFinalizer,
		servicehelper.LoadBalancerCleanupFinalizer,
	}
	service.Spec.Type = v1.ServiceTypeLoadBalancer
	service.Spec.IPFamilies = []v1.IPFamily{v1.IPv4Protocol}
	service.Spec.Ports = []v1.ServicePort{{Protocol: v1.ProtocolTCP, Port: 80, TargetPort: intstr.FromInt32(8080)}}
	service.Status.LoadBalancer.Ingress = []v1.LoadBalancerIngress{{IP: publicAddress}}
	return service
}

func (q quietCluster) CoreV1() corev1.CoreV1Interface {
	return quietCore{services: q.services}
}

type quietCore struct {
	corev1.CoreV1Interface
	services map[string]*v1.Service
}

func (q quietCore) Services(string) corev1.ServiceInterface {
	return quietServices{services: q.services}
}

type quietServices struct {
	corev1.ServiceInterface
	services map[string]*v1.Service
}

func (q quietServices) Get(_ context.Context, name string, _ metav1.GetOptions) (*v1.Service, error) {
	if service, found := q.services[name]; found {
		return service, nil
	}
	return nil, apierrors.NewNotFound(v1.Resource("services"), name)
}

func (q quietServices) List(context.Context, metav1.ListOptions) (*v1.ServiceList, error) {
	return &v1.ServiceList{}, nil
}
