import type { Explanation } from '@fairlead/part';
import { explainUnserved, type ServiceKey, shownIngress } from '@fairlead/service';
import { poolNameFor } from '../load-balancers/child-resources.ts';
import type { Decision } from '../load-balancers/outcome.ts';
import { servedAddresses } from '../load-balancers/service-writes.ts';
import { callOf } from '../load-balancers/target.ts';
import { poolsOutOfStep, writesFor } from './part-plan.ts';
import type { Survey } from './snapshot.ts';

type Serve = Extract<Decision, { kind: 'serve' }>;

/** Why a Service has the load balancer it has, or has none; undefined for a Service that is not there. */
export function explainService(key: ServiceKey, survey: Survey): Explanation | undefined {
  const decision = survey.decisions.get(key);
  if (decision === undefined) return undefined;
  const subject = `Service ${key}`;
  if (decision.kind === 'serve') return explainServed(key, subject, decision, survey);
  const remedy = decision.kind === 'refuse' ? REMEDIES[decision.refusal.code] : pendingCalls(key, survey);
  return explainUnserved(decision, {
    subject,
    servedBy: 'azure-local',
    ...(remedy === undefined ? {} : { waitsFor: remedy }),
  });
}

/** What ends the wait of a Service that was refused, by the code of the refusal. */
const REMEDIES: Readonly<Record<string, string>> = {
  'no-load-balancer': 'a load balancer: add one under parts.azure-local.loadBalancers',
  'cluster-traffic-unsupported': 'externalTrafficPolicy: Local on the Service',
  'source-ranges-unsupported': 'a security group: name one by securityGroupName in the cloud configuration',
};

function explainServed(key: ServiceKey, subject: string, decision: Serve, survey: Survey): Explanation {
  const { index, intentions } = survey;
  const intention = intentions.get(key);
  const addresses = intention?.kind === 'present' ? servedAddresses(decision.wanted, index.addressesOf(intention)) : [];
  const base = {
    wanted: wanted(key, decision, survey),
    there: [...shownIngress(decision.claim.service), ...backends(key, decision, survey)],
  };
  const outOfStep = poolsOutOfStep(key, decision, survey);
  if (writesFor(survey, key).length > 0 || addresses.length < decision.wanted.families.length) {
    const answer = `${subject} is to be reached through the load balancer ${decision.loadBalancer}, which is not all there yet.`;
    return { ...base, answer, state: 'working', waitsFor: pendingCalls(key, survey) ?? 'Azure to give it an address' };
  }
  if (outOfStep.length > 0) {
    const answer = `${subject} is reachable at ${addresses.join(' and ')}, but its backend pool does not have all nodes that serve it.`;
    return { ...base, answer, state: 'working', waitsFor: `the updater to write ${outOfStep.join(', ')}` };
  }
  if (decision.claim.service.status?.loadBalancer?.ingress === undefined) {
    const answer = `${subject} is to be told that it is reachable at ${addresses.join(' and ')}.`;
    return { ...base, answer, state: 'working', waitsFor: 'the leader to write its status' };
  }
  return { ...base, answer: `${subject} is reachable at ${addresses.join(' and ')}.`, state: 'as-wanted' };
}

function wanted(key: ServiceKey, { wanted: wish, loadBalancer, claim }: Serve, survey: Survey): string[] {
  const ports = wish.ports.map(({ protocol, port }) => `${protocol}/${port}`).join(', ');
  return [
    `${wish.scope} ${wish.families.join(' and ')} with ${ports} on ${loadBalancer}, because ${claim.sentence}`,
    ...wish.families.map((family) => `${family} to ${listed(survey.backends.addresses(key, family))}`),
  ];
}

function backends(_key: ServiceKey, { wanted: wish, loadBalancer }: Serve, { site, observed }: Survey): string[] {
  const pools = observed.loadBalancers.get(loadBalancer.toLowerCase())?.properties.backendAddressPools ?? [];
  return wish.families.map((family) => {
    const name = poolNameFor(site, wish, family);
    const pool = pools.find((candidate) => candidate.name.toLowerCase() === name.toLowerCase());
    if (pool === undefined) return `no backend pool ${name}`;
    const entries = pool.properties.loadBalancerBackendAddresses ?? [];
    return `the backend pool ${name} with ${listed(entries.map(({ properties }) => properties.ipAddress ?? '?'))}`;
  });
}

function listed(addresses: readonly string[]): string {
  return addresses.length === 0 ? 'no node' : addresses.join(', ');
}

function pendingCalls(key: ServiceKey, survey: Survey): string | undefined {
  const calls = writesFor(survey, key).map(callOf);
  return calls.length === 0 ? undefined : `the leader to write: ${calls.join(', then ')}`;
}
