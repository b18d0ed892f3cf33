import type { Clock } from '@fairlead/control';
import type { PartPlan, PlannedChange } from '@fairlead/part';
import type { ServiceKey } from './l2-port.ts';
import { L2_PORTS_ANNOTATION } from './desired.ts';
import type { Outcome } from './outcome.ts';
import { type GatewayStep, stepsFor } from './plan.ts';
import type { Survey } from './survey.ts';

/** What a leader that started now would write, Service by Service. */
export function partPlan(survey: Survey, clock: Pick<Clock, 'now'>): PartPlan {
  return { changes: [...survey.outcomes].flatMap(([key, outcome]) => plannedChange(key, outcome, clock) ?? []) };
}

function plannedChange(key: ServiceKey, outcome: Outcome, clock: Pick<Clock, 'now'>): PlannedChange | undefined {
  if (outcome.kind === 'foreign' || outcome.kind === 'unreadable') return undefined;
  const steps = stepsFor(outcome, clock);
  const change = { subject: `Service ${key}`, writes: steps.length };
  switch (outcome.kind) {
    case 'serve':
      return { ...change, action: servingAction(outcome, steps), detail: `gets ${addressesOf(outcome)}` };
    case 'refuse':
      return { ...change, action: 'refuse', detail: `${outcome.code}: ${outcome.message}` };
    case 'release':
      return { ...change, action: 'delete', detail: `gives back its addresses: ${outcome.claim.sentence}` };
  }
}

function addressesOf(outcome: Extract<Outcome, { kind: 'serve' }>): string {
  return outcome.l2Ports.map((l2Port) => l2Port.address).join(' and ');
}

function servingAction(
  outcome: Extract<Outcome, { kind: 'serve' }>,
  steps: readonly GatewayStep[],
): 'adopt' | 'create' | 'update' {
  if (steps.length === 0) return 'adopt';
  return outcome.claim.service.metadata.annotations?.[L2_PORTS_ANNOTATION] === undefined ? 'create' : 'update';
}
