import { type Random, randomInteger, randomPick } from '@fairlead/control';
import type { IpFamily, Service, ServicePort } from '@fairlead/kube';
import type { Timed } from '@fairlead/sim';
import type { FaultMatch, RetryAfterForm, ScriptedFault } from '@fairlead/sim/azure';
import { otherFamily, type Variant } from '../azure-variant.ts';
import { LOAD_BALANCERS, type LoadBalancerName } from './azure-view.ts';
import { NODES, REPLICAS } from './world.ts';

/** How an endpoint is doing; `unknown` is as good as ready. */
export type EndpointState = 'ready' | 'unknown' | 'not-ready' | 'finishing' | 'finished';

/** One of the pods of a Service on a node. */
export interface EndpointEdit {
  readonly node: string;
  readonly pod: number;
  readonly state: EndpointState;
}

/** What happens to the cluster, to Azure and to the replicas. */
export type Edit =
  | {
      readonly kind: 'create';
      readonly name: string;
      readonly demands: Demands;
      readonly ipFamilies: readonly IpFamily[];
    }
  | { readonly kind: 'demand'; readonly name: string; readonly demands: Partial<Demands> }
  /** A Service that is no load balancer is not ours, and keeps nothing of what it had. */
  | { readonly kind: 'retype'; readonly name: string; readonly type: 'ClusterIP' | 'LoadBalancer' }
  | { readonly kind: 'delete'; readonly name: string; readonly how: 'politely' | 'without-finalizers' }
  /** All slices of a family; those it had before and that are not among them are deleted. */
  | {
      readonly kind: 'endpoints';
      readonly name: string;
      readonly family: IpFamily;
      readonly slices: readonly (readonly EndpointEdit[])[];
    }
  | { readonly kind: 'renumber'; readonly node: string; readonly number: number }
  | { readonly kind: 'exclude'; readonly node: string; readonly how: 'label' | 'taint' | 'not' }
  | { readonly kind: 'remove-node'; readonly node: string }
  /** Everything on the node begins to finish. */
  | { readonly kind: 'drain'; readonly node: string }
  | { readonly kind: 'lock'; readonly seconds: number }
  | { readonly kind: 'unlock' }
  | {
      readonly kind: 'azure-fault';
      readonly match: FaultMatch;
      readonly fault: ScriptedFault;
      readonly times: number;
    }
  | {
      readonly kind: 'storm';
      readonly match: FaultMatch;
      readonly milliseconds: number;
      readonly form: RetryAfterForm;
    }
  | { readonly kind: 'delete-load-balancer'; readonly loadBalancer: LoadBalancerName }
  | { readonly kind: 'delete-pool'; readonly number: number }
  | { readonly kind: 'foreign-entry'; readonly number: number }
  | { readonly kind: 'foreign-rule'; readonly loadBalancer: LoadBalancerName }
  | { readonly kind: 'foreign-security-rule'; readonly priority: number }
  /** Other load balancers are configured, and both replicas start anew. */
  | { readonly kind: 'reconfigure'; readonly loadBalancers: readonly LoadBalancerName[] }
  | { readonly kind: 'restart'; readonly replica: string; readonly milliseconds: number };

/** What a user may change about a Service that is there. */
export interface Demands {
  readonly place: 'any' | 'one' | 'two' | 'internal' | 'impossible';
  readonly sourceRanges: readonly string[];
  readonly ports: readonly ServicePort[];
  /** Whether it is to be reached at an address of the user's own, where it has a public one of IPv4. */
  readonly address: 'made' | 'own';
  readonly policy: NonNullable<Service['spec']['externalTrafficPolicy']>;
}

export const SERVICES = ['web', 'api', 'dns', 'mail'];
const STATES: readonly EndpointState[] = ['ready', 'ready', 'ready', 'unknown', 'not-ready', 'finishing', 'finished'];
const PORT_NUMBERS = [53, 80, 443];
const POOLS = 'backendAddressPools';

