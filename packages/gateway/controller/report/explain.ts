import { joinHostPort } from '@fairlead/control';
import type { Explanation } from '@fairlead/part';
import { explainUnserved, pendingWrites, type ServiceWrite, shownAddresses, shownIngress } from '@fairlead/service';
import { isPoolRefusal, type PoolRefusalCode } from '../addresses/allocation-request.ts';
import { l4PortText } from '../addresses/l2-port.ts';
import type { PoolServer } from '../backends/virtual-servers.ts';
import type { Outcome, ServedService, Shortfall } from '../outcome.ts';
import type { GatewayReport } from './gateways.ts';

/** What the gateways are to serve for a Service, and how they are. */
export interface ServingDetails {
  readonly servers: readonly PoolServer[];
  readonly gateways: readonly GatewayReport[];
  /** Whether a cloud makes the addresses of the pools. */
  readonly areAddressesMade?: boolean;
}

/** Why a Service has the address it has, or has none. `writes` is what is still to be written. */
export function explainOutcome(
  subject: string,
  outcome: Outcome,
  writes: readonly ServiceWrite[],
  details: ServingDetails = { servers: [], gateways: [] },
): Explanation {
  if (outcome.kind === 'serve') return explainServed(subject, outcome, writes, details);
  const waitsFor = outcome.kind === 'refuse' ? remedyOf(outcome.refusal, details) : pendingWrites(writes);
  const explanation = explainUnserved(outcome, {
    subject,
    servedBy: 'the gateways',
    ...(outcome.kind === 'refuse' ? { wanted: wanted(outcome) } : {}),
    ...(waitsFor === undefined ? {} : { waitsFor }),
  });
  return outcome.kind === 'refuse' ? withDetail(explanation, outcome.refusal.detail) : explanation;
}

/** Of a Service that the brake keeps as it is; `hold` is what the brake says. */
export function explainHeld(
  subject: string,
  outcome: Extract<Outcome, { kind: 'serve' | 'refuse' }>,
  hold: string,
  { servers, gateways }: ServingDetails,
): Explanation {
  const addresses = shownAddresses(outcome.claim.service).join(' and ');
  const decided =
    outcome.kind === 'serve'
      ? `${outcome.l2Ports.map(({ ingress }) => ingress).join(' and ')} instead of ${addresses}`
      : `no address (${outcome.refusal.code}): ${outcome.refusal.message}`;
  return {
    answer: `${subject} still has ${addresses}: the brake holds back that it loses that.`,
    state: 'working',
    wanted: [...wanted(outcome), decided],
    there: [...shownIngress(outcome.claim.service), ...gatewayTexts(gateways, servers)],
    waitsFor: hold,
  };
}

/** What ends the wait of a Service that was refused, by the code of the refusal. */
const REMEDIES: Readonly<Record<PoolRefusalCode, string>> = {
  'pool-empty': 'addresses: add some to its pool (parts.gateway, under addresses, pools or poolsFile)',
  'family-missing': 'addresses of the missing family: add some to its pool (parts.gateway), or drop the family',
  'port-taken': 'a free port: another Service has to give one back, or the pool has to grow',
  'address-taken': 'the address: the Service that holds it has to give it back, or another has to be asked for',
  'namespace-limit': 'its namespace to give something back, or parts.gateway.namespaceLimits to be raised',
  'address-unknown': 'the address: add it to its pool (parts.gateway), or ask for another',
};

function explainServed(
  subject: string,
  outcome: ServedService,
  writes: readonly ServiceWrite[],
  details: ServingDetails,
): Explanation {
  const { servers, gateways } = details;
  const addresses = outcome.l2Ports.map(({ ingress }) => ingress).join(' and ');
  const concerned = concernedGateways(gateways, servers);
  const base = {
    wanted: [...wanted(outcome), ...servers.map(serverText)],
    there: [...shownIngress(outcome.claim.service), ...gatewayTexts(gateways, servers)],
  };
  const { shortfall } = outcome;
  if (shortfall !== undefined) {
    const answer = `${subject} has ${addresses}, but not as it asks (${shortfall.code}): ${shortfall.message}.`;
    const waitsFor = remedyOf(shortfall, details) ?? 'a change of the Service: what it asks for cannot be honoured';
    return withDetail({ ...base, answer, state: 'stuck', waitsFor }, shortfall.detail);
  }
  const waitsFor = pendingWrites(writes);
  const behind = concerned.filter(({ isInStep }) => !isInStep).map(({ gateway }) => gateway.name);
  if (waitsFor === undefined && behind.length > 0) {
    const answer = `${subject} has ${addresses}, and not every gateway is in step.`;
    return {
      ...base,
      answer,
      state: 'working',
      waitsFor: `the gateways ${behind.join(', ')} to take their configuration`,
    };
  }
  if (waitsFor === undefined) return { ...base, answer: `${subject} has ${addresses}.`, state: 'as-wanted' };
  const answer = `${subject} is to have ${addresses}, which is not all written yet.`;
  return { ...base, answer, state: 'working', waitsFor };
}

function remedyOf({ code, wouldHelp }: Shortfall, { areAddressesMade }: ServingDetails): string | undefined {
  if (areAddressesMade && wouldHelp !== undefined) {
    return 'an address that the cloud makes: the condition Programmed says what keeps it from that';
  }
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

const MOST_BACKENDS_TOLD = 8;

function serverText({ server }: PoolServer): string {
  const { address, backends, sourceRanges, affinitySeconds } = server;
  const told = backends.slice(0, MOST_BACKENDS_TOLD).map((backend) => joinHostPort(backend.address, backend.port));
  const more = backends.length > told.length ? [`${backends.length - told.length} more`] : [];
  const to = backends.length === 0 ? 'refused, as it has no endpoints' : `to ${[...told, ...more].join(', ')}`;
  const from = sourceRanges === undefined ? '' : ` from ${sourceRanges.join(', ') || 'nowhere'}`;
  const sticky = affinitySeconds === undefined ? '' : `, a client staying with its backend for ${affinitySeconds} s`;
  return `${l4PortText(server)} on ${address}${from} ${to}${sticky}`;
}

function concernedGateways(
  gateways: readonly GatewayReport[],
  servers: readonly PoolServer[],
): readonly GatewayReport[] {
  return gateways.filter(({ pools }) => servers.some(({ pool }) => pools.has(pool)));
}

function gatewayTexts(gateways: readonly GatewayReport[], servers: readonly PoolServer[]): readonly string[] {
  return concernedGateways(gateways, servers).map((report) => gatewayText(report, servers));
}

function gatewayText({ gateway, status, failure, isInStep }: GatewayReport, servers: readonly PoolServer[]): string {
  if (failure !== undefined) return `the gateway ${gateway.name} cannot be asked: ${failure}`;
  const held = new Set(status?.heldAddresses);
  const its = [...new Set(servers.map(({ server }) => server.address))].filter((address) => held.has(address));
  const state = isInStep ? 'has what it should' : 'has something else than it should';
  const problem =
    status?.programmed === false ? `, but does not serve it: ${status.problem ?? 'for no known reason'}` : '';
  return `the gateway ${gateway.name} ${state}${its.length > 0 ? ` and holds ${its.join(' and ')}` : ''}${problem}`;
}
