import type { IpFamily } from '@fairlead/control';
import { armName, type Frontend, type PublicIpAddress } from '../../arm/index.ts';
import { MAX_ROUNDS, type WriteAnswer, withAnswer } from '../load-balancers/apply.ts';
import type { ObservedAzure } from '../load-balancers/observed.ts';
import { type AzureWrite, nextWrites, obstacleTo, type PlanInput } from '../load-balancers/plan.ts';

/** What a plan leads to. */
export interface DryRun {
  /** In order. */
  readonly writes: readonly AzureWrite[];
  readonly observed: ObservedAzure;
}

/** All writes that it takes from here, if Azure takes each of them; addresses that it would give are made up. */
export function dryRun(input: PlanInput): DryRun {
  const writes: AzureWrite[] = [];
  let { observed } = input;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const seen = observed;
    const targets = input.targets.filter((target) => obstacleTo(input.site, seen, target) === undefined);
    const next = nextWrites({ ...input, targets, observed });
    if (next.length === 0) break;
    writes.push(...next);
    for (const write of next) observed = withAnswer(observed, imaginedAnswer(write));
  }
  return { writes, observed };
}

/** The same, a moment later: Azure has given every address that it owes. */
export function withAllAddresses(observed: ObservedAzure): ObservedAzure {
  const publicIps = [...observed.publicIps].map(([name, body]) => [name, withPublicAddress(body)] as const);
  const loadBalancers = [...observed.loadBalancers].map(([name, body]) => {
    const { frontendIPConfigurations = [] } = body.properties;
    const properties = { ...body.properties, frontendIPConfigurations: frontendIPConfigurations.map(withAddress) };
    return [name, { ...body, properties }] as const;
  });
  return { ...observed, publicIps: new Map(publicIps), loadBalancers: new Map(loadBalancers) };
}

const MADE_UP: Readonly<Record<IpFamily, string>> = { IPv4: '192.0.2.1', IPv6: '2001:db8::1' };

/** What Azure would answer. */
export function imaginedAnswer(write: AzureWrite): WriteAnswer {
  const name = armName(write.id);
  switch (write.kind) {
    case 'put-public-ip':
      return { kind: 'public-ip', name, body: withPublicAddress({ ...write.body, id: write.id, name }) };
    case 'delete-public-ip':
      return { kind: 'public-ip', name, body: undefined };
    case 'put-security-group':
      return { kind: 'security-group', body: { ...write.body, id: write.id, name } };
    case 'put-load-balancer': {
      const { frontendIPConfigurations = [], ...others } = write.body.properties;
      const properties = { ...others, frontendIPConfigurations: frontendIPConfigurations.map(withAddress) };
      return { kind: 'load-balancer', name, body: { ...write.body, id: write.id, name, properties } };
    }
    case 'delete-load-balancer':
      return { kind: 'load-balancer', name, body: undefined };
  }
}

function withPublicAddress(body: PublicIpAddress): PublicIpAddress {
  const { publicIPAddressVersion = 'IPv4', ipAddress = MADE_UP[publicIPAddressVersion] } = body.properties;
  return { ...body, properties: { ...body.properties, ipAddress } };
}

function withAddress(frontend: Frontend): Frontend {
  const { subnet, privateIPAddress, privateIPAddressVersion = 'IPv4' } = frontend.properties;
  if (subnet === undefined || privateIPAddress !== undefined) return frontend;
  return { ...frontend, properties: { ...frontend.properties, privateIPAddress: MADE_UP[privateIPAddressVersion] } };
}
