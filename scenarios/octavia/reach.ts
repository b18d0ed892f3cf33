import { keyText } from '@fairlead/kube';
import { type NamedPort, resources } from './resources.ts';
import { CLASS, fieldText, MEMBER_RANGE, VIP_RANGES } from './site.ts';
import type { World } from './world.ts';

/** Amphorae have an interface in the subnet of members; OVN leaves the addresses of clients as they are. */
const SOURCES: Readonly<Record<string, readonly string[]>> = {
  amphora: [...Object.values(VIP_RANGES), MEMBER_RANGE],
  ovn: ['0.0.0.0/0', '::/0'],
};

/** What load balancers are to reach, and no rule lets them. One that is refused keeps what it has, and the rules for it. */
export function unreached({ emulator, objects }: World): string | undefined {
  const admitted = new Set(
    emulator
      .resources('security-group-rules')
      .map(
        (rule) =>
          `${fieldText(rule, 'remote_ip_prefix')} ${fieldText(rule, 'protocol')} ${Number(rule['port_range_min'])}`,
      ),
  );
  for (const { metadata, spec, status } of objects(resources)) {
    if (metadata.finalizers?.includes(CLASS) !== true) continue;
    const balancer = emulator.octaviaResources('loadbalancers').find(({ id }) => id === status?.loadbalancer?.id);
    const ranges = SOURCES[fieldText(balancer, 'provider')] ?? [];
    const uid = metadata.ownerReferences?.[0]?.uid ?? '';
    const members = emulator.octaviaResources('members').filter((one) => JSON.stringify(one['tags']).includes(uid));
    const served = new Set(members.map((one) => Number(one['protocol_port'])));
    const isBalanced = (one: NamedPort) =>
      (spec?.ports ?? []).some(({ name, protocol }) => name === one.name && protocol === one.protocol);
    const behind = (spec?.endpointSlices ?? []).filter(({ endpoints }) => endpoints.length > 0);
    for (const { protocol, port } of behind.flatMap(({ ports }) => ports.filter(isBalanced))) {
      const isAdmitted = (range: string) => admitted.has(`${range} ${protocol.toLowerCase()} ${port}`);
      if (!served.has(port) || ranges.every(isAdmitted)) continue;
      return `no rules let the load balancer of ${keyText(metadata)} reach ${protocol} ${port}`;
    }
  }
  return undefined;
}
