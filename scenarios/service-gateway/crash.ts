import type { Call, Scenario, Timed } from '@fairlead/sim';
import { AZURE } from '../azure.ts';
import { PLAIN } from '../azure-variant.ts';
import { KUBE } from '../kubernetes.ts';
import { type Edit, type PlannedEndpoint, portsOf } from './edits.ts';
import { isUsual, serviceGateway } from './scenario.ts';
import { CLASS, REPLICAS } from './site.ts';
import { buildWorld, type Wire, type World } from './world.ts';

/** One life of everything there is: set up, created, updated, moved and deleted. The crash matrix kills at each call. */
export const serviceGatewayCrash: Scenario<World, Edit> = crashHistory();

/** The same with something between the part and Azure. */
export function crashHistory(wire?: Wire): Scenario<World, Edit> {
  return {
    ...serviceGateway,
    name: 'service-gateway-crash',
    description:
      'the leader is killed before and after each of its calls: nothing is leaked, lost or taken from others',
    minutes: 2,
    faults: [],
    disturbances: { perMinute: {}, processes: REPLICAS, servers: [KUBE, AZURE], longestMilliseconds: 0 },
    build: (simulation) =>
      buildWorld(simulation, {
        variant: PLAIN,
        inheritance: 'nothing',
        behaviour: { operationTime: { minimum: 0, maximum: 300 }, actionStyle: 'synchronous' },
        calmAt: 0,
        ...(wire === undefined ? {} : { wire }),
      }),
    actions: () => script,
    isCrashPoint,
    // Time for one comparison with Azure.
    rest: { minutes: 1.2, allows: isUsual },
  };
}

const script: readonly Timed<Edit>[] = [
  { at: 1_000, event: create('web', [80, 443]) },
  { at: 1_000, event: create('shop', [80]) },
  { at: 1_000, event: slice('web-1', 'web', ['10.1.0.1@node-1', '10.1.0.2@node-2']) },
  { at: 1_000, event: slice('shop-1', 'shop', ['10.1.0.2@node-2']) },
  { at: 1_500, event: pod('p', 'blue', 'node-1', '10.2.0.1') },
  { at: 2_000, event: pod('q', 'blue', 'node-2', '10.2.0.2') },
  // By then there is a gateway, also where the first leader was killed and the second had to wait for the Lease.
  { at: 45_000, event: { kind: 'arrival', who: 'neighbours' } },
  { at: 45_000, event: { kind: 'arrival', who: 'leftovers' } },
  { at: 46_000, event: { kind: 'ports', name: 'web', ports: portsOf([80, 8443]) } },
  { at: 46_000, event: { kind: 'tags', name: 'web', text: 'team=shop' } },
  { at: 46_000, event: slice('web-1', 'web', ['10.1.0.2@node-2', '10.1.0.3@node-1']) },
  { at: 50_000, event: { kind: 'label', name: 'p', egress: 'green' } },
  { at: 55_000, event: { kind: 'delete-pod', name: 'q', graceSeconds: 0 } },
  { at: 60_000, event: { kind: 'delete', name: 'web' } },
  { at: 70_000, event: { kind: 'type', name: 'shop', type: 'ClusterIP' } },
  { at: 80_000, event: { kind: 'label', name: 'p', egress: null } },
  { at: 90_000, event: create('late', [80]) },
  { at: 90_000, event: slice('late-1', 'late', ['10.1.0.4@node-1']) },
  { at: 90_000, event: pod('r', 'blue', 'node-2', '10.2.0.3') },
];

/** What is done in the same way over and over tells nothing new after the first few times. */
function isCrashPoint({ name, ordinal, server, write }: Call): boolean {
  if (name.includes('leases')) return ordinal <= 3;
  if (name.includes('events')) return ordinal <= 2;
  return server === AZURE && !write ? ordinal === 1 : true;
}

export function create(name: string, numbers: readonly number[]): Edit {
  const spec = {
    type: 'LoadBalancer',
    loadBalancerClass: CLASS,
    ipFamilies: ['IPv4'],
    ports: portsOf(numbers),
  } as const;
  return { kind: 'create', name, spec };
}

/** Endpoints as `10.1.0.1@node-1`. */
export function slice(name: string, service: string, texts: readonly string[]): Edit {
  const endpoints = texts.map((text): PlannedEndpoint => {
    const [address = '', node = ''] = text.split('@');
    return { address, node, state: 'ready' };
  });
  return { kind: 'slice', slice: name, service, family: 'IPv4', endpoints };
}

export function pod(name: string, egress: string, node: string, address: string): Edit {
  return { kind: 'pod', name, egress, node, addresses: [address] };
}
