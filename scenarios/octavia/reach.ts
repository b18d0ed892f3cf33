import { keyText } from '@fairlead/kube';
import { isLeftBehind } from './in-error.ts';
import { type LoadBalancerResource, resources } from './resources.ts';
import { CLASS, CLUSTER, fieldText, MEMBER_RANGE, VIP_RANGES } from './site.ts';
import type { World } from './world.ts';

/** Amphorae have an interface in the subnet of members; OVN leaves the addresses of clients as they are. */
const SOURCES: Readonly<Record<string, readonly string[]>> = {
  amphora: [...Object.values(VIP_RANGES), MEMBER_RANGE],
  ovn: ['0.0.0.0/0', '::/0'],
};

/**
 * What load balancers are to reach, and no rule lets them; or a rule that none of them needs. One that is refused, or held
 * by a load balancer in ERROR that it leaves, keeps what it has, and the rules for that alone.
 */
export function unreached({ emulator, objects }: World): string | undefined {
  const rules = emulator.resources('security-group-rules');
  const textOf = (rule: (typeof rules)[number]) =>
    `${fieldText(rule, 'remote_ip_prefix')} ${fieldText(rule, 'protocol')} ${Number(rule['port_range_min'])}`;
  const admitted = new Set(rules.map(textOf));
  const needed = new Set<string>();
  for (const resource of objects(resources)) {
    const { metadata } = resource;
    if (metadata.finalizers?.includes(CLASS) !== true) continue;
    for (const text of neededBy(resource, emulator)) {
      if (!admitted.has(text)) return `no rule lets the load balancer of ${keyText(metadata)} reach ${text}`;
      needed.add(text);
    }
  }
  const isOurs = (rule: (typeof rules)[number]) =>
    fieldText(rule, 'description').includes(`fairlead-cluster=${CLUSTER}`);
  const unused = rules
    .filter(isOurs)
    .map(textOf)
    .find((text) => !needed.has(text));
  return unused === undefined ? undefined : `no load balancer needs the rule ${unused}`;
}

/** From where its members are reached, by what, and at which ports. */
function neededBy(resource: LoadBalancerResource, emulator: World['emulator']): readonly string[] {
  const uid = resource.metadata.ownerReferences?.[0]?.uid ?? '';
  const members = emulator.octaviaResources('members').filter((one) => JSON.stringify(one['tags']).includes(uid));
  return members.flatMap((member) => {
    const pool = emulator.octaviaResources('pools').find(({ id }) => id === member['pool_id']);
    const balancer = emulator.octaviaResources('loadbalancers').find(({ id }) => id === pool?.['loadbalancer_id']);
    if (isLeftBehind(resource, balancer)) return [];
    const protocol = fieldText(pool, 'protocol') === 'UDP' ? 'udp' : 'tcp';
    const ranges = SOURCES[fieldText(balancer, 'provider')] ?? [];
    return ranges.map((range) => `${range} ${protocol} ${Number(member['protocol_port'])}`);
  });
}
