package main

import (
	"errors"
	"net/url"
	"path/filepath"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"
)

// startEtcd starts a store that listens on a Unix socket only, and returns its address. It never waits for the disk:
// a test cluster that loses its machine is not missed.
func startEtcd(directory string) (string, error) {
	client := url.URL{Scheme: "unix", Path: filepath.Join(directory, "etcd-client.sock")}
	peer := url.URL{Scheme: "unix", Path: filepath.Join(directory, "etcd-peer.sock")}
	// etcd insists on advertising a host; nobody listens there and nobody asks.
	advertised := url.URL{Scheme: "http", Host: "localhost:2380"}

	config := embed.NewConfig()
	config.Dir = filepath.Join(directory, "etcd")
	config.UnsafeNoFsync = true
	config.TickMs, config.ElectionMs = 10, 100
	config.ZapLoggerBuilder = embed.NewZapLoggerBuilder(zap.NewNop())
	config.ListenClientUrls, config.AdvertiseClientUrls = []url.URL{client}, []url.URL{advertised}
	config.ListenPeerUrls, config.AdvertisePeerUrls = []url.URL{peer}, []url.URL{advertised}
	config.InitialCluster = config.InitialClusterFromName(config.Name)
	config.AutoCompactionMode, config.AutoCompactionRetention = "revision", "10000"

	store, err := embed.StartEtcd(config)
	if err != nil {
		return "", err
	}
	select {
	case <-store.Server.ReadyNotify():
		return client.String(), nil
	case err := <-store.Err():
		return "", err
	case <-time.After(startLimit):
		return "", errors.New("not ready in time")
	}
}
