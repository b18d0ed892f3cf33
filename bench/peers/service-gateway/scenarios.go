package main

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"

	"sigs.k8s.io/cloud-provider-azure/pkg/provider/servicegateway/difftracker"
)

const warmUpChanges = 3

// The engine with its two updaters at work.
type engine struct {
	*difftracker.DiffTracker
	azure     *instantARM
	services  *difftracker.ServiceUpdater
	locations *difftracker.LocationsUpdater
	completed chan error
}

func start(
	ctx context.Context, azure *instantARM, cluster quietCluster, k8s difftracker.K8sState, nrp difftracker.NRPState,
) (*engine, error) {
	config := difftracker.Config{
		SubscriptionID:             "sub",
		ResourceGroup:              "cluster",
		Location:                   "westeurope",
		ServiceGatewayResourceName: "sgw",
		VNetName:                   "net",
	}
	tracker, err := difftracker.New(logr.Discard(), k8s, nrp, config, azure, cluster)
	if err != nil {
		return nil, err
	}
	e := &engine{DiffTracker: tracker, azure: azure, completed: make(chan error, 1)}
	onComplete := func(uid string, success bool, err error) {
		tracker.OnServiceCreationComplete(uid, success, err)
		if !success {
			err = fmt.Errorf("service %s failed: %w", uid, err)
		}
		select {
		case e.completed <- err:
		case <-ctx.Done():
		}
	}
	e.services = difftracker.NewServiceUpdater(ctx, tracker, onComplete, tracker.GetServiceUpdaterTrigger())
	e.locations = difftracker.NewLocationsUpdater(ctx, tracker)
	go e.services.Run()
	go e.locations.Run()
	return e, nil
}

// Waits until so many operations have ended well.
func (e *engine) wait(ctx context.Context, operations int) error {
	for range operations {
		select {
		case err := <-e.completed:
			if err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// Lets both updaters finish what they are at.
func (e *engine) stop() {
	e.services.Stop()
	e.locations.Stop()
}

// The endpoints of a Service before and after one of its pods is replaced by another.
type wish struct {
	uid           string
	before, after map[string]string
}

func (w world) wishes(changes int) []wish {
	firstPods := map[int]int{}
	wishes := make([]wish, changes)
	for change := range changes {
		service := change * 7919 % w.services
		before, replaced := firstPods[service]
		if !replaced {
			before = service * w.perService
		}
		after := w.services*w.perService + change
		firstPods[service] = after
		wishes[change] = wish{w.uid(service), w.endpoints(service, before), w.endpoints(service, after)}
	}
	return wishes
}

// One pod is replaced by another, many times over, each as soon as Azure has heard of the one before.
func changeAddresses(ctx context.Context, w world, changes int) (figures, error) {
	azure := &instantARM{located: make(chan struct{})}
	k8s, nrp := w.inStep()
	e, err := start(ctx, azure, quietCluster{}, k8s, nrp)
	if err != nil {
		return figures{}, err
	}
	grant := func(wishes []wish) error {
		for _, one := range wishes {
			e.UpdateEndpoints(one.uid, one.before, one.after)
			select {
			case <-azure.located:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	}
	wishes := w.wishes(warmUpChanges + changes)
	if err := grant(wishes[:warmUpChanges]); err != nil {
		return figures{}, err
	}
	result, err := measured(azure, func() error {
		err := grant(wishes[warmUpChanges:])
		// Returns when what follows the last update is done, too.
		e.stop()
		return err
	})
	result.Left = len(e.GetSyncLocationsAddresses().Locations)
	return result, err
}

// All Services are deleted at once.
func deleteEverything(ctx context.Context, w world, latency time.Duration) (figures, error) {
	azure := &instantARM{latency: latency}
	k8s, nrp := w.inStep()
	e, err := start(ctx, azure, quietCluster{}, k8s, nrp)
	if err != nil {
		return figures{}, err
	}
	result, err := measured(azure, func() error {
		deleted := make(chan struct{})
		go func() {
			defer close(deleted)
			for service := range w.services {
				e.DeleteService(w.uid(service), true, false)
			}
		}()
		err := e.wait(ctx, w.services)
		<-deleted
		e.stop()
		return err
	})
	result.Left = len(e.NRPResources.Locations) + e.NRPResources.LoadBalancers.Len()
	return result, err
}

// Many Services come at once, with their endpoints.
func makeEverything(ctx context.Context, w world, latency time.Duration) (figures, error) {
	azure := &instantARM{latency: latency}
	k8s, nrp := empty()
	e, err := start(ctx, azure, w.quietCluster(), k8s, nrp)
	if err != nil {
		return figures{}, err
	}
	result, err := measured(azure, func() error {
		var reconcileError atomic.Value
		go func() {
			for service := range w.services {
				if err := e.ReconcileInboundService(w.service(service)); err != nil {
					reconcileError.Store(err)
				}
				e.UpdateEndpoints(w.uid(service), nil, w.initialEndpoints(service))
			}
		}()
		if err := e.wait(ctx, w.services); err != nil {
			return err
		}
		for len(e.GetSyncLocationsAddresses().Locations) > 0 {
			time.Sleep(time.Millisecond)
		}
		if err, failed := reconcileError.Load().(error); failed {
			return err
		}
		e.stop()
		return nil
	})
	return result, err
}

// The engine starts over a healthy world, and the service controller tells it of each Service.
func restart(ctx context.Context, w world) (figures, error) {
	azure := &instantARM{}
	k8s, nrp := w.inStep()
	e, err := start(ctx, azure, w.quietCluster(), k8s, nrp)
	if err != nil {
		return figures{}, err
	}
	return measured(azure, func() error {
		for service := range w.services {
			if err := e.ReconcileInboundService(w.service(service)); err != nil {
				return err
			}
		}
		err := e.wait(ctx, w.services)
		e.stop()
		return err
	})
}
