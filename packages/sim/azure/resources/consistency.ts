import { textOf, valueAt } from '../../json.ts';
import { ROOT_KINDS, rootKey } from '../requests/target.ts';
import type { ArmWorld } from '../world.ts';
import { referencesIn } from './references.ts';

/** Everything that names something that is not there, or that two claim at once; empty in a sound world. */
export function inconsistencies(world: ArmWorld): readonly string[] {
  return [...danglingReferences(world), ...sharedAddresses(world), ...gatewayProblems(world)];
}

function danglingReferences(world: ArmWorld): readonly string[] {
  return ROOT_KINDS.flatMap((kind) =>
    world.store.ofKind(kind).flatMap(({ id, body }) =>
      referencesIn(id, body)
        .filter(({ to }) => world.store.find(to) === undefined)
        .map(({ from, to }) => `${from} refers to ${to}, which is not there`),
    ),
  );
}

function sharedAddresses(world: ArmWorld): readonly string[] {
  const owners = new Map<string, string>();
  const problems: string[] = [];
  for (const resource of world.store.ofKind('publicIPAddresses')) {
    const users = new Set(world.store.usersOf(resource.id).map(({ from }) => rootKey(from)));
    if (users.size > 1) problems.push(`${resource.id} is used by ${[...users].join(' and ')}`);
    const address = textOf(valueAt(world.render(resource), 'properties', 'ipAddress'));
    const other = owners.get(address);
    if (address !== '' && other !== undefined) problems.push(`${resource.id} and ${other} both are ${address}`);
    owners.set(address, resource.id);
  }
  return problems;
}

function gatewayProblems(world: ArmWorld): readonly string[] {
  return world.store.ofKind('serviceGateways').flatMap(({ id }) => {
    const { services, locations } = world.tables(id);
    const problems: string[] = [];
    for (const [location, addresses] of locations) {
      for (const [address, names] of addresses) {
        for (const name of names) {
          if (!services.has(name)) problems.push(`${address} at ${location} names service ${name}, which is not there`);
        }
      }
    }
    for (const { name, pools, natGatewayId } of services.values()) {
      const targets = [
        ...pools.map((pool) => textOf(pool['id'])),
        ...(natGatewayId === undefined ? [] : [natGatewayId]),
      ];
      for (const target of targets) {
        if (world.store.find(target) === undefined)
          problems.push(`service ${name} names ${target}, which is not there`);
      }
    }
    return problems;
  });
}
