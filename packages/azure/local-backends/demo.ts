import { addressProgress, type DemoScene, demoServices } from '@fairlead/part';
import { demoSection } from '../arm/index.ts';
import { AZURE_LOCAL_CLASS } from './load-balancers/desired.ts';

const NAMESPACE = 'azure-local-demo';
const ours = { loadBalancerClass: AZURE_LOCAL_CLASS, externalTrafficPolicy: 'Local' } as const;

/** Three Services on two load balancers of an emulated Azure, whose pools follow the nodes that have their pods. */
export const demoScene: DemoScene = {
  description: 'Three local Services share two load balancers of an emulated Azure; their pools follow their pods.',
  configuration: ({ azure }) => ({
    ...demoSection(azure),
    loadBalancers: [{ name: 'local-one' }, { name: 'local-two' }],
  }),
  objects: demoServices(NAMESPACE, {
    web: {
      ...ours,
      ports: [
        { name: 'http', port: 80 },
        { name: 'https', port: 443 },
      ],
    },
    game: { ...ours, ports: [{ name: 'game', port: 7777, protocol: 'UDP' }] },
    mail: { ...ours, ports: [{ name: 'smtp', port: 25 }] },
  }),
  progress: (client, signal) => addressProgress(NAMESPACE, client, signal),
};
