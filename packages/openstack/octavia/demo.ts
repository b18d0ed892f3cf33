import type { Service } from '@fairlead/kube';
import { addressProgress, type DemoScene } from '@fairlead/part';
import { OCTAVIA_CLASS } from './claim.ts';

const NAMESPACE = 'octavia-demo';

function loadBalancer(name: string, ports: NonNullable<Service['spec']['ports']>): Service {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { namespace: NAMESPACE, name },
    spec: { type: 'LoadBalancer', loadBalancerClass: OCTAVIA_CLASS, selector: { app: name }, ports },
  };
}

/** Two Services with a load balancer and a floating IP each, in an emulated OpenStack. */
export const demoScene: DemoScene = {
  description: 'Two Services get a load balancer of an emulated Octavia each, with a floating IP of its own.',
  configuration: ({ openstack }) => ({ cloudsFile: openstack, network: 'private', floatingNetwork: 'public' }),
  objects: [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } },
    loadBalancer('web', [
      { name: 'http', port: 80 },
      { name: 'https', port: 443 },
    ]),
    loadBalancer('dns', [
      { name: 'dns-tcp', port: 53, protocol: 'TCP' },
      { name: 'dns-udp', port: 53, protocol: 'UDP' },
    ]),
  ],
  progress: (client, signal) => addressProgress(NAMESPACE, client, signal),
};
