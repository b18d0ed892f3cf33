import { FairleadError, type StepRecord } from '@fairlead/control';
import {
  type ArmClient,
  armName,
  type CallOptions,
  type LoadBalancer,
  type NetworkSecurityGroup,
  type PublicIpAddress,
} from '../../arm/index.ts';
import { type AzureSite, loadBalancerId } from '../site.ts';

/** What is in Azure, as far as it matters here. */
export interface ObservedAzure {
  /** Those that were looked for and are there, by name in lower case. */
  readonly loadBalancers: ReadonlyMap<string, LoadBalancer>;
  /** All of the resource group, ours or not, by name in lower case. */
  readonly publicIps: ReadonlyMap<string, PublicIpAddress>;
  /** Undefined where the configuration names none. */
  readonly securityGroup: NetworkSecurityGroup | undefined;
}

export interface ObserveOptions {
  readonly client: Pick<ArmClient, 'find' | 'list'>;
  readonly site: AzureSite;
  /** Load balancers to look for beside those of the configuration. */
  readonly alsoLoadBalancers: readonly string[];
  readonly signal: AbortSignal;
  readonly record?: StepRecord;
}

/** Reads it all, in as many calls as there are load balancers and two. Rejects when any of it cannot be read. */
export async function observe(options: ObserveOptions): Promise<ObservedAzure> {
  const { client, site, alsoLoadBalancers, signal, record } = options;
  const call: CallOptions = { signal, ...(record === undefined ? {} : { record }) };
  const named = [...site.loadBalancers.map(({ name }) => name), ...alsoLoadBalancers];
  const names = [...new Map(named.map((name) => [name.toLowerCase(), name])).values()];
  const [found, publicIps, securityGroup] = await Promise.all([
    Promise.all(names.map((name) => client.find(loadBalancerId(site, name), call))),
    client.list('publicIPAddresses', site.group, call),
    readSecurityGroup(client, site, call),
  ]);
  return {
    loadBalancers: byName(found.filter((body) => body !== undefined)),
    publicIps: byName(publicIps),
    securityGroup,
  };
}

async function readSecurityGroup(
  client: Pick<ArmClient, 'find'>,
  { securityGroupId }: AzureSite,
  call: CallOptions,
): Promise<NetworkSecurityGroup | undefined> {
  if (securityGroupId === undefined) return undefined;
  const group = await client.find(securityGroupId, call);
  if (group !== undefined) return group;
  const name = armName(securityGroupId);
  throw new FairleadError(
    `the security group ${name} of the cloud configuration is not there: create it, or correct securityGroupName`,
    { verdict: 'terminal', code: 'security-group-missing' },
  );
}

function byName<Resource extends { readonly name: string }>(resources: readonly Resource[]): Map<string, Resource> {
  return new Map(resources.map((resource) => [resource.name.toLowerCase(), resource]));
}
