import { isDeepStrictEqual } from 'node:util';
import { type Random, randomInteger, randomPick } from '@fairlead/control';
import { type EndpointSlice, endpointSlices, isNotFound, type Service, services } from '@fairlead/kube';
import type { Timed } from '@fairlead/sim';
import {
  applyServiceEdit,
  describeServiceEdit,
  drawServiceEdit,
  NAMES,
  PORT_NUMBERS,
  type ServiceEdit,
} from './service-edits.ts';
import { isOurs, NAMESPACE, POOL, SHARING } from './services.ts';
import { ADDRESSES, GATEWAYS, type GatewayWorld, NODES, POOLS, setReady } from './site.ts';

/** A day that an agent may have, until it has another. */
type AgentDay = 'good' | 'dead' | 'slow' | 'picky' | 'silent' | 'restart' | 'forget';

/** What users do, and what befalls pods, nodes and gateways. */
export type Edit =
  | ServiceEdit
  | { readonly kind: 'pool'; readonly name: string; readonly pool: string }
  | { readonly kind: 'ranges'; readonly name: string; readonly ranges: readonly string[] }
  /** An annotation that cannot be honoured, or its end. */
  | { readonly kind: 'nonsense'; readonly name: string; readonly isThere: boolean }
  /** The pods behind the Service of this name, by the last part of their address. */
  | { readonly kind: 'endpoints'; readonly name: string; readonly ready: readonly number[] }
  | { readonly kind: 'node'; readonly name: string; readonly isReady: boolean }
  | { readonly kind: 'agent'; readonly name: string; readonly day: AgentDay; readonly refused: string };

export function drawEdits(random: Random, milliseconds: number): readonly Timed<Edit>[] {
  return Array.from({ length: 80 }, () => ({ at: randomInteger(random, 0, milliseconds), event: drawEdit(random) }));
}

function drawEdit(random: Random): Edit {
  const luck = random.next();
  const name = randomPick(random, NAMES);
  if (luck < 0.55) return drawServiceEdit(random, ADDRESSES);
  if (luck < 0.62) return { kind: 'pool', name, pool: randomPick(random, [...POOLS, 'ghost']) };
  if (luck < 0.67) return { kind: 'ranges', name, ranges: randomPick(random, [[], ['198.51.100.0/24'], tooMany()]) };
  if (luck < 0.71) return { kind: 'nonsense', name, isThere: random.next() < 0.5 };
  if (luck < 0.87) return { kind: 'endpoints', name, ready: [1, 2, 3].filter(() => random.next() < 0.6) };
  if (luck < 0.9) return { kind: 'node', name: randomPick(random, NODES), isReady: random.next() < 0.6 };
  const day = randomPick(random, ['good', 'dead', 'slow', 'picky', 'silent', 'restart', 'forget'] as const);
  const refused = `${randomPick(random, ADDRESSES)} TCP/${randomPick(random, PORT_NUMBERS)}`;
  return { kind: 'agent', name: randomPick(random, GATEWAYS), day, refused };
}

/** More than a gateway takes: whom the Service means to admit cannot be honoured. */
function tooMany(): readonly string[] {
  return Array.from({ length: 1_001 }, (_, index) => `10.0.${index >> 8}.${index & 255}/32`);
}

export async function applyEdit(world: GatewayWorld, edit: Edit): Promise<void> {
  switch (edit.kind) {
    case 'endpoints':
      world.pods.set(edit.name, edit.ready);
      return setEndpoints(world, edit.name, edit.ready);
    case 'node':
      world.readyNodes[edit.isReady ? 'add' : 'delete'](edit.name);
      return setReady(world, edit.name, edit.isReady);
    case 'agent':
      return giveDay(world, edit.name, edit.day, edit.refused);
    case 'pool':
      return patch(world, edit.name, { metadata: { annotations: { [POOL]: edit.pool } } });
    case 'nonsense': {
      const sharing = edit.isThere ? 'perhaps' : null;
      return patch(world, edit.name, { metadata: { annotations: { [SHARING]: sharing } } });
    }
    case 'ranges':
      return patch(world, edit.name, {
        spec: { loadBalancerSourceRanges: edit.ranges.length === 0 ? null : edit.ranges },
      });
    case 'create':
    case 'ports':
    case 'type':
    case 'sharing':
    case 'forge':
    case 'backup':
    case 'delete':
      return applyServiceEdit(world, edit);
  }
}

export function describeEdit(edit: Edit): string {
  switch (edit.kind) {
    case 'endpoints':
      return `put pods ${edit.ready.join(',')} behind ${edit.name}`;
    case 'node':
      return `make ${edit.name} ${edit.isReady ? 'ready' : 'unready'}`;
    case 'agent':
      return `give ${edit.name} a ${edit.day} day`;
    case 'pool':
      return `have ${edit.name} ask for the pool ${edit.pool}`;
    case 'nonsense':
      return `have ${edit.name} ask for ${edit.isThere ? 'nonsense' : 'no nonsense'}`;
    case 'ranges':
      return `admit ${edit.ranges.length} ranges to ${edit.name}`;
    case 'create':
    case 'ports':
    case 'type':
    case 'sharing':
    case 'forge':
    case 'backup':
    case 'delete':
      return describeServiceEdit(edit);
  }
}

async function patch(world: GatewayWorld, name: string, change: object): Promise<void> {
  const key = { namespace: NAMESPACE, name };
  const found = await world.editor.find(services, key);
  if (found === undefined || found.metadata.deletionTimestamp !== undefined || !isOurs(found)) return;
  try {
    await world.editor.patchMerge<Service>(services, key, change);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

async function setEndpoints({ editor }: GatewayWorld, name: string, ready: readonly number[]): Promise<void> {
  const metadata = { namespace: NAMESPACE, name: `${name}-1`, labels: { 'kubernetes.io/service-name': name } };
  const endpoints = [1, 2, 3].map((last) => ({
    addresses: [`10.1.0.${last}`],
    nodeName: NODES[last % 2] ?? '',
    conditions: { ready: ready.includes(last) },
  }));
  const ports = PORT_NUMBERS.flatMap((port) =>
    (['TCP', 'UDP'] as const).map((protocol) => ({
      name: `${protocol.toLowerCase()}-${port}`,
      protocol,
      port: port + 8000,
    })),
  );
  const found = await editor.find(endpointSlices, metadata);
  if (found === undefined)
    await editor.create<EndpointSlice>(endpointSlices, { metadata, addressType: 'IPv4', endpoints, ports });
  else await editor.patchMerge<EndpointSlice>(endpointSlices, metadata, { endpoints });
}

function giveDay({ agents, isCompared }: GatewayWorld, name: string, day: AgentDay, refused: string): void {
  const agent = agents.get(name);
  if (agent === undefined) return;
  agent.recover();
  if (day === 'dead') agent.isDead = true;
  if (day === 'slow') agent.applyMilliseconds = 9_000;
  if (day === 'silent') agent.losesAnswers = true;
  // What it has already, it takes again.
  if (day === 'picky') {
    agent.refuses = (frontend, server) =>
      frontend === refused && (server === undefined || !isDeepStrictEqual(server, agent.servers.get(frontend)));
  }
  if (day === 'restart') agent.restart();
  // Who is not asked now and then cannot be known to have forgotten.
  if (day === 'forget' && isCompared) agent.forget();
}
