import { type IpFamily, type Random, randomInteger, randomPick } from '@fairlead/control';
import type { Service, ServicePort } from '@fairlead/kube';
import type { Timed } from '@fairlead/sim';
import { otherFamily, type Variant } from '../azure-variant.ts';
import { type Arrival, describeAzureEdit, drawMeddling, drawWhim, type Meddle, type Whim } from './azure-edits.ts';
import { CLASS } from './site.ts';

export type EndpointState = 'ready' | 'unknown' | 'unready' | 'terminating';

export interface PlannedEndpoint {
  readonly address: string;
  readonly node: string;
  readonly state: EndpointState;
}

/** What users, kubelets and machines do. */
export type ClusterEdit =
  | { readonly kind: 'create'; readonly name: string; readonly spec: Service['spec'] }
  | { readonly kind: 'ports'; readonly name: string; readonly ports: readonly ServicePort[] }
  /** Asks for what cannot be had, or no longer. */
  | { readonly kind: 'restrict'; readonly name: string; readonly ranges: readonly string[] }
  /** Asks for tags on its address, or for none. */
  | { readonly kind: 'tags'; readonly name: string; readonly text: string | null }
  | { readonly kind: 'type'; readonly name: string; readonly type: 'LoadBalancer' | 'ClusterIP' }
  | { readonly kind: 'delete'; readonly name: string }
  /** Takes the finalizers off first, as the impatient do. */
  | { readonly kind: 'tear-off'; readonly name: string }
  | {
      readonly kind: 'slice';
      readonly slice: string;
      readonly service: string;
      readonly family: 'IPv4' | 'IPv6';
      readonly endpoints: readonly PlannedEndpoint[];
    }
  | { readonly kind: 'delete-slice'; readonly slice: string }
  | {
      readonly kind: 'pod';
      readonly name: string;
      readonly egress: string;
      readonly node: string;
      readonly addresses: readonly string[];
    }
  | { readonly kind: 'label'; readonly name: string; readonly egress: string | null }
  | { readonly kind: 'readdress'; readonly name: string; readonly addresses: readonly string[] }
  | { readonly kind: 'end-pod'; readonly name: string }
  | { readonly kind: 'delete-pod'; readonly name: string; readonly graceSeconds: number }
  | { readonly kind: 'node'; readonly name: string; readonly addresses: readonly string[] }
  | { readonly kind: 'delete-node'; readonly name: string };

/** Everything that happens to the world, but for faults of network and processes. */
export type Edit = ClusterEdit | Whim | Meddle | Arrival;

const NAMES = ['a', 'b', 'c', 'd'];
const PODS = ['p', 'q', 'r', 's'];
/** The last two are, or may be, another program's. */
const EGRESSES = ['blue', 'blue', 'green', 'Green', 'red', 'violet'];
const NODES = ['node-1', 'node-2', 'node-3'];
const ENDPOINT_ADDRESSES = ['10.1.0.1', '10.1.0.2', '10.1.0.3', '10.1.0.4', '10.2.0.1'];
const ENDPOINT_ADDRESSES_V6 = ['fd00::1:1', 'FD00:0::1:2'];
const PORT_NUMBERS = [53, 80, 443];
/** The last one is forged, and refused. */
const TAG_TEXTS = ['team=shop', 'team=bank, costs = 42', 'Team=Shop', 'size=L', null, 'team=shop,Fairlead-Part=theirs'];

export function drawEdits(
  random: Random,
  milliseconds: number,
  count: number,
  variant: Variant,
  tagCount: number,
): readonly Timed<Edit>[] {
  const edits = Array.from({ length: count }, () => ({
    at: randomInteger(random, 0, milliseconds),
    event: drawEdit(random, variant.family),
  }));
  // Last, so that nothing else is drawn otherwise.
  for (let drawn = 0; drawn < tagCount; drawn += 1) {
    const event: Edit = { kind: 'tags', name: randomPick(random, NAMES), text: randomPick(random, TAG_TEXTS) };
    edits.push({ at: randomInteger(random, 0, milliseconds), event });
  }
  return variant.comparison === 'off' ? edits.filter(({ event }) => !needsComparison(event)) : edits;
}

