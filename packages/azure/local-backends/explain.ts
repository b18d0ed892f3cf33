import { messageOf } from '@fairlead/control';
import type { Explanation } from '@fairlead/part';
import type { Decision } from './decisions.ts';
import { callOf } from './intention.ts';
import type { ServiceKey } from './names.ts';
import { poolsOutOfStep, writesFor } from './part-plan.ts';
import { poolNameFor } from './service-parts.ts';
import { servedAddresses } from './service-status.ts';
import type { Survey } from './survey.ts';

type Serve = Extract<Decision, { kind: 'serve' }>;

/** Why a Service has the load balancer it has, or has none; undefined for a Service that is not there. */
export function explainService(key: ServiceKey, survey: Survey): Explanation | undefined {
  const decision = survey.decisions.get(key);
  if (decision === undefined) return undefined;
  const subject = `Service ${key}`;
  switch (decision.kind) {
    case 'foreign': {
      const answer = `${subject} is not served by azure-local: ${decision.claim.sentence}.`;
      return { answer, state: 'not-ours', wanted: [], there: [] };
    }
    case 'unreadable':
      return {
        answer: `${subject} stays as it is, because reading it failed: ${messageOf(decision.error)}`,
        state: 'stuck',
        wanted: [],
        there: shown(decision),
        waitsFor: 'a version of Fairlead that can read it: this is a defect worth reporting',
      };
    case 'release':
      return {
        answer: `${subject} is being let go: ${decision.claim.sentence}.`,
        state: 'working',
        wanted: ['nothing in Azure, and no finalizer of ours'],
        there: shown(decision),
        waitsFor: waitsFor(key, survey, 'the leader to let go of it'),
      };
    case 'refuse':
      return {
        answer: `${subject} is refused (${decision.code}): ${decision.message}.`,
        state: 'stuck',
        wanted: [`a load balancer, because ${decision.claim.sentence}`],
        there: shown(decision),
        waitsFor: REMEDIES[decision.code] ?? 'a change of the Service: what it asks for cannot be honoured',
      };
    case 'serve':
      return explainServed(key, subject, decision, survey);
  }
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
    there: [...shown(decision), ...backends(key, decision, survey)],
  };
  const outOfStep = poolsOutOfStep(key, decision, survey);
  if (writesFor(survey, key).length > 0 || addresses.length < decision.wanted.families.length) {
    const answer = `${subject} is to be reached through the load balancer ${decision.loadBalancer}, which is not all there yet.`;
    return { ...base, answer, state: 'working', waitsFor: waitsFor(key, survey, 'Azure to give it an address') };
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

function shown({ claim }: Decision): string[] {
  const ingress = claim.service.status?.loadBalancer?.ingress ?? [];
  if (ingress.length === 0) return ['no address in status.loadBalancer.ingress'];
  return ingress.map(({ ip, hostname }) => `${ip ?? hostname} in status.loadBalancer.ingress`);
}

function waitsFor(key: ServiceKey, survey: Survey, otherwise: string): string {
  const calls = writesFor(survey, key).map(callOf);
  return calls.length === 0 ? otherwise : `the leader to write: ${calls.join(', then ')}`;
}
