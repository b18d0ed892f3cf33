import { type Random, randomPick } from '@fairlead/control';

/** The name under which processes reach Keystone, Neutron and Octavia. */
export const OPENSTACK = 'openstack';
export const NAMESPACE = 'shop';
export const REPLICAS = ['replica-1', 'replica-2'];
export const CLUSTER = 'cluster-1';
export const CLASS = 'fairlead.dev/octavia';
export const NODES = ['node-1', 'node-2', 'node-3'];
/** Where load balancers have their VIPs, and send from. */
export const VIP_RANGES = { IPv4: '10.0.0.0/24', IPv6: 'fd00::/64' };

/** Where pods and nodes are. */
export const MEMBER_RANGE = '10.1.0.0/16';

/** What differs from seed to seed. */
export interface Settings {
  /** Whether OpenStack is compared now and then with what should be, so that what others delete there comes back. */
  readonly isCompared: boolean;
  /** Whether changes take as long as amphorae take, 2 to 60 seconds, or come at once. */
  readonly isSlow: boolean;
  /** Whether the first to which something in Neutron is handed leaves just then; the call takes seconds. */
  readonly heirs: 'stay' | 'are-deleted' | 'stop-sharing';
  /** How often Octavia fails at a change. */
  readonly failures: number;
  readonly members: 'pods' | 'node-ports';
  /** Whether Kuryr and cloud-provider-openstack have served Services before, which then are taken over, or left alone. */
  readonly predecessors: 'none' | 'left-alone' | 'adopted';
}

export function drawSettings(random: Random): Settings {
  const isCompared = random.next() < 0.5;
  const isSlow = random.next() < 0.5;
  const failures = randomPick(random, [0, 0, 0.03]);
  const members = randomPick(random, ['pods', 'pods', 'node-ports'] as const);
  const predecessors = randomPick(random, ['none', 'none', 'left-alone', 'adopted'] as const);
  const heirs = randomPick(random, ['are-deleted', 'stop-sharing', 'stay', 'stay'] as const);
  // The port of a VIP that a predecessor made is Octavia's: when the load balancer fails, it goes with it.
  return { isCompared, isSlow, heirs, failures, members, predecessors: failures === 0 ? predecessors : 'none' };
}

/** Nodes are on the network of the pods. */
export function addressOfNode(name: string): string {
  return `10.1.250.${name.slice(-1)}`;
}

/** The field of an answer, where it is text. */
export function fieldText(value: unknown, name: string): string {
  const found: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  return typeof found === 'string' ? found : '';
}
