import {
  isConflict,
  isNotFound,
  type MergePatch,
  type Node,
  nodes,
  type Service,
  type ServiceSpec,
  services,
  statusOf,
} from '@fairlead/kube';
import type { Edit, Lost, PortWish, Wish } from './edits.ts';
import { PREDECESSORS } from './predecessors.ts';
import { resources } from './resources.ts';
import { CLASS, fieldText, NAMESPACE } from './site.ts';
import { putSlice } from './slices.ts';
import type { World } from './world.ts';

const PREFIX = 'loadbalancer.openstack.org';

export async function applyEdit(world: World, edit: Edit): Promise<void> {
  try {
    await perform(world, edit);
  } catch (error) {
    // Another was quicker.
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}

async function perform(world: World, edit: Edit): Promise<void> {
  const { editor, emulator, project } = world;
  if (edit.kind === 'quota') {
    const body = { quota: { load_balancer: edit.isMet ? 1 : -1 } };
    emulator.byHand({ method: 'PUT', path: `/lbaas/quotas/${project.id}`, body });
    return;
  }
  if (edit.kind === 'node') {
    const labels = { 'node.kubernetes.io/exclude-from-external-load-balancers': edit.isExcluded ? 'true' : null };
    await editor.patchMerge<Node>(nodes, { name: edit.name }, { metadata: { labels } });
    return;
  }
  if (edit.kind === 'delete-all') {
    // All at once: who shares a load balancer with another that leaves must not inherit it.
    for (const service of world.objects(services).filter(mayBeDeleted(world)))
      await editor.delete(services, service.metadata);
    return;
  }
  const key = { namespace: NAMESPACE, name: edit.name };
  if (edit.kind === 'share') {
    const [owned] = emulator
      .octaviaResources('loadbalancers')
      .filter(({ name }) => name === `${NAMESPACE}/${edit.owner}`);
    const annotations = { [`${PREFIX}/load-balancer-id`]: fieldText(owned, 'id') };
    const ports = [servicePort({ protocol: 'TCP', port: edit.port })];
    const spec = { type: 'LoadBalancer', loadBalancerClass: CLASS, ports } as const;
    await editor.create<Service>(services, { metadata: { ...key, annotations }, spec });
    return;
  }
  const found = await editor.find(services, key);
  if (edit.kind === 'endpoints') return putSlice(editor, edit.name, edit.pods, found);
  if (edit.kind === 'create') {
    if (found !== undefined) return;
    const loadBalancerClass = edit.isOurs ? CLASS : 'example.com/other';
    const { annotations, spec } = wished(world, edit.wish);
    const ports = edit.ports.map(servicePort);
    const metadata = { ...key, ...(annotations === null ? {} : { annotations }) };
    await editor.create<Service>(services, {
      metadata,
      spec: { type: 'LoadBalancer', loadBalancerClass, ports, ...spec },
    });
    return;
  }
  if (found === undefined || found.metadata.deletionTimestamp !== undefined) return;
  switch (edit.kind) {
    case 'ports':
      return void (await editor.patchMerge<Service>(services, key, { spec: { ports: edit.ports.map(servicePort) } }));
    case 'wish': {
      const { annotations, spec } = wished(world, edit.wish);
      const plain = { sessionAffinity: 'None', loadBalancerSourceRanges: null, loadBalancerIP: null } as const;
      await editor.patchMerge<Service>(services, key, { metadata: { annotations: null } });
      if (found.spec.type !== 'LoadBalancer') return;
      const patch: MergePatch<Service> = { metadata: { annotations }, spec: { ...plain, ...spec } };
      return void (await editor.patchMerge<Service>(services, key, patch));
    }
    case 'type': {
      if (edit.type === found.spec.type) return;
      const loadBalancerClass = edit.type === 'LoadBalancer' ? CLASS : null;
      const none = { loadBalancerSourceRanges: null, loadBalancerIP: null };
      const spec = { type: edit.type, loadBalancerClass, ...(edit.type === 'LoadBalancer' ? {} : none) };
      return void (await editor.patchMerge<Service>(services, key, { spec }));
    }
    case 'name-own': {
      const [own] = emulator
        .octaviaResources('loadbalancers')
        .filter(({ name }) => name === `${NAMESPACE}/${edit.name}`);
      const annotations = { [`${PREFIX}/load-balancer-id`]: fieldText(own, 'id') };
      return void (await editor.patchMerge<Service>(services, key, { metadata: { annotations } }));
    }
    case 'fail':
      return fail(world, found.metadata.uid ?? '');
    case 'delete':
      if (!mayBeDeleted(world)(found)) return;
      return editor.delete(services, key);
    case 'delete-resource':
      return editor.delete(resources, key);
    case 'empty-status': {
      const status = edit.only === 'members' ? { members: null } : null;
      return void (await editor.patchMerge(statusOf(resources), key, { status }));
    }
    case 'edit-spec':
      return void (await editor.patchMerge(resources, key, { spec: { subnet_id: 'by-hand', endpointSlices: [] } }));
    case 'lose':
      return lose(world, found.metadata.uid ?? '', edit.what);
  }
}

function servicePort({ protocol, port }: PortWish) {
  return { name: `${protocol.toLowerCase()}-${port}`, protocol, port, targetPort: 8_000 + port };
}

/** What only a predecessor holds would never go where it is left alone: the predecessor does not run any more. */
function mayBeDeleted({ settings }: World): (service: Service) => boolean {
  return ({ metadata }) => settings.predecessors === 'adopted' || !(metadata.name in PREDECESSORS);
}

interface Wished {
  readonly annotations: Readonly<Record<string, string>> | null;
  readonly spec: Partial<ServiceSpec>;
}

/** The load balancer of some Service, which another asks to share. */
function someBalancer({ emulator }: World): string {
  return fieldText(
    emulator
      .octaviaResources('loadbalancers')
      .find((one) => fieldText(one, 'name').startsWith(NAMESPACE) && fieldText(one, 'description') !== ''),
    'id',
  );
}

function wished(world: World, wish: Wish): Wished {
  const annotated = (annotations: Readonly<Record<string, string>>): Wished => ({ annotations, spec: {} });
  switch (wish) {
    case 'plain':
      return { annotations: null, spec: {} };
    case 'internal':
      return annotated({ 'service.beta.kubernetes.io/openstack-internal-load-balancer': 'true' });
    case 'keep-address':
      return annotated({ [`${PREFIX}/keep-floatingip`]: 'true' });
    case 'chosen-address':
      return { annotations: null, spec: { loadBalancerIP: world.chosenAddress } };
    case 'ovn':
      return annotated({ 'fairlead.dev/octavia-provider': 'ovn' });
    case 'affinity':
      return { annotations: null, spec: { sessionAffinity: 'ClientIP' } };
    case 'ranges':
      return { annotations: null, spec: { loadBalancerSourceRanges: ['198.51.100.0/24'] } };
    case 'monitor':
      return annotated({ [`${PREFIX}/enable-health-monitor`]: 'true' });
    case 'proxy':
      return annotated({ [`${PREFIX}/proxy-protocol`]: 'true' });
    case 'timeouts':
      return annotated({ [`${PREFIX}/timeout-client-data`]: '60000', [`${PREFIX}/connection-limit`]: '100' });
    case 'dual-stack':
      return { annotations: null, spec: { ipFamilyPolicy: 'PreferDualStack', ipFamilies: ['IPv4', 'IPv6'] } };
    case 'shared':
      return annotated({ [`${PREFIX}/load-balancer-id`]: someBalancer(world) });
    case 'unknown-annotation':
      return annotated({ [`${PREFIX}/speed`]: 'fast' });
    case 'unknown-flavor':
      return annotated({ [`${PREFIX}/flavor-id`]: 'no-such-flavor' });
    case 'contradiction':
      return annotated({ [`${PREFIX}/proxy-protocol`]: 'true', [`${PREFIX}/x-forwarded-for`]: 'true' });
  }
}

/** Something goes in OpenStack, as an operator or Octavia itself has it go. */
function lose(world: World, uid: string, what: Lost): void {
  const { settings, emulator, project } = world;
  if (!settings.isCompared) return;
  const isOfIt = (one: unknown) => JSON.stringify(one).includes(`fairlead-service=${uid}`);
  const [balancer] = emulator.octaviaResources('loadbalancers').filter(isOfIt);
  const byHand = (path: string, body?: { readonly members: readonly [] }) => {
    try {
      emulator.byHand({
        method: body === undefined ? 'DELETE' : 'PUT',
        path,
        project,
        ...(body === undefined ? {} : { body }),
      });
    } catch {
      // It is PENDING: whoever tried it has to try again.
    }
  };
  const first = (kind: 'listeners' | 'pools') => fieldText(emulator.octaviaResources(kind).find(isOfIt), 'id');
  switch (what) {
    case 'load-balancer':
      return byHand(`/lbaas/loadbalancers/${fieldText(balancer, 'id')}?cascade=true`);
    case 'listener':
      return byHand(`/lbaas/listeners/${first('listeners')}`);
    case 'pool':
      return byHand(`/lbaas/pools/${first('pools')}`);
    case 'members':
      return byHand(`/lbaas/pools/${first('pools')}/members`, { members: [] });
    case 'error':
      return fail(world, uid);
    case 'floating-ip': {
      const [floatingIp] = emulator.resources('floatingips').filter(isOfIt);
      return byHand(`/floatingips/${fieldText(floatingIp, 'id')}`);
    }
    case 'rule': {
      const [rule] = emulator
        .resources('security-group-rules')
        .filter((one) => fieldText(one, 'description').includes('fairlead-part=octavia'));
      return byHand(`/security-group-rules/${fieldText(rule, 'id')}`);
    }
  }
}

function fail({ emulator }: World, uid: string): void {
  const balancer = emulator
    .octaviaResources('loadbalancers')
    .find((one) => JSON.stringify(one).includes(`fairlead-service=${uid}`));
  if (balancer?.['provisioning_status'] !== 'ACTIVE') return;
  emulator.setProvisioningStatus('loadbalancers', fieldText(balancer, 'id'), 'ERROR');
}
