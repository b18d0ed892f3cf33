import { type Random, randomInteger, randomPick } from '@fairlead/control';
import type { Protocol } from '@fairlead/kube';
import type { Timed } from '@fairlead/sim';
import { PREDECESSORS } from './predecessors.ts';
import { NODES } from './site.ts';

/** How a Service is to be served; each is one that users write, or one that must be refused. */
export type Wish =
  | 'plain'
  | 'internal'
  | 'keep-address'
  | 'chosen-address'
  | 'ovn'
  | 'affinity'
  | 'ranges'
  | 'monitor'
  | 'proxy'
  | 'timeouts'
  | 'dual-stack'
  | 'shared'
  | 'unknown-annotation'
  | 'unknown-flavor'
  | 'contradiction';

export interface PortWish {
  readonly protocol: Protocol;
  readonly port: number;
}

/** What a user, an operator or OpenStack does. */
export type Edit =
  | {
      readonly kind: 'create';
      readonly name: string;
      readonly isOurs: boolean;
      readonly wish: Wish;
      readonly ports: readonly PortWish[];
    }
  | { readonly kind: 'ports'; readonly name: string; readonly ports: readonly PortWish[] }
  | { readonly kind: 'wish'; readonly name: string; readonly wish: Wish }
  | { readonly kind: 'type'; readonly name: string; readonly type: 'LoadBalancer' | 'ClusterIP' }
  | { readonly kind: 'endpoints'; readonly name: string; readonly pods: readonly number[] }
  | { readonly kind: 'delete'; readonly name: string }
  | { readonly kind: 'delete-resource'; readonly name: string }
  | { readonly kind: 'empty-status'; readonly name: string; readonly only?: 'members' }
  | { readonly kind: 'edit-spec'; readonly name: string }
  /** Only where OpenStack is compared: else it is not noticed before something else changes. */
  | { readonly kind: 'lose'; readonly name: string; readonly what: Lost }
  | { readonly kind: 'quota'; readonly isMet: boolean }
  | { readonly kind: 'node'; readonly name: string; readonly isExcluded: boolean }
  | { readonly kind: 'delete-all' }
  /** Has a Service ask for its own load balancer by its id: one in ERROR is not made anew then. */
  | { readonly kind: 'name-own'; readonly name: string }
  /** Its load balancer ends in ERROR: only before an edit by which that is noticed. */
  | { readonly kind: 'fail'; readonly name: string }
  /** Creates a Service that shares the load balancer of another. */
  | { readonly kind: 'share'; readonly name: string; readonly owner: string; readonly port: number };

export type Lost = 'load-balancer' | 'listener' | 'pool' | 'members' | 'error' | 'floating-ip' | 'rule';

const NAMES = ['web', 'api', 'dns', 'mail'];
const WISHES: readonly Wish[] = [
  'plain',
  'plain',
  'plain',
  'internal',
  'keep-address',
  'chosen-address',
  'ovn',
  'affinity',
  'ranges',
  'monitor',
  'proxy',
  'timeouts',
  'dual-stack',
  'shared',
  'shared',
  'unknown-annotation',
  'unknown-flavor',
  'contradiction',
];
const LOST: readonly Lost[] = ['load-balancer', 'listener', 'pool', 'members', 'error', 'floating-ip', 'rule'];

export function drawEdits(random: Random, milliseconds: number, count: number): readonly Timed<Edit>[] {
  const edits = Array.from({ length: count }, () => ({
    at: randomInteger(random, 0, milliseconds),
    event: drawEdit(random),
  }));
  // Whatever was met is raised in the end.
  const raised: Timed<Edit> = { at: milliseconds - 1, event: { kind: 'quota', isMet: false } };
  return [
    ...edits,
    raised,
    ...drawRareEdits(random, milliseconds),
    ...drawSharing(random, milliseconds),
    ...drawHolding(random, milliseconds),
  ];
}

/** Two on a load balancer that ends in ERROR for good: one is refused there, and the other leaves, and is held. */
function drawHolding(random: Random, milliseconds: number): readonly Timed<Edit>[] {
  if (random.next() < 0.7) return [];
  const [owner, name] = ['host', 'visitor'];
  const ports = [{ protocol: 'TCP', port: 80 }] as const;
  const at = (share: number) => Math.floor(milliseconds * share);
  return [
    { at: 0, event: { kind: 'create', name: owner, isOurs: true, wish: 'plain', ports } },
    { at: at(0.1), event: { kind: 'endpoints', name: owner, pods: [1, 2] } },
    { at: at(0.35), event: { kind: 'share', name, owner, port: 443 } },
    { at: at(0.35), event: { kind: 'name-own', name: owner } },
    { at: at(0.4), event: { kind: 'endpoints', name, pods: [3] } },
    { at: at(0.85), event: { kind: 'fail', name: owner } },
    { at: at(0.87), event: { kind: 'ports', name: owner, ports: [{ protocol: 'TCP', port: 8_080 }] } },
    { at: at(0.88), event: { kind: 'endpoints', name: owner, pods: [4] } },
    { at: at(0.95), event: { kind: 'delete', name } },
  ];
}