/** What is done behind the part's back is found by looking at everything, and in no other way. */
function needsComparison({ kind }: Edit): boolean {
  return kind === 'meddle' || kind === 'tear-off';
}

function drawEdit(random: Random, family: IpFamily): Edit {
  const luck = random.next();
  if (luck < 0.27) return drawServiceEdit(random, randomPick(random, NAMES), family);
  if (luck < 0.45) return drawSliceEdit(random, family);
  if (luck < 0.75) return drawPodEdit(random, randomPick(random, PODS), family);
  if (luck < 0.83) return drawNodeEdit(random, family);
  return luck < 0.94 ? drawWhim(random) : drawMeddling(random);
}

function drawServiceEdit(random: Random, name: string, family: IpFamily): Edit {
  const luck = random.next();
  if (luck < 0.45) return drawCreate(random, name, family);
  if (luck < 0.6) return { kind: 'ports', name, ports: drawPorts(random) };
  if (luck < 0.7) return { kind: 'restrict', name, ranges: random.next() < 0.5 ? ['192.0.2.0/24'] : [] };
  if (luck < 0.78) return { kind: 'type', name, type: random.next() < 0.5 ? 'ClusterIP' : 'LoadBalancer' };
  return { kind: luck < 0.97 ? 'delete' : 'tear-off', name };
}

function drawCreate(random: Random, name: string, family: IpFamily): Edit {
  const isOurs = random.next() < 0.88;
  const other = otherFamily(family);
  const ipFamilies = randomPick(random, [[family], [family], [family], [other], [family, other]] as const);
  const policies = ['RequireDualStack', 'PreferDualStack', 'PreferDualStack'] as const;
  return {
    kind: 'create',
    name,
    spec: {
      type: 'LoadBalancer',
      loadBalancerClass: isOurs ? CLASS : 'example.com/other',
      ipFamilyPolicy: ipFamilies.length === 2 ? randomPick(random, policies) : 'SingleStack',
      ipFamilies,
      ports: drawPorts(random),
    },
  };
}

function drawPorts(random: Random): readonly ServicePort[] {
  const protocol = random.next() < 0.8 ? 'TCP' : 'UDP';
  const numbers = PORT_NUMBERS.filter(() => random.next() < 0.4);
  return portsOf(numbers.length === 0 ? [randomPick(random, PORT_NUMBERS)] : numbers, protocol);
}

export function portsOf(numbers: readonly number[], protocol: 'TCP' | 'UDP' = 'TCP'): readonly ServicePort[] {
  return numbers.map((port) => ({ name: `p${port}`, port, protocol, targetPort: port + 8000 }));
}

/** Several slices for each Service; now and then one changes hands. */
function drawSliceEdit(random: Random, usual: IpFamily): Edit {
  const name = randomPick(random, NAMES);
  const family = random.next() < 0.8 ? usual : otherFamily(usual);
  const slice = `${name}-${family.toLowerCase()}-${randomInteger(random, 1, 2)}`;
  if (random.next() < 0.15) return { kind: 'delete-slice', slice };
  const addresses = family === 'IPv4' ? ENDPOINT_ADDRESSES : ENDPOINT_ADDRESSES_V6;
  const endpoints = addresses
    .filter(() => random.next() < 0.5)
    .map((address) => ({ address, node: randomPick(random, NODES), state: drawState(random) }));
  return { kind: 'slice', slice, service: random.next() < 0.85 ? name : randomPick(random, NAMES), family, endpoints };
}

function drawState(random: Random): EndpointState {
  const luck = random.next();
  if (luck < 0.6) return 'ready';
  if (luck < 0.75) return 'unknown';
  return luck < 0.9 ? 'unready' : 'terminating';
}

