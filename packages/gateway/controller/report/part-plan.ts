import type { Clock } from '@fairlead/control';
import type { PartPlan, PartStatus } from '@fairlead/part';
import { countServices, type ReportedService, type ServiceKey, serviceChanges } from '@fairlead/service';
import { L2_PORTS_ANNOTATION } from '../desired.ts';
import { writesFor } from '../plan.ts';
import type { Snapshot } from '../snapshot.ts';

/** What a leader that started now would write, Service by Service. */
export function partPlan(snapshot: Snapshot, clock: Pick<Clock, 'now'>): PartPlan {
  return { changes: serviceChanges(reported(snapshot, clock)) };
}

export function partStatus(snapshot: Snapshot, clock: Pick<Clock, 'now'>): PartStatus {
  const { served, refused, working, unreadable } = countServices(reported(snapshot, clock).values());
  const lacking = [...snapshot.outcomes.values()].filter((one) => one.kind === 'serve' && one.shortfall !== undefined);
  const isWell = lacking.length + refused + working + unreadable === 0;
  return {
    summary: isWell ? 'every Service has what it asks for' : 'not every Service has what it asks for',
    figures: {
      'Services served': served - lacking.length,
      'Services served in part': lacking.length,
      'Services without an address': refused,
      'Services with writes to come': working,
      'Services that cannot be read': unreadable,
    },
  };
}

function reported({ outcomes }: Snapshot, clock: Pick<Clock, 'now'>): ReadonlyMap<ServiceKey, ReportedService> {
  const entries = [...outcomes].map(([key, outcome]) => {
    const addresses = outcome.kind === 'serve' ? outcome.l2Ports.map(({ address }) => address) : [];
    const { annotations = {} } = outcome.claim.service.metadata;
    const isThere = L2_PORTS_ANNOTATION in annotations;
    const writes = writesFor(outcome, clock).length;
    return [key, { reading: outcome, writes, detail: `gets ${addresses.join(' and ')}`, isThere }] as const;
  });
  return new Map(entries);
}