/** Three that share the load balancer of the first. Two leave together, and the third may stay: it keeps its address. */
export const SHARERS = { owner: 'landlord', heirs: ['lodger', 'guest'] } as const;

function drawSharing(random: Random, milliseconds: number): readonly Timed<Edit>[] {
  if (random.next() < 0.25) return [];
  const { owner, heirs } = SHARERS;
  const [name, third] = heirs;
  const at = randomInteger(random, 0, milliseconds / 3);
  const leaving = at + milliseconds * 0.6;
  // Nothing happens after the end: the world is to be at rest then.
  const later = Math.min(leaving + randomInteger(random, 0, 30_000), milliseconds - 1);
  const ports = [{ protocol: 'TCP', port: 80 }] as const;
  const last = Math.min(later + randomInteger(random, 0, 60_000), milliseconds - 1);
  const all: readonly Timed<Edit>[] = [
    { at, event: { kind: 'create', name: owner, isOurs: true, wish: 'plain', ports } },
    { at: at + milliseconds / 3, event: { kind: 'share', name, owner, port: 443 } },
    { at: at + milliseconds / 3, event: { kind: 'share', name: third, owner, port: 8_443 } },
    { at: leaving, event: { kind: 'delete', name: owner } },
    { at: later, event: { kind: 'delete', name } },
  ];
  const stays = random.next() < 0.5;
  return stays ? all : [...all, { at: last, event: { kind: 'delete', name: third } }];
}

/** Nodes that come and go, and the end of all Services, of those that predecessors served, or of none. */
function drawRareEdits(random: Random, milliseconds: number): readonly Timed<Edit>[] {
  const at = () => randomInteger(random, 0, milliseconds);
  const nodes = NODES.map(
    (name): Timed<Edit> => ({
      at: at(),
      event: { kind: 'node', name, isExcluded: random.next() < 0.5 },
    }),
  );
  const luck = random.next();
  if (luck < 0.3) return [...nodes, { at: at(), event: { kind: 'delete-all' } }];
  if (luck > 0.6) return nodes;
  const name = randomPick(random, Object.keys(PREDECESSORS));
  const later = at();
  // Before anything of ours can have seen it, or when it is taken over.
  return [...nodes, { at: luck < 0.4 ? 0 : later, event: { kind: 'delete', name } }];
}

function drawEdit(random: Random): Edit {
  const name = randomPick(random, NAMES);
  const luck = random.next();
  if (luck < 0.25) {
    return {
      kind: 'create',
      name,
      isOurs: random.next() < 0.9,
      wish: randomPick(random, WISHES),
      ports: drawPorts(random),
    };
  }
  if (luck < 0.45) return { kind: 'endpoints', name, pods: drawPods(random) };
  if (luck < 0.55) return { kind: 'ports', name, ports: drawPorts(random) };
  if (luck < 0.65) return { kind: 'wish', name, wish: randomPick(random, WISHES) };
  if (luck < 0.7) return { kind: 'type', name, type: random.next() < 0.5 ? 'ClusterIP' : 'LoadBalancer' };
  if (luck < 0.77) return { kind: 'delete', name };
  if (luck < 0.8) return { kind: 'delete-resource', name };
  if (luck < 0.85)
    return random.next() < 0.5 ? { kind: 'empty-status', name } : { kind: 'empty-status', name, only: 'members' };
  if (luck < 0.88) return { kind: 'edit-spec', name };
  if (luck < 0.96) return { kind: 'lose', name, what: randomPick(random, LOST) };
  return { kind: 'quota', isMet: random.next() < 0.5 };
}

function drawPorts(random: Random): readonly PortWish[] {
  const all: readonly PortWish[] = [
    { protocol: 'TCP', port: 80 },
    { protocol: 'TCP', port: 443 },
    { protocol: 'UDP', port: 53 },
    { protocol: 'TCP', port: 53 },
  ];
  const some = all.filter(() => random.next() < 0.4);
  return some.length === 0 ? [{ protocol: 'TCP', port: 80 }] : some;
}

function drawPods(random: Random): readonly number[] {
  return [1, 2, 3, 4, 5].filter(() => random.next() < 0.5);
}

export function describeEdit(edit: Edit): string {
  return Object.values(edit)
    .map((value) => (typeof value === 'object' ? JSON.stringify(value) : String(value)))
    .join(' ');
}
