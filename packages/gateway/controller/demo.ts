import { addressProgress, type DemoScene, demoServices } from '@fairlead/part';
import { GATEWAY_CLASS } from './desired.ts';

const NAMESPACE = 'gateway-demo';
const ours = { loadBalancerClass: GATEWAY_CLASS };

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
  objects: demoServices(NAMESPACE, {
    web: {
      ...ours,
      ports: [
        { name: 'http', port: 80 },
        { name: 'https', port: 443 },
      ],
    },
    shop: { ...ours, ports: [{ name: 'http', port: 80 }] },
    mail: { ...ours, ports: [{ name: 'smtp', port: 25 }] },
    dns: {
      ...ours,
      ports: [
        { name: 'dns-tcp', port: 53, protocol: 'TCP' },
        { name: 'dns-udp', port: 53, protocol: 'UDP' },
      ],
    },
  }),
  progress: (client, signal) => addressProgress(NAMESPACE, client, signal),
};
