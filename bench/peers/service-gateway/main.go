// The peer of the service-gateway bench: the engine of cloud-provider-azure with both of its updaters, driven through
// its public functions and measured in the same way as ours. Prints what it took as one JSON line.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"runtime"
	"syscall"
	"time"
)

type figures struct {
	CPUSeconds  float64 `json:"cpuSeconds"`
	WallSeconds float64 `json:"wallSeconds"`
	Writes      int64   `json:"writes"`
	Left        int     `json:"left"`
}

func main() {
	scenario := flag.String("scenario", "", "changes, deletion, burst or restart")
	services := flag.Int("services", 0, "how many Services there are, or come")
	perService := flag.Int("addresses", 0, "how many addresses each of them has")
	changes := flag.Int("changes", 0, "how many addresses are changed")
	latency := flag.Duration("latency", 0, "how long Azure is at a call")
	flag.Parse()
	result, err := run(*scenario, world{services: *services, perService: *perService}, *changes, *latency)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if err := json.NewEncoder(os.Stdout).Encode(result); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(scenario string, w world, changes int, latency time.Duration) (figures, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	switch scenario {
	case "changes":
		return changeAddresses(ctx, w, changes)
	case "deletion":
		return deleteEverything(ctx, w, latency)
	case "burst":
		return makeEverything(ctx, w, latency)
	case "restart":
		return restart(ctx, w)
	}
	return figures{}, fmt.Errorf("there is no scenario %q", scenario)
}

// Runs the work, and says what it took.
func measured(azure *instantARM, work func() error) (figures, error) {
	runtime.GC()
	azure.writes.Store(0)
	cpuBefore, started := cpuSeconds(), time.Now()
	if err := work(); err != nil {
		return figures{}, err
	}
	return figures{
		CPUSeconds:  cpuSeconds() - cpuBefore,
		WallSeconds: time.Since(started).Seconds(),
		Writes:      azure.writes.Load(),
	}, nil
}

func cpuSeconds() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()).Seconds()
}
