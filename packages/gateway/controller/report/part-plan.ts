import type { Clock } from '@fairlead/control';
import type { PartPlan, PartStatus, PlannedChange } from '@fairlead/part';
import type { ServiceKey, ServiceWrite } from '@fairlead/service';
import { L2_PORTS_ANNOTATION } from '../desired.ts';
import type { Outcome, ServedService } from '../outcome.ts';
import { writesFor } from '../plan.ts';
import type { Snapshot } from '../snapshot.ts';

/** What a leader that started now would write, Service by Service. */
export function partPlan({ outcomes }: Snapshot, clock: Pick<Clock, 'now'>): PartPlan {
  return { changes: [...outcomes].flatMap(([key, outcome]) => plannedChange(key, outcome, clock) ?? []) };
}

function plannedChange(key: ServiceKey, outcome: Outcome, clock: Pick<Clock, 'now'>): PlannedChange | undefined {
  const writes = writesFor(outcome, clock);
  const change = { subject: `Service ${key}`, writes: writes.length };
  switch (outcome.kind) {
    case 'foreign':
    case 'unreadable':
      return undefined;
    case 'serve': {
      const addresses = outcome.l2Ports.map((l2Port) => l2Port.address).join(' and ');
      return { ...change, action: servingAction(outcome, writes), detail: `gets ${addresses}` };
    }
    case 'refuse':
      return { ...change, action: 'refuse', detail: `${outcome.refusal.code}: ${outcome.refusal.message}` };
    case 'release':
      return { ...change, action: 'delete', detail: `gives back its addresses: ${outcome.claim.sentence}` };
  }
}

function servingAction({ claim }: ServedService, writes: readonly ServiceWrite[]): 'adopt' | 'create' | 'update' {
  if (writes.length === 0) return 'adopt';
  return claim.service.metadata.annotations?.[L2_PORTS_ANNOTATION] === undefined ? 'create' : 'update';
}

/** What is so now, not what is to be: a Service counts as served when nothing is left to be written. */
export function partStatus({ outcomes }: Snapshot, clock: Pick<Clock, 'now'>): PartStatus {
  const counts = { served: 0, lacking: 0, refused: 0, working: 0 };
  for (const outcome of outcomes.values()) {
    if (outcome.kind === 'foreign' || outcome.kind === 'unreadable') continue;
    if (outcome.kind === 'release' || writesFor(outcome, clock).length > 0) counts.working += 1;
    else if (outcome.kind === 'refuse') counts.refused += 1;
    else if (outcome.shortfall !== undefined) counts.lacking += 1;
    else counts.served += 1;
  }
  const { served, lacking, refused, working } = counts;
  const isWell = lacking + refused + working === 0;
  return {
    summary: isWell ? 'every Service has what it asks for' : 'not every Service has what it asks for',
    figures: {
      'Services served': served,
      'Services served in part': lacking,
      'Services without an address': refused,
      'Services with writes to come': working,
    },
  };
}
