import type { Service } from '@fairlead/kube';
import { addressProgress, type DemoScene } from '@fairlead/part';
import { demoSection } from '../arm/index.ts';
import { AZURE_LOCAL_CLASS } from './load-balancers/desired.ts';

const NAMESPACE = 'azure-local-demo';

function localService(name: string, ports: NonNullable<Service['spec']['ports']>): Service {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { namespace: NAMESPACE, name },
    spec: {
      type: 'LoadBalancer',
      loadBalancerClass: AZURE_LOCAL_CLASS,
      externalTrafficPolicy: 'Local',
      selector: { app: name },
      ports,
    },
  };
}

/** Three Services on two load balancers of an emulated Azure, whose pools follow the nodes that have their pods. */
export const demoScene: DemoScene = {
  description: 'Three local Services share two load balancers of an emulated Azure; their pools follow their pods.',
  configuration: ({ azure }) => ({
    ...demoSection(azure),
    loadBalancers: [{ name: 'local-one' }, { name: 'local-two' }],
  }),
  objects: [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } },
    localService('web', [
      { name: 'http', port: 80 },
      { name: 'https', port: 443 },
    ]),
    localService('game', [{ name: 'game', port: 7777, protocol: 'UDP' }]),
    localService('mail', [{ name: 'smtp', port: 25 }]),
  ],
  progress: (client, signal) => addressProgress(NAMESPACE, client, signal),
};
