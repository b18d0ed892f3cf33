import { type Random, randomInteger, randomPick } from '@fairlead/control';
import { addFinalizer, isNotFound, type ObjectKey, type Service, type ServicePort, services } from '@fairlead/kube';
import type { Timed } from '@fairlead/sim';
import type { Cluster } from '../kubernetes.ts';
import { BACKUP, CLASS, type Deeds, isOurs, L2_PORTS, L4_PORTS, NAMESPACE, SHARING } from './services.ts';

/** What a user does. */
export type ServiceEdit =
  | { readonly kind: 'create'; readonly name: string; readonly spec: Service['spec']; readonly exclusive: boolean }
  | { readonly kind: 'ports'; readonly name: string; readonly ports: readonly ServicePort[] }
  | { readonly kind: 'type'; readonly name: string; readonly type: 'LoadBalancer' | 'ClusterIP' }
  | { readonly kind: 'sharing'; readonly name: string; readonly sharing: 'shared' | 'exclusive' }
  /** Its owner writes what only a leader should: a record of an address and ports of all kinds. */
  | { readonly kind: 'forge'; readonly name: string; readonly address: string }
  /** Another controller holds it, too. */
  | { readonly kind: 'backup'; readonly name: string }
  | { readonly kind: 'delete'; readonly name: string };

export const NAMES = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'm', 'n'];
export const PORT_NUMBERS = [53, 80, 443];

export function drawServiceEdits(
  random: Random,
  milliseconds: number,
  count: number,
  addresses: readonly string[],
): readonly Timed<ServiceEdit>[] {
  return Array.from({ length: count }, () => ({
    at: randomInteger(random, 0, milliseconds),
    event: drawServiceEdit(random, addresses),
  }));
}

export function drawServiceEdit(random: Random, addresses: readonly string[]): ServiceEdit {
  const name = randomPick(random, NAMES);
  const luck = random.next();
  if (luck < 0.45) return drawCreate(random, name, addresses);
  if (luck < 0.6) return { kind: 'ports', name, ports: drawPorts(random) };
  if (luck < 0.68) return { kind: 'forge', name, address: randomPick(random, addresses) };
  if (luck < 0.72) return { kind: 'backup', name };
  if (luck < 0.76) return { kind: 'sharing', name, sharing: random.next() < 0.5 ? 'shared' : 'exclusive' };
  if (luck < 0.86) return { kind: 'type', name, type: random.next() < 0.5 ? 'ClusterIP' : 'LoadBalancer' };
  return { kind: 'delete', name };
}

function drawCreate(random: Random, name: string, addresses: readonly string[]): ServiceEdit {
  const ours = random.next() < 0.85;
  const ipFamilies = randomPick(random, [['IPv4'], ['IPv4'], ['IPv6'], ['IPv4', 'IPv6']] as const);
  const asks =
    random.next() < 0.2 && ipFamilies[0] === 'IPv4'
      ? { loadBalancerIP: randomPick(random, addresses.slice(0, 2)) }
      : {};
  return {
    kind: 'create',
    name,
    exclusive: random.next() < 0.1,
    spec: {
      type: 'LoadBalancer',
      loadBalancerClass: ours ? CLASS : 'example.com/other',
      ipFamilyPolicy:
        ipFamilies.length === 2 ? randomPick(random, ['RequireDualStack', 'PreferDualStack']) : 'SingleStack',
      ipFamilies,
      ports: drawPorts(random),
      ...asks,
    },
  };
}

function drawPorts(random: Random): readonly ServicePort[] {
  const protocol = random.next() < 0.8 ? 'TCP' : 'UDP';
  const numbers = PORT_NUMBERS.filter(() => random.next() < 0.5);
  return portsOf(numbers.length === 0 ? [randomPick(random, PORT_NUMBERS)] : numbers, protocol);
}

export function portsOf(numbers: readonly number[], protocol: 'TCP' | 'UDP' = 'TCP'): readonly ServicePort[] {
  return numbers.map((port) => ({ name: `${protocol.toLowerCase()}-${port}`, port, protocol, targetPort: port }));
}

export function create(name: string, numbers: readonly number[]): Extract<ServiceEdit, { kind: 'create' }> {
  return {
    kind: 'create',
    name,
    exclusive: false,
    spec: { type: 'LoadBalancer', loadBalancerClass: CLASS, ipFamilies: ['IPv4'], ports: portsOf(numbers) },
  };
}

export async function applyServiceEdit(
  { editor, backedUp, forged }: Cluster & Deeds,
  edit: ServiceEdit,
): Promise<void> {
  const key = { namespace: NAMESPACE, name: edit.name };
  const found = await editor.find(services, key);
  if (edit.kind === 'create') {
    if (found !== undefined) return;
    const annotations = edit.exclusive ? { annotations: { [SHARING]: 'exclusive' } } : {};
    await editor.create(services, { metadata: { ...key, ...annotations }, spec: edit.spec });
    return;
  }
  if (found === undefined || found.metadata.deletionTimestamp !== undefined) return;
  if (edit.kind === 'type' && edit.type === found.spec.type) return;
  // On a Service of another class it would be taken for ours.
  if (edit.kind === 'forge' && !isOurs(found)) return;
  try {
    if (edit.kind === 'delete') await editor.delete(services, key);
    if (edit.kind === 'sharing') await annotate(editor, key, { [SHARING]: edit.sharing });
    if (edit.kind === 'forge') forged.add(found.metadata.uid ?? '');
    if (edit.kind === 'forge') await annotate(editor, key, { [L2_PORTS]: edit.address, [L4_PORTS]: FORGED_PORTS });
    if (edit.kind === 'backup') {
      await addFinalizer(editor, services, found, BACKUP);
      backedUp.add(found.metadata.uid ?? '');
    }
    if (edit.kind === 'ports') await editor.patchMerge<Service>(services, key, { spec: { ports: edit.ports } });
    if (edit.kind === 'type') await editor.patchMerge<Service>(services, key, { spec: typeChange(edit.type) });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

const FORGED_PORTS = PORT_NUMBERS.flatMap((port) => [`TCP/${port}`, `UDP/${port}`]).join(',');

function annotate(editor: Cluster['editor'], key: ObjectKey, annotations: Readonly<Record<string, string>>) {
  return editor.patchMerge<Service>(services, key, { metadata: { annotations } });
}

/** The API allows the class only on load balancers, and wipes nothing by itself. */
function typeChange(type: 'LoadBalancer' | 'ClusterIP') {
  if (type === 'LoadBalancer') return { type, loadBalancerClass: CLASS };
  return { type, loadBalancerClass: null, loadBalancerIP: null, loadBalancerSourceRanges: null };
}

export function describeServiceEdit(edit: ServiceEdit): string {
  if (edit.kind === 'create') return `create ${edit.name} ${portText(edit.spec.ports)}`;
  if (edit.kind === 'ports') return `give ${edit.name} the ports ${portText(edit.ports)}`;
  if (edit.kind === 'type') return `make ${edit.name} a ${edit.type}`;
  return `${edit.kind} ${edit.name}`;
}

function portText(ports: readonly ServicePort[] = []): string {
  return ports.map(({ port, protocol }) => `${protocol}/${port}`).join(',');
}