function drawPodEdit(random: Random, name: string, family: IpFamily): Edit {
  const addresses = () => drawPodAddresses(random, name, family);
  const luck = random.next();
  if (luck < 0.42) {
    const node = randomPick(random, NODES);
    return { kind: 'pod', name, egress: randomPick(random, EGRESSES), node, addresses: addresses() };
  }
  if (luck < 0.65) return { kind: 'label', name, egress: random.next() < 0.15 ? null : randomPick(random, EGRESSES) };
  if (luck < 0.7) return { kind: 'readdress', name, addresses: addresses() };
  if (luck < 0.75) return { kind: 'end-pod', name };
  return { kind: 'delete-pod', name, graceSeconds: randomPick(random, [0, 0, 0, 20]) };
}

/** Mostly an address of its own; now and then one that others have, or had a moment ago. */
function drawPodAddresses(random: Random, name: string, family: IpFamily): readonly string[] {
  const number = 1 + PODS.indexOf(name);
  const own = { IPv4: `10.2.0.${number}`, IPv6: `fd00::2:${number}` };
  const address = random.next() < 0.7 ? own[family] : randomPick(random, SHARED_ADDRESSES[family]);
  if (random.next() < 0.1) return [];
  return random.next() < 0.2 ? [address, own[otherFamily(family)]] : [address];
}

/** Of other pods and of endpoints. */
const SHARED_ADDRESSES = {
  IPv4: ['10.2.0.1', '10.2.0.2', '10.1.0.1', '10.1.0.4'],
  IPv6: ['fd00::2:1', 'FD00:0::2:2', 'fd00::1:1', 'fd00::1:2'],
};

/** Where most addresses are of IPv6, most nodes have both families. */
function drawNodeEdit(random: Random, family: IpFamily): Edit {
  const name = randomPick(random, NODES);
  if (random.next() < 0.25) return { kind: 'delete-node', name };
  const number = random.next() < 0.5 ? 1 + NODES.indexOf(name) : randomInteger(random, 1, 4);
  const isDual = random.next() < (family === 'IPv6' ? 0.8 : 0.4);
  return { kind: 'node', name, addresses: [`10.0.0.${number}`, ...(isDual ? [`fd00::${number}`] : [])] };
}

export function describeEdit(edit: Edit): string {
  switch (edit.kind) {
    case 'create':
      return `create ${edit.name} ${edit.spec.loadBalancerClass} ${edit.spec.ipFamilies?.join()} ${edit.spec.ipFamilyPolicy} ${portText(edit.spec.ports)}`;
    case 'ports':
      return `give ${edit.name} the ports ${portText(edit.ports)}`;
    case 'restrict':
      return `restrict ${edit.name} to ${edit.ranges.join() || 'nothing'}`;
    case 'tags':
      return `tag the address of ${edit.name} with ${edit.text}`;
    case 'type':
      return `make ${edit.name} a ${edit.type}`;
    case 'slice': {
      const endpoints = edit.endpoints.map(({ address, node, state }) => `${address}@${node} ${state}`);
      return `slice ${edit.slice} of ${edit.service}: ${endpoints.join(', ')}`;
    }
    case 'delete-slice':
      return `delete slice ${edit.slice}`;
    case 'pod':
      return `pod ${edit.name} leaves by ${edit.egress}, ${edit.addresses.join()} on ${edit.node}`;
    case 'label':
      return `label pod ${edit.name} ${edit.egress}`;
    case 'readdress':
      return `pod ${edit.name} has ${edit.addresses.join() || 'no address'}`;
    case 'delete-pod':
      return `delete pod ${edit.name}, ${edit.graceSeconds} s`;
    case 'node':
      return `node ${edit.name} has ${edit.addresses.join()}`;
    case 'delete':
    case 'tear-off':
    case 'end-pod':
    case 'delete-node':
      return `${edit.kind} ${edit.name}`;
    case 'whim':
    case 'throttle':
    case 'meddle':
    case 'arrival':
      return describeAzureEdit(edit);
  }
}

function portText(ports: readonly ServicePort[] = []): string {
  return ports.map(({ port, protocol }) => `${protocol}/${port}`).join(',');
}
