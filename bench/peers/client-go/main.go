// The peer of the watch bench: client-go's shared informers on the same server, with JSON on the wire and managed
// fields dropped, measured in the same way. Prints what it took as one JSON line.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

type figures struct {
	Events        int64   `json:"events"`
	Objects       int     `json:"objects"`
	CPUSeconds    float64 `json:"cpuSeconds"`
	WallSeconds   float64 `json:"wallSeconds"`
	RetainedBytes uint64  `json:"retainedBytes"`
}

func main() {
	server := flag.String("server", "", "the URL of the API server")
	expected := flag.Int64("events", 0, "how many events to wait for")
	project := flag.Bool("project", false, "keep only what a load balancer reads of an object")
	flag.Parse()
	transform := dropManagedFields
	if *project {
		transform = keepWhatIsRead
	}
	if err := run(*server, *expected, transform); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(server string, expected int64, transform cache.TransformFunc) error {
	client, err := kubernetes.NewForConfig(&rest.Config{
		Host:          server,
		QPS:           -1,
		ContentConfig: rest.ContentConfig{ContentType: "application/json", AcceptContentTypes: "application/json"},
	})
	if err != nil {
		return err
	}
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithTransform(transform))
	shared := []cache.SharedIndexInformer{
		factory.Core().V1().Services().Informer(),
		factory.Discovery().V1().EndpointSlices().Informer(),
	}
	var events atomic.Int64
	arrived := make(chan struct{})
	for _, informer := range shared {
		_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(any) {
			if events.Add(1) == expected {
				close(arrived)
			}
		}})
		if err != nil {
			return err
		}
	}

	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	heapBefore := liveHeap()
	cpuBefore, started := cpuSeconds(), time.Now()
	factory.Start(ctx.Done())
	select {
	case <-arrived:
	case <-ctx.Done():
		return fmt.Errorf("only %d of %d events arrived", events.Load(), expected)
	}
	for _, informer := range shared {
		if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
			return fmt.Errorf("the informers did not sync")
		}
	}
	result := figures{
		Events:      events.Load(),
		CPUSeconds:  cpuSeconds() - cpuBefore,
		WallSeconds: time.Since(started).Seconds(),
	}
	result.RetainedBytes = liveHeap() - heapBefore
	for _, informer := range shared {
		result.Objects += len(informer.GetStore().ListKeys())
	}
	return json.NewEncoder(os.Stdout).Encode(result)
}

func dropManagedFields(object any) (any, error) {
	if accessor, err := meta.Accessor(object); err == nil {
		accessor.SetManagedFields(nil)
	}
	return object, nil
}

// The same fields as our own projections keep, in objects of their own: the others can be collected.
func keepWhatIsRead(object any) (any, error) {
	switch whole := object.(type) {
	case *corev1.Service:
		kept := &corev1.Service{ObjectMeta: identity(whole.ObjectMeta), Status: whole.Status}
		kept.Generation, kept.Finalizers = whole.Generation, whole.Finalizers
		kept.Spec = corev1.ServiceSpec{
			Type:                     whole.Spec.Type,
			LoadBalancerClass:        whole.Spec.LoadBalancerClass,
			Ports:                    whole.Spec.Ports,
			IPFamilies:               whole.Spec.IPFamilies,
			IPFamilyPolicy:           whole.Spec.IPFamilyPolicy,
			ExternalTrafficPolicy:    whole.Spec.ExternalTrafficPolicy,
			InternalTrafficPolicy:    whole.Spec.InternalTrafficPolicy,
			HealthCheckNodePort:      whole.Spec.HealthCheckNodePort,
			SessionAffinity:          whole.Spec.SessionAffinity,
			SessionAffinityConfig:    whole.Spec.SessionAffinityConfig,
			LoadBalancerIP:           whole.Spec.LoadBalancerIP,
			LoadBalancerSourceRanges: whole.Spec.LoadBalancerSourceRanges,
		}
		return kept, nil
	case *discoveryv1.EndpointSlice:
		kept := &discoveryv1.EndpointSlice{
			ObjectMeta: metav1.ObjectMeta{
				Name:            whole.Name,
				Namespace:       whole.Namespace,
				UID:             whole.UID,
				ResourceVersion: whole.ResourceVersion,
			},
			AddressType: whole.AddressType,
			Endpoints:   make([]discoveryv1.Endpoint, len(whole.Endpoints)),
			Ports:       whole.Ports,
		}
		kept.Labels = map[string]string{discoveryv1.LabelServiceName: whole.Labels[discoveryv1.LabelServiceName]}
		for i, endpoint := range whole.Endpoints {
			kept.Endpoints[i] = discoveryv1.Endpoint{Addresses: endpoint.Addresses, NodeName: endpoint.NodeName}
			if !isUsual(endpoint.Conditions) {
				kept.Endpoints[i].Conditions = endpoint.Conditions
			}
		}
		return kept, nil
	}
	return object, nil
}

func isUsual(conditions discoveryv1.EndpointConditions) bool {
	is := func(condition *bool, otherwise bool) bool {
		if condition == nil {
			return otherwise
		}
		return *condition
	}
	return is(conditions.Ready, true) && is(conditions.Serving, true) && !is(conditions.Terminating, false)
}

func identity(whole metav1.ObjectMeta) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Name:              whole.Name,
		Namespace:         whole.Namespace,
		UID:               whole.UID,
		ResourceVersion:   whole.ResourceVersion,
		CreationTimestamp: whole.CreationTimestamp,
		DeletionTimestamp: whole.DeletionTimestamp,
	}
}

// Two collections: the first may leave what finalizers and pools still hold.
func liveHeap() uint64 {
	runtime.GC()
	runtime.GC()
	var statistics runtime.MemStats
	runtime.ReadMemStats(&statistics)
	return statistics.HeapAlloc
}

func cpuSeconds() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()).Seconds()
}
