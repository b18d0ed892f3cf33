import type { IpFamily } from '@fairlead/control';
import { armName, type LoadBalancer, type NetworkSecurityGroup, type PublicIpAddress } from '../../arm/index.ts';
import type { ObservedAzure } from '../load-balancers/observed.ts';
import { nextWrites, type PlanningTable } from '../load-balancers/plan.ts';
import type { AzureWrite } from '../load-balancers/target.ts';

/** More rounds than any plan takes: an address, who may reach it, two writes of a load balancer, removals. */
export const MOST_ROUNDS = 12;

/** What Azure answered to a write, in place of what was observed before. */
export type WriteAnswer =
  | { readonly kind: 'public-ip'; readonly name: string; readonly body: PublicIpAddress | undefined }
  | { readonly kind: 'load-balancer'; readonly name: string; readonly body: LoadBalancer | undefined }
  | { readonly kind: 'security-group'; readonly body: NetworkSecurityGroup };

export function afterWrite(observed: ObservedAzure, answer: WriteAnswer): ObservedAzure {
  switch (answer.kind) {
    case 'public-ip':
      return { ...observed, publicIps: replaced(observed.publicIps, answer.name, answer.body) };
    case 'load-balancer':
      return { ...observed, loadBalancers: replaced(observed.loadBalancers, answer.name, answer.body) };
    case 'security-group':
      return { ...observed, securityGroup: answer.body };
  }
}

/** What a plan leads to. */
export interface Outlook {
  /** In order. */
  readonly writes: readonly AzureWrite[];
  readonly observed: ObservedAzure;
}

/** All writes that it takes from here, if Azure takes each of them; addresses that are not known yet are made up. */
export function outlook(table: PlanningTable): Outlook {
  const writes: AzureWrite[] = [];
  let { observed } = table;
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const next = nextWrites({ ...table, observed });
    if (next.length === 0) break;
    writes.push(...next);
    for (const write of next) observed = afterWrite(observed, imaginedAnswer(write));
  }
  return { writes, observed };
}

const MADE_UP: Readonly<Record<IpFamily, string>> = { IPv4: '192.0.2.1', IPv6: '2001:db8::1' };

/** What Azure would answer. */
export function imaginedAnswer(write: AzureWrite): WriteAnswer {
  const { id } = write;
  const name = armName(id);
  switch (write.kind) {
    case 'put-public-ip': {
      const { publicIPAddressVersion = 'IPv4', ipAddress = MADE_UP[publicIPAddressVersion] } = write.draft.properties;
      const properties = { ...write.draft.properties, ipAddress };
      return { kind: 'public-ip', name, body: { ...write.draft, id: write.id, name, properties } };
    }
    case 'delete-public-ip':
      return { kind: 'public-ip', name, body: undefined };
    case 'put-security-group':
      return { kind: 'security-group', body: { ...write.draft, id: write.id, name } };
    case 'put-load-balancer': {
      const { frontendIPConfigurations = [], ...others } = write.draft.properties;
      const properties = { ...others, frontendIPConfigurations: frontendIPConfigurations.map(withAddress) };
      return { kind: 'load-balancer', name, body: { ...write.draft, id: write.id, name, properties } };
    }
    case 'delete-load-balancer':
      return { kind: 'load-balancer', name, body: undefined };
  }
}

function withAddress<Part extends NonNullable<LoadBalancer['properties']['frontendIPConfigurations']>[number]>(
  frontend: Part,
): Part {
  const { subnet, privateIPAddress, privateIPAddressVersion = 'IPv4' } = frontend.properties;
  if (subnet === undefined || privateIPAddress !== undefined) return frontend;
  return { ...frontend, properties: { ...frontend.properties, privateIPAddress: MADE_UP[privateIPAddressVersion] } };
}

function replaced<Body>(
  bodies: ReadonlyMap<string, Body>,
  name: string,
  body: Body | undefined,
): ReadonlyMap<string, Body> {
  const changed = new Map(bodies);
  if (body === undefined) changed.delete(name.toLowerCase());
  else changed.set(name.toLowerCase(), body);
  return changed;
}
