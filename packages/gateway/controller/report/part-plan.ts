import type { Clock, Hold } from '@fairlead/control';
import type { PartPlan, PartStatus } from '@fairlead/part';
import { countServices, problemsOf, type ReportedService, type ServiceKey, serviceChanges } from '@fairlead/service';
import { L2_PORTS_ANNOTATION } from '../annotations.ts';
import { progressWithoutAgents, writesFor } from '../plan.ts';
import type { Snapshot } from '../snapshot.ts';
import type { GatewayReport } from './gateways.ts';

/** What a leader that started now would write, Service by Service. */
export function partPlan(snapshot: Snapshot, clock: Pick<Clock, 'now'>): PartPlan {
  return { changes: serviceChanges(reported(snapshot, clock)) };
}

export function partStatus(
  snapshot: Snapshot,
  gateways: readonly GatewayReport[],
  clock: Pick<Clock, 'now'>,
  hold: Hold<ServiceKey> | undefined,
): PartStatus {
  const held = new Set(hold?.held);
  const decided = [...reported(snapshot, clock)].filter(([key]) => !held.has(key));
  const { served, refused, working, unreadable } = countServices(decided.map(([, service]) => service));
  const lacking = [...snapshot.outcomes].filter(
    ([key, one]) => !held.has(key) && one.kind === 'serve' && one.shortfall !== undefined,
  );
  const behind = gateways.filter(({ isInStep }) => !isInStep);
  const isWell = lacking.length + refused + working + unreadable + held.size === 0;
  const said = isWell ? 'every Service has what it asks for' : 'not every Service has what it asks for';
  const names = behind.map(({ gateway }) => gateway.name).join(', ');
  const unasked = gateways.flatMap(({ gateway, failure }) =>
    failure === undefined ? [] : [`the gateway ${gateway.name} cannot be asked: ${failure}`],
  );
  const problems = [...(hold === undefined ? [] : [hold.message]), ...unasked, ...problemsOf({ unreadable })];
  return {
    ...(problems.length === 0 ? {} : { problems }),
    summary: behind.length === 0 ? said : `${said}; not in step: ${names}`,
    figures: {
      'Services served': served - lacking.length + held.size,
      ...(held.size === 0 ? {} : { 'Services that only the brake keeps served': held.size }),
      'Services served in part': lacking.length,
      'Services without an address': refused,
      'Services with writes to come': working,
      'Services that cannot be read': unreadable,
      ...(gateways.length === 0
        ? {}
        : { 'Gateways in step': gateways.length - behind.length, Gateways: gateways.length }),
    },
  };
}

function reported({ outcomes, pools }: Snapshot, clock: Pick<Clock, 'now'>): ReadonlyMap<ServiceKey, ReportedService> {
  const entries = [...outcomes].map(([key, outcome]) => {
    const addresses = outcome.kind === 'serve' ? outcome.l2Ports.map(({ ingress }) => ingress) : [];
    const { annotations = {} } = outcome.claim.service.metadata;
    const isThere = L2_PORTS_ANNOTATION in annotations;
    const writes = writesFor(outcome, clock, progressWithoutAgents(outcome, pools)).length;
    return [key, { reading: outcome, writes, detail: `gets ${addresses.join(' and ')}`, isThere, addresses }] as const;
  });
  return new Map(entries);
}
