// CoreDNS with the plugins that stand between a pod and us: few, so that it builds quickly.
package main

import (
	"github.com/coredns/coredns/core/dnsserver"
	"github.com/coredns/coredns/coremain"
	_ "github.com/coredns/coredns/plugin/bind"
	_ "github.com/coredns/coredns/plugin/cache"
	_ "github.com/coredns/coredns/plugin/errors"
	_ "github.com/coredns/coredns/plugin/forward"
)

func init() {
	dnsserver.Directives = []string{"bind", "errors", "cache", "forward"}
}

func main() {
	coremain.Run()
}
