import { keyText } from '@fairlead/kube';
import { resources } from './resources.ts';
import { CLASS, CLUSTER, fieldText, MEMBER_RANGE, VIP_RANGES } from './site.ts';
import type { World } from './world.ts';

/** Amphorae have an interface in the subnet of members; OVN leaves the addresses of clients as they are. */
const SOURCES: Readonly<Record<string, readonly string[]>> = {
  amphora: [...Object.values(VIP_RANGES), MEMBER_RANGE],
  ovn: ['0.0.0.0/0', '::/0'],
};

/**
 * What load balancers are to reach, and no rule lets them; or a rule that none of them needs. One that is refused keeps
 * what it has, and the rules for it.
 */
export function unreached({ emulator, objects }: World): string | undefined {
  const rules = emulator.resources('security-group-rules');
  const textOf = (rule: (typeof rules)[number]) =>
    `${fieldText(rule, 'remote_ip_prefix')} ${fieldText(rule, 'protocol')} ${Number(rule['port_range_min'])}`;
  const admitted = new Set(rules.map(textOf));
  const held = objects(resources).filter(({ metadata }) => metadata.finalizers?.includes(CLASS) === true);
  const needed = new Set<string>();
  for (const { metadata } of held) {
    for (const { text, isInError } of neededBy(metadata.ownerReferences?.[0]?.uid ?? '', emulator)) {
      needed.add(text);
      if (admitted.has(text) || isInError) continue;
      return `no rule lets the load balancer of ${keyText(metadata)} reach ${text}`;
    }
  }
  // Who leaves, and cannot yet, may keep more than it has.
  if (held.some(({ metadata }) => metadata.deletionTimestamp !== undefined)) return undefined;
  const isOurs = (rule: (typeof rules)[number]) =>
    fieldText(rule, 'description').includes(`fairlead-cluster=${CLUSTER}`);
  const unused = rules
    .filter(isOurs)
    .map(textOf)
    .find((text) => !needed.has(text));
  return unused === undefined ? undefined : `no load balancer needs the rule ${unused}`;
}

interface Need {
  readonly text: string;
  /** What is left on a load balancer in ERROR by one that moved on is reached by nobody. */
  readonly isInError: boolean;
}

/** From where its members are reached, by what, and at which ports. */
function neededBy(uid: string, emulator: World['emulator']): readonly Need[] {
  const members = emulator.octaviaResources('members').filter((one) => JSON.stringify(one['tags']).includes(uid));
  return members.flatMap((member) => {
    const pool = emulator.octaviaResources('pools').find(({ id }) => id === member['pool_id']);
    const balancer = emulator.octaviaResources('loadbalancers').find(({ id }) => id === pool?.['loadbalancer_id']);
    const isInError = fieldText(balancer, 'provisioning_status') === 'ERROR';
    const protocol = fieldText(pool, 'protocol') === 'UDP' ? 'udp' : 'tcp';
    const ranges = SOURCES[fieldText(balancer, 'provider')] ?? [];
    return ranges.map((range) => ({ text: `${range} ${protocol} ${Number(member['protocol_port'])}`, isInError }));
  });
}
