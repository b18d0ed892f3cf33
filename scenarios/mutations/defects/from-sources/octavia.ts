import type { Defect } from '../../defect.ts';

/** Thought of from the sources of `openstack/octavia` alone, before any of its tests was looked at. */
export const octaviaDefectsFromSources: readonly Defect[] = [
  {
    name: 'a member that a user switched off is switched on',
    file: 'packages/openstack/octavia/balancer/requests.ts',
    find: 'admin_state_up: member.admin_state_up,',
    replace: 'admin_state_up: true,',
    foundBy: { unit: 'packages/openstack/octavia/balancer' },
  },
  {
    name: 'a shared load balancer is handed over before what belongs to it',
    file: 'packages/openstack/octavia/balancer/removal.ts',
    find: `    // Last: by its mark, all that belongs to it is found.
    { kind: 'update-load-balancer', id, changes: { description, tags }, ...to },
  ];`,
    replace: `  ].toSpliced(branchSteps(owner, tree).length, 0, {
    kind: 'update-load-balancer',
    id,
    changes: { description, tags },
    ...to,
  });`,
    foundBy: { unit: 'packages/openstack/octavia/three-sharers.test.ts' },
  },
  {
    name: 'source ranges in another order are written again and again',
    file: 'packages/openstack/octavia/balancer/tree-steps.ts',
    find: 'jsonEqual(cidrs, allowed_cidrs.toSorted())',
    replace: 'jsonEqual(cidrs, allowed_cidrs)',
    foundBy: { unit: 'packages/openstack/octavia/balancer' },
  },
  {
    name: 'a floating IP of a user that is in the way is deleted',
    file: 'packages/openstack/octavia/balancer/network/floating-ips.ts',
    find: '...inTheWay.map((one) => (isOwn(one, owner) ? removal(one) : detaching(one))),',
    replace: '...inTheWay.map((one) => (isOwn(one, owner) || one.port_id === portId ? removal(one) : detaching(one))),',
    foundBy: { unit: 'packages/openstack/octavia/balancer' },
  },
  {
    name: 'the health of nodes behind a UDP port is asked by UDP',
    file: 'packages/openstack/octavia/drivers/security-groups.ts',
    find: "[['tcp', monitor_port] as const]",
    replace: '[[transport, monitor_port] as const]',
    foundBy: { unit: 'packages/openstack/octavia/drivers' },
  },
  {
    name: 'the status keeps a floating IP that is gone',
    file: 'packages/openstack/octavia/handlers/resource-status.ts',
    find: 'const gone = Object.fromEntries(Object.keys(before).map((name) => [name, null]));',
    replace:
      'const gone = Object.fromEntries(Object.keys(before).filter((name) => name in found).map((name) => [name, null]));',
    foundBy: { unit: 'packages/openstack/octavia/handlers' },
  },
  {
    name: 'strays are looked for on the load balancer that serves',
    file: 'packages/openstack/octavia/balancer/cloud.ts',
    find: 'if (id === exceptId || balancers.some((one) => one.id === id)) continue;',
    replace: 'if (balancers.some((one) => one.id === id)) continue;',
    foundBy: { unit: 'packages/openstack/octavia/behaviour.test.ts' },
  },
  {
    name: 'the port of the VIP that serves is taken for a stray',
    file: 'packages/openstack/octavia/balancer/cloud.ts',
    find: 'const vipPorts = left.vipPorts.filter(({ id }) => id !== serving.vip_port_id);',
    replace: 'const vipPorts = left.vipPorts.filter(({ id }) => id !== serving.id);',
    foundBy: { unit: 'packages/openstack/octavia/behaviour.test.ts' },
  },
];