const MATCHES: readonly FaultMatch[] = [
  {},
  { kind: POOLS },
  { kind: POOLS, method: 'PUT' },
  { kind: 'loadBalancers' },
  { kind: 'publicIPAddresses' },
  { kind: 'networkSecurityGroups' },
];
const NOT_FOUND: ScriptedFault = { kind: 'refuse', status: 404, code: 'ResourceNotFound' };
const FAULTS: readonly ScriptedFault[] = [
  { kind: 'refuse', status: 409, code: 'AnotherOperationInProgress' },
  { kind: 'refuse', status: 412, code: 'PreconditionFailed' },
  { kind: 'refuse', status: 429, code: 'TooManyRequests', headers: { 'retry-after': '45' } },
  { kind: 'refuse', status: 429, code: 'RetryableError', headers: { 'retry-after': '20' } },
  { kind: 'refuse', status: 429, code: 'TooManyRequests' },
  { kind: 'refuse', status: 500, code: 'InternalServerError' },
  { kind: 'refuse', status: 400, code: 'InvalidRequestFormat' },
  { kind: 'misreport', status: 500 },
  { kind: 'fail-operation', code: 'InternalServerError' },
  { kind: 'fail-operation', code: 'InvalidResourceReference' },
  { kind: 'hang' },
  { kind: 'delay', milliseconds: 8_000 },
];

export function drawEdits(
  random: Random,
  milliseconds: number,
  count: number,
  variant: Variant,
): readonly Timed<Edit>[] {
  const { family } = variant;
  const early = SERVICES.flatMap((name): readonly Timed<Edit>[] => {
    if (random.next() < 0.15) return [];
    const at = randomInteger(random, 0, 5_000);
    return [
      { at, event: drawCreate(random, name, family) },
      { at: at + 1, event: drawEndpoints(random, name, family) },
    ];
  });
  const others = Array.from({ length: count }, () => ({
    at: randomInteger(random, 0, milliseconds),
    event: drawEdit(random, family),
  }));
  const all = [...early, ...others];
  return variant.comparison === 'off' ? all.filter(({ event }) => !needsComparison(event)) : all;
}

/** What is done behind the part's back is found by looking at everything, and in no other way. */
function needsComparison(edit: Edit): boolean {
  const isTornOff = edit.kind === 'delete' && edit.how === 'without-finalizers';
  return isTornOff || edit.kind === 'delete-load-balancer' || edit.kind === 'delete-pool';
}

/** How often each comes, in proportion. */
const DRAWN: readonly (readonly [number, (random: Random, name: string, family: IpFamily) => Edit])[] = [
  [80, (random, name, family) => drawEndpoints(random, name, random.next() < 0.7 ? family : otherFamily(family))],
  [10, drawCreate],
  [7, (random, name) => ({ kind: 'demand', name, demands: drawDemand(random) })],
  [2, (random, name) => ({ kind: 'retype', name, type: randomPick(random, ['ClusterIP', 'LoadBalancer']) })],
  [4, (_, name) => ({ kind: 'delete', name, how: 'politely' })],
  [1, (_, name) => ({ kind: 'delete', name, how: 'without-finalizers' })],
  [5, (random) => ({ kind: 'renumber', node: randomPick(random, NODES), number: randomInteger(random, 2, 250) })],
  [3, (random) => ({ kind: 'exclude', node: randomPick(random, NODES), how: randomPick(random, EXCLUSIONS) })],
  [2, (random) => ({ kind: 'remove-node', node: randomPick(random, NODES) })],
  [3, (random) => ({ kind: 'drain', node: randomPick(random, NODES) })],
  [2, (random) => ({ kind: 'lock', seconds: randomInteger(random, 5, 60) })],
  [1, () => ({ kind: 'unlock' })],
  [12, drawFault],
  [4, drawStorm],
  [1, (random) => ({ kind: 'delete-load-balancer', loadBalancer: randomPick(random, LOAD_BALANCERS) })],
  [2, (random) => ({ kind: 'delete-pool', number: randomInteger(random, 0, 9) })],
  [2, (random) => ({ kind: 'foreign-entry', number: randomInteger(random, 0, 9) })],
  [2, (random) => ({ kind: 'foreign-rule', loadBalancer: randomPick(random, LOAD_BALANCERS) })],
  [1, (random) => ({ kind: 'foreign-security-rule', priority: randomPick(random, [500, 502, 3000, 4095]) })],
  [2, (random) => drawRestart(random)],
];
const EXCLUSIONS = ['label', 'taint', 'not', 'not'] as const;

