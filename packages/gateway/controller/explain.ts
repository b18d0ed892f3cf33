import { messageOf } from '@fairlead/control';
import type { Explanation } from '@fairlead/part';
import type { RefusalCode } from './allocation.ts';
import { l4PortText } from './l2-port.ts';
import type { Outcome } from './outcome.ts';
import type { GatewayStep } from './plan.ts';

/** Why a Service has the address it has, or has none. `steps` is what is still to be written. */
export function explainOutcome(subject: string, outcome: Outcome, steps: readonly GatewayStep[]): Explanation {
  switch (outcome.kind) {
    case 'foreign':
      return {
        answer: `${subject} is not served by the gateways: ${outcome.claim.sentence}.`,
        state: 'not-ours',
        wanted: [],
        there: [],
      };
    case 'unreadable':
      return {
        answer: `${subject} stays as it is, because reading it failed: ${messageOf(outcome.error)}`,
        state: 'stuck',
        wanted: [],
        there: there(outcome),
        waitsFor: 'a version of Fairlead that can read it: this is a defect worth reporting',
      };
    case 'release':
      return {
        answer: `${subject} is being let go: ${outcome.claim.sentence}.`,
        state: 'working',
        wanted: ['no address, and no finalizer of ours'],
        there: there(outcome),
        waitsFor: waitsFor(steps),
      };
    case 'refuse':
      return {
        answer: withDetail(`${subject} gets no address (${outcome.code}): ${outcome.message}`, outcome.detail),
        state: 'stuck',
        wanted: wanted(outcome),
        there: there(outcome),
        waitsFor: remedyOf(outcome.code),
      };
    case 'serve':
      return explainServed(subject, outcome, steps);
  }
}

/** What ends the wait of a Service that was refused, by the code of the refusal. */
const REMEDIES: Readonly<Record<RefusalCode, string>> = {
  'pool-empty': 'addresses: add some under parts.gateway.addresses',
  'family-missing': 'addresses of the missing family: add some under parts.gateway.addresses, or drop the family',
  'port-taken': 'a free port: another Service has to give one back, or the pool has to grow',
  'address-taken': 'the address: the Service that holds it has to give it back, or another has to be asked for',
  'address-unknown': 'the address: add it under parts.gateway.addresses, or ask for another',
};

function explainServed(
  subject: string,
  outcome: Extract<Outcome, { kind: 'serve' }>,
  steps: readonly GatewayStep[],
): Explanation {
  const addresses = outcome.l2Ports.map((l2Port) => l2Port.address).join(' and ');
  const base = { wanted: wanted(outcome), there: there(outcome) };
  const { shortfall } = outcome;
  if (shortfall !== undefined) {
    const answer = `${subject} has ${addresses}, but not as it asks (${shortfall.code}): ${shortfall.message}`;
    return {
      ...base,
      answer: withDetail(answer, shortfall.detail),
      state: 'stuck',
      waitsFor: REMEDIES[shortfall.code],
    };
  }
  if (steps.length > 0) {
    const answer = `${subject} is to have ${addresses}, which is not all written yet.`;
    return { ...base, answer, state: 'working', waitsFor: waitsFor(steps) };
  }
  return { ...base, answer: `${subject} has ${addresses}.`, state: 'as-wanted' };
}

function remedyOf(code: string): string {
  return (
    Object.entries(REMEDIES).find(([known]) => known === code)?.[1] ??
    'a change of the Service: what it asks for cannot be honoured'
  );
}

function withDetail(answer: string, detail: string | undefined): string {
  return detail === undefined ? answer : `${answer} ${detail}.`;
}

function wanted(outcome: Extract<Outcome, { kind: 'serve' | 'refuse' }>): string[] {
  const { spec } = outcome.claim.service;
  const ports = (spec.ports ?? []).map((port) => l4PortText({ protocol: port.protocol ?? 'TCP', port: port.port }));
  const families = (spec.ipFamilies ?? ['IPv4']).join(' and ');
  return [`an ${families} address with ${ports.join(', ')}, because ${outcome.claim.sentence}`];
}

function there(outcome: Exclude<Outcome, { kind: 'foreign' }>): string[] {
  const ingress = outcome.claim.service.status?.loadBalancer?.ingress ?? [];
  if (ingress.length === 0) return ['no address in status.loadBalancer.ingress'];
  return ingress.map((point) => `${point.ip ?? point.hostname} in status.loadBalancer.ingress`);
}

function waitsFor(steps: readonly GatewayStep[]): string {
  if (steps.length === 0) return 'nothing';
  return `the leader to write: ${steps.map((step) => step.name).join(', then ')}`;
}
