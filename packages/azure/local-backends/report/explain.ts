import type { Explanation } from '@fairlead/part';
import { explainUnserved, pendingWrites, type ServiceKey, shownIngress } from '@fairlead/service';
import { localServiceInfo } from '../load-balancers/request-bodies/child-resources.ts';
import type { ServedService } from '../load-balancers/outcome.ts';
import { PART_NAME } from '../names.ts';
import { azureWritesFor, pendingFor, type Snapshot, stalePools } from './snapshot.ts';

/** What ends the wait of a Service that was refused, by the code of the refusal. */
const REMEDIES: Readonly<Record<string, string>> = {
  'no-load-balancer': 'a load balancer: add one under parts.azure-local.loadBalancers',
  'cluster-traffic-unsupported': 'externalTrafficPolicy: Local on the Service',
  'source-ranges-unsupported': 'a security group: name one by securityGroupName in the cloud configuration',
};

/** Why a Service has the load balancer it has, or has none; undefined for a Service that is not there. */
export function explainService(key: ServiceKey, snapshot: Snapshot): Explanation | undefined {
  const outcome = snapshot.outcomes.get(key);
  if (outcome === undefined) return undefined;
  const subject = `Service ${key}`;
  const pending = pendingWrites(pendingFor(snapshot, key));
  if (outcome.kind === 'serve') return explainServed(key, subject, outcome, pending, snapshot);
  const waitsFor = outcome.kind === 'refuse' ? REMEDIES[outcome.refusal.code] : pending;
  return explainUnserved(outcome, { subject, servedBy: PART_NAME, ...(waitsFor === undefined ? {} : { waitsFor }) });
}

function explainServed(
  key: ServiceKey,
  subject: string,
  { claim, target }: ServedService,
  pending: string | undefined,
  snapshot: Snapshot,
): Explanation {
  const { site, backends, index } = snapshot;
  const { wanted, loadBalancer } = target;
  const { pools } = localServiceInfo(site, target);
  const ports = wanted.ports.map(({ protocol, port }) => `${protocol}/${port}`).join(', ');
  const base = {
    wanted: [
      `${wanted.scope} ${wanted.families.join(' and ')} with ${ports} on ${loadBalancer}, because ${claim.sentence}`,
      ...pools.map(({ family }) => `${family} to ${listed(backends.addresses(key, family))}`),
      ...withoutRoom(backends.nodesWithoutRoom(key)),
    ],
    there: [...shownIngress(claim.service), ...pools.map(({ name }) => poolThere(loadBalancer, name, snapshot))],
  };
  if (azureWritesFor(snapshot, key).length > 0 || !index.knowsAllAddressesOf(target)) {
    const answer = `${subject} is to be reached through the load balancer ${loadBalancer}, which is not all there yet.`;
    return { ...base, answer, state: 'working', waitsFor: pending ?? 'Azure to give it an address' };
  }
  const reachable = `reachable at ${index.addressesOf(target).join(' and ')}`;
  const stale = stalePools(snapshot, target);
  if (stale.length > 0) {
    const answer = `${subject} is ${reachable}, but its backend pool does not have all nodes that serve it.`;
    return { ...base, answer, state: 'working', waitsFor: `the updater to write ${stale.join(', ')}` };
  }
  if (pending === undefined) return { ...base, answer: `${subject} is ${reachable}.`, state: 'as-wanted' };
  return { ...base, answer: `${subject} is to be told that it is ${reachable}.`, state: 'working', waitsFor: pending };
}

function poolThere(loadBalancer: string, name: string, { observed }: Snapshot): string {
  const pools = observed.loadBalancers.get(loadBalancer.toLowerCase())?.properties.backendAddressPools ?? [];
  const pool = pools.find((candidate) => candidate.name.toLowerCase() === name.toLowerCase());
  if (pool === undefined) return `no backend pool ${name}`;
  const entries = pool.properties.loadBalancerBackendAddresses ?? [];
  return `the backend pool ${name} with ${listed(entries.map(({ properties }) => properties.ipAddress ?? '?'))}`;
}

function withoutRoom(nodes: readonly string[]): readonly string[] {
  return nodes.length === 0 ? [] : [`not to ${nodes.join(', ')}, where there is no room for its rules`];
}

function listed(addresses: readonly string[]): string {
  return addresses.length === 0 ? 'no node' : addresses.join(', ');
}