function drawEdit(random: Random, family: IpFamily): Edit {
  const name = randomPick(random, SERVICES);
  let left = random.next() * DRAWN.reduce((sum, [weight]) => sum + weight, 0);
  for (const [weight, draw] of DRAWN) {
    left -= weight;
    if (left < 0) return draw(random, name, family);
  }
  return drawEndpoints(random, name, family);
}

function drawCreate(random: Random, name: string, family: IpFamily): Edit {
  const other = otherFamily(family);
  const ipFamilies = randomPick(random, [[family], [family], [other], [family, other]] as const);
  const demands: Demands = {
    place: randomPick(random, ['any', 'any', 'one', 'two', 'internal']),
    sourceRanges: drawRanges(random),
    ports: drawPorts(random),
    address: random.next() < 0.2 ? 'own' : 'made',
    policy: 'Local',
  };
  return { kind: 'create', name, demands, ipFamilies };
}

function drawDemand(random: Random): Partial<Demands> {
  const luck = random.next();
  if (luck < 0.4) return { place: randomPick(random, ['any', 'one', 'two', 'internal', 'impossible']) };
  if (luck < 0.5) return { address: randomPick(random, ['made', 'own']) };
  if (luck < 0.7) return { sourceRanges: drawRanges(random) };
  if (luck < 0.9) return { ports: drawPorts(random) };
  return { policy: randomPick(random, ['Local', 'Cluster']) };
}

function drawRanges(random: Random): readonly string[] {
  return randomPick(random, [[], [], [], ['192.0.2.0/24'], ['198.51.100.0/24', '2001:db8::/32']]);
}

function drawPorts(random: Random): readonly ServicePort[] {
  const numbers = PORT_NUMBERS.filter(() => random.next() < 0.4);
  return portsOf(numbers.length === 0 ? [80] : numbers, random.next() < 0.8 ? 'TCP' : 'UDP');
}

export function portsOf(numbers: readonly number[], protocol: 'TCP' | 'UDP' = 'TCP'): readonly ServicePort[] {
  return numbers.map((port) => ({ name: `p${port}`, port, protocol, targetPort: port }));
}

/** Pods are spread over slices anew each time; one that moves from one slice to another may be in both. */
function drawEndpoints(random: Random, name: string, family: IpFamily): Edit {
  const count = randomPick(random, [0, 1, 1, 1, 2, 3]);
  const slices: EndpointEdit[][] = Array.from({ length: count }, () => []);
  for (const node of NODES) {
    for (const pod of [1, 2]) {
      if (random.next() < 0.65) continue;
      const endpoint = { node, pod, state: randomPick(random, STATES) };
      const places = random.next() < 0.1 ? 2 : 1;
      const first = randomInteger(random, 0, 2);
      for (let place = 0; place < Math.min(places, count); place += 1) slices[(first + place) % count]?.push(endpoint);
    }
  }
  return { kind: 'endpoints', name, family, slices };
}

function drawFault(random: Random): Edit {
  const match = randomPick(random, MATCHES);
  const faults = match.kind === POOLS ? [NOT_FOUND, ...FAULTS] : FAULTS;
  return { kind: 'azure-fault', match, fault: randomPick(random, faults), times: randomInteger(random, 1, 4) };
}

function drawStorm(random: Random): Edit {
  const form = randomPick(random, ['seconds', 'seconds', 'date', 'absent', 'garbage'] as const);
  const milliseconds = randomInteger(random, 1_000, 90_000);
  return { kind: 'storm', match: randomPick(random, [{}, { kind: POOLS }]), milliseconds, form };
}

function drawRestart(random: Random): Edit {
  return { kind: 'restart', replica: randomPick(random, REPLICAS), milliseconds: randomInteger(random, 10, 20_000) };
}

/** The edit in a few words. */
export function describeEdit(edit: Edit): string {
  const { kind, ...rest } = edit;
  return `${kind} ${JSON.stringify(rest)}`;
}
