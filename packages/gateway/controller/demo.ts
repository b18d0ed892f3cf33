import type { Service } from '@fairlead/kube';
import { addressProgress, type DemoScene } from '@fairlead/part';
import { GATEWAY_CLASS } from './desired.ts';

const NAMESPACE = 'gateway-demo';

function loadBalancer(name: string, ports: NonNullable<Service['spec']['ports']>): Service {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { namespace: NAMESPACE, name },
    spec: { type: 'LoadBalancer', loadBalancerClass: GATEWAY_CLASS, selector: { app: name }, ports },
  };
}

const workload: readonly Service[] = [
  loadBalancer('web', [
    { name: 'http', port: 80 },
    { name: 'https', port: 443 },
  ]),
  loadBalancer('shop', [{ name: 'http', port: 80 }]),
  loadBalancer('mail', [{ name: 'smtp', port: 25 }]),
  loadBalancer('dns', [
    { name: 'dns-tcp', port: 53, protocol: 'TCP' },
    { name: 'dns-udp', port: 53, protocol: 'UDP' },
  ]),
];

/** Four Services that fit on two addresses, because they share them by protocol and port, and two gateways. */
export const demoScene: DemoScene = {
  description: 'Four Services share two floating IPs of an emulated Neutron, and two gateways serve them.',
  configuration: (outsides) => ({
    openstack: { cloudsFile: outsides['openstack'] },
    pools: [
      {
        name: 'public',
        openstack: { network: 'private', floatingNetwork: 'public' },
        gateways: ['gateway-1', 'gateway-2'].map((name) => ({ name, url: outsides[name] })),
      },
    ],
  }),
  objects: [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } }, ...workload],
  progress: (client, signal) => addressProgress(NAMESPACE, client, signal),
};
