import type { IpFamily } from '@fairlead/kube';
import type { Scenario, Timed } from '@fairlead/sim';
import type { Demands, Edit, EndpointEdit } from './edits.ts';
import { portsOf } from './edits.ts';
import { localBackends, REST } from './scenario.ts';
import { buildWorld, type Settings, type World } from './world.ts';

const MINUTES = 3.2;

const SETTINGS: Settings = {
  leadingEdge: true,
  maxRetries: 3,
  intervalSeconds: 10,
  comparisonIntervalSeconds: 60,
  behaviour: { operationTime: { minimum: 200, maximum: 200 }, addressDelay: { minimum: 500, maximum: 500 } },
};

/** The lives of a few Services without any faults: the crash matrix kills a replica at each of the calls they cause. */
export const localBackendsCrash: Scenario<World, Edit> = {
  ...localBackends,
  name: 'local-backends-crash',
  description: 'one replica is killed before and after each of its calls: nothing leaks, nothing is lost',
  minutes: MINUTES,
  faults: [],
  disturbances: { ...localBackends.disturbances, perMinute: {} },
  build: (simulation) => buildWorld(simulation, MINUTES, SETTINGS),
  // Every write; of what is asked, renewed and told over and over, the first times tell.
  isCrashPoint: ({ name, ordinal, write }) => {
    if (name.includes('leases') || name.includes('events')) return ordinal <= 2;
    return write || ordinal <= (name === 'POLL' ? 5 : 2);
  },
  rest: { ...REST, minutes: 2 },
  // Far enough apart that the next leader finishes what was begun.
  actions: () => [
    ...at(1_000, create('web', {}), endpoints('web', 'IPv4', ready('a'), ready('b'))),
    ...at(1_200, create('api', { sourceRanges: ['192.0.2.0/24', '2001:db8::/32'] }, ['IPv4', 'IPv6'])),
    ...at(1_300, endpoints('api', 'IPv4', ready('a')), endpoints('api', 'IPv6', ready('b'))),
    ...at(1_400, create('dns', { place: 'internal', sourceRanges: ['10.0.0.0/8'] })),
    ...at(1_500, create('mail', { place: 'internal', sourceRanges: ['10.0.0.0/8'] })),
    ...at(20_000, endpoints('web', 'IPv4', ready('c'), ready('b', 'd'))),
    ...at(40_000, demand('web', { place: 'two' })),
    ...at(60_000, demand('web', { place: 'internal' })),
    ...at(80_000, demand('web', { place: 'any' })),
    ...at(100_000, demand('web', { sourceRanges: ['192.0.2.0/24'] })),
    // Parked, one of them goes, and the other waits for its time.
    ...at(110_000, demand('web', { address: 'own' })),
    ...at(120_000, parking(2), endpoints('api', 'IPv4', ready('d')), endpoints('web', 'IPv4', ready('a'))),
    ...at(125_000, { kind: 'delete', name: 'api', how: 'politely' }),
    ...at(145_000, { kind: 'delete', name: 'dns', how: 'politely' }),
    ...at(165_000, { kind: 'delete', name: 'mail', how: 'without-finalizers' }),
    ...at(170_000, { kind: 'reconfigure', loadBalancers: ['two', 'inside'] }),
  ],
};

function at(milliseconds: number, ...edits: readonly Edit[]): readonly Timed<Edit>[] {
  return edits.map((event, index) => ({ at: milliseconds + index, event }));
}

function create(name: string, demands: Partial<Demands>, ipFamilies: readonly IpFamily[] = ['IPv4']): Edit {
  const plain: Demands = { place: 'one', sourceRanges: [], ports: portsOf([80]), address: 'made', policy: 'Local' };
  return { kind: 'create', name, ipFamilies, demands: { ...plain, ...demands } };
}

function demand(name: string, demands: Partial<Demands>): Edit {
  return { kind: 'demand', name, demands };
}

function endpoints(name: string, family: IpFamily, ...slices: readonly (readonly EndpointEdit[])[]): Edit {
  return { kind: 'endpoints', name, family, slices };
}

function ready(...nodes: readonly string[]): readonly EndpointEdit[] {
  return nodes.map((node) => ({ node, pod: 1, state: 'ready' }));
}

/** The next pools that are asked for are to be left alone for a while. */
function parking(times: number): Edit {
  const headers = { 'retry-after': '20' };
  const fault = { kind: 'refuse', status: 429, code: 'RetryableError', headers } as const;
  return { kind: 'azure-fault', match: { kind: 'backendAddressPools', method: 'GET' }, fault, times };
}
