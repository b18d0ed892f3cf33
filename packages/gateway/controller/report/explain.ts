import type { Explanation } from '@fairlead/part';
import { explainUnserved, pendingWrites, type ServiceWrite, shownIngress } from '@fairlead/service';
import type { PoolRefusalCode } from '../addresses/allocation.ts';
import { isPoolRefusal } from '../addresses/allocation.ts';
import { l4PortText } from '../addresses/l2-port.ts';
import type { Outcome, ServedService } from '../outcome.ts';

/** Why a Service has the address it has, or has none. `writes` is what is still to be written. */
export function explainOutcome(subject: string, outcome: Outcome, writes: readonly ServiceWrite[]): Explanation {
  if (outcome.kind === 'serve') return explainServed(subject, outcome, writes);
  const waitsFor = outcome.kind === 'refuse' ? remedyOf(outcome.refusal.code) : pendingWrites(writes);
  const explanation = explainUnserved(outcome, {
    subject,
    servedBy: 'the gateways',
    ...(outcome.kind === 'refuse' ? { wanted: wanted(outcome) } : {}),
    ...(waitsFor === undefined ? {} : { waitsFor }),
  });
  return outcome.kind === 'refuse' ? withDetail(explanation, outcome.refusal.detail) : explanation;
}

/** What ends the wait of a Service that was refused, by the code of the refusal. */
const REMEDIES: Readonly<Record<PoolRefusalCode, string>> = {
  'pool-empty': 'addresses: add some under parts.gateway.addresses',
  'family-missing': 'addresses of the missing family: add some under parts.gateway.addresses, or drop the family',
  'port-taken': 'a free port: another Service has to give one back, or the pool has to grow',
  'address-taken': 'the address: the Service that holds it has to give it back, or another has to be asked for',
  'namespace-limit': 'its namespace to give something back, or parts.gateway.namespaceLimits to be raised',
  'address-unknown': 'the address: add it under parts.gateway.addresses, or ask for another',
};

function explainServed(subject: string, outcome: ServedService, writes: readonly ServiceWrite[]): Explanation {
  const addresses = outcome.l2Ports.map((l2Port) => l2Port.address).join(' and ');
  const base = { wanted: wanted(outcome), there: shownIngress(outcome.claim.service) };
  const { shortfall } = outcome;
  if (shortfall !== undefined) {
    const answer = `${subject} has ${addresses}, but not as it asks (${shortfall.code}): ${shortfall.message}.`;
    return withDetail({ ...base, answer, state: 'stuck', waitsFor: REMEDIES[shortfall.code] }, shortfall.detail);
  }
  const waitsFor = pendingWrites(writes);
  if (waitsFor === undefined) return { ...base, answer: `${subject} has ${addresses}.`, state: 'as-wanted' };
  const answer = `${subject} is to have ${addresses}, which is not all written yet.`;
  return { ...base, answer, state: 'working', waitsFor };
}

function remedyOf(code: string): string | undefined {
  return isPoolRefusal(code) ? REMEDIES[code] : undefined;
}

function withDetail(explanation: Explanation, detail: string | undefined): Explanation {
  return detail === undefined ? explanation : { ...explanation, answer: `${explanation.answer} ${detail}.` };
}

function wanted({ claim }: Pick<ServedService, 'claim'>): readonly string[] {
  const { spec } = claim.service;
  const ports = (spec.ports ?? []).map((port) => l4PortText({ protocol: port.protocol ?? 'TCP', port: port.port }));
  const families = (spec.ipFamilies ?? ['IPv4']).join(' and ');
  return [`an ${families} address with ${ports.join(', ')}, because ${claim.sentence}`];
}
