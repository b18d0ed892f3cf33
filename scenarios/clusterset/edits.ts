import { type Random, randomInteger, randomPick } from '@fairlead/control';
import type { ServiceExport } from '@fairlead/clusterset';
import {
  type EndpointSlice,
  endpointSlices,
  isNotFound,
  type Service,
  type ServicePort,
  services,
} from '@fairlead/kube';
import type { Timed } from '@fairlead/sim';
import { exports, join, leave, type Member, NAMESPACE, type World } from './world.ts';

/** What users and operators do. */
export type Edit =
  | {
      readonly kind: 'export';
      readonly cluster: string;
      readonly name: string;
      readonly isHeadless: boolean;
      readonly ports: readonly number[];
    }
  | { readonly kind: 'unexport'; readonly cluster: string; readonly name: string }
  | { readonly kind: 'ports'; readonly cluster: string; readonly name: string; readonly ports: readonly number[] }
  | { readonly kind: 'pods'; readonly cluster: string; readonly name: string; readonly isReady: boolean }
  | { readonly kind: 'delete-service'; readonly cluster: string; readonly name: string }
  | { readonly kind: 'derive'; readonly cluster: string; readonly name: ''; readonly isOn: boolean }
  | Membership;

interface Membership {
  readonly kind: 'join' | 'leave';
  readonly cluster: string;
  readonly name: '';
}

export const NAMES = ['web', 'mail', 'db', 'a-b'];
const PORTS = [53, 80, 443];

export function drawEdits(
  random: Random,
  milliseconds: number,
  count: number,
  clusters: readonly string[],
): readonly Timed<Edit>[] {
  return Array.from({ length: count }, () => ({
    at: randomInteger(random, 0, milliseconds),
    event: drawEdit(random, clusters),
  }));
}

function drawEdit(random: Random, clusters: readonly string[]): Edit {
  const cluster = randomPick(random, clusters);
  const name = randomPick(random, NAMES);
  const luck = random.next();
  const ports = drawPorts(random);
  if (luck < 0.45) return { kind: 'export', cluster, name, isHeadless: random.next() < 0.35, ports };
  if (luck < 0.6) return { kind: 'unexport', cluster, name };
  if (luck < 0.7) return { kind: 'ports', cluster, name, ports };
  if (luck < 0.85) return { kind: 'pods', cluster, name, isReady: random.next() < 0.6 };
  if (luck < 0.93) return { kind: 'delete-service', cluster, name };
  if (luck < 0.985) return { kind: luck < 0.96 ? 'leave' : 'join', cluster, name: '' };
  return { kind: 'derive', cluster, name: '', isOn: random.next() < 0.5 };
}

function drawPorts(random: Random): readonly number[] {
  const ports = PORTS.filter(() => random.next() < 0.6);
  return ports.length === 0 ? [randomPick(random, PORTS)] : ports;
}

export async function applyEdit(world: World, edit: Edit): Promise<void> {
  const member = world.members.get(edit.cluster);
  if (member === undefined) return;
  if (edit.kind === 'derive') {
    member.setDerived(edit.isOn);
    return;
  }
  if (isMembership(edit)) {
    await (edit.kind === 'join' ? join : leave)(world, edit.cluster);
    return;
  }
  try {
    await change(member, edit);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

const isMembership = (edit: Edit): edit is Membership => edit.kind === 'join' || edit.kind === 'leave';

async function change(
  { editor }: Member,
  edit: Exclude<Edit, Membership | { readonly kind: 'derive' }>,
): Promise<void> {
  const key = { namespace: NAMESPACE, name: edit.name };
  const service = await editor.find(services, key);
  if (edit.kind === 'export') {
    if (service === undefined) await createService({ editor }, edit.name, edit.isHeadless, edit.ports);
    const found = await editor.find(exports, key);
    if (found === undefined) await editor.create<ServiceExport>(exports, { metadata: key });
    return;
  }
  if (edit.kind === 'unexport') return editor.delete(exports, key);
  if (service === undefined) return;
  if (edit.kind === 'ports') await editor.patchMerge<Service>(services, key, { spec: { ports: portsOf(edit.ports) } });
  if (edit.kind === 'delete-service') {
    await editor.delete(services, key);
    await editor.delete(endpointSlices, { namespace: NAMESPACE, name: `${edit.name}-1` });
  }
  if (edit.kind === 'pods') {
    const endpoints = [{ addresses: ['10.9.0.1'], conditions: { ready: edit.isReady }, hostname: 'first' }];
    await editor.patchMerge<EndpointSlice>(
      endpointSlices,
      { namespace: NAMESPACE, name: `${edit.name}-1` },
      { endpoints },
    );
  }
}

async function createService(
  { editor }: Pick<Member, 'editor'>,
  name: string,
  isHeadless: boolean,
  ports: readonly number[],
): Promise<void> {
  const metadata = { namespace: NAMESPACE, name };
  const spec = { ports: portsOf(ports), ...(isHeadless && { clusterIP: 'None' }) };
  await editor.create<Service>(services, { metadata, spec });
  const slice = { namespace: NAMESPACE, name: `${name}-1` };
  if ((await editor.find(endpointSlices, slice)) !== undefined) return;
  await editor.create<EndpointSlice>(endpointSlices, {
    metadata: { ...slice, labels: { 'kubernetes.io/service-name': name } },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.9.0.1'], conditions: { ready: true }, hostname: 'first' }],
    ports: [{ name: 'any', port: 8080, protocol: 'TCP' }],
  });
}

function portsOf(numbers: readonly number[]): readonly ServicePort[] {
  return numbers.map((port) => ({ name: `p${port}`, port, protocol: 'TCP', targetPort: port }));
}

export function describeEdit(edit: Edit): string {
  if (edit.kind === 'derive') return `turn derived Services ${edit.isOn ? 'on' : 'off'} in ${edit.cluster}`;
  if (edit.kind !== 'export') return `${edit.kind} ${edit.name} in ${edit.cluster}`;
  return `export ${edit.name} in ${edit.cluster} ${edit.isHeadless ? 'headless' : 'with an address'} ${edit.ports.join()}`;
}
