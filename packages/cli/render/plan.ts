import { type PartPlan, type PlannedChange, writesOf } from '@fairlead/part';

const SIGNS: Readonly<Record<PlannedChange['action'], string>> = {
  adopt: '=',
  create: '+',
  update: '~',
  delete: '-',
  refuse: '!',
};

/** A plan for a person: a line for each change, then the sum. */
export function renderPlan(part: string, plan: PartPlan): string {
  const writing = plan.changes.filter((change) => change.writes > 0 || change.action === 'refuse');
  const adopted = plan.changes.filter((change) => change.action === 'adopt' && change.writes === 0).length;
  const lines = writing.map(
    (change) => `  ${SIGNS[change.action]} ${change.subject}: ${change.detail}${lossText(change)}`,
  );
  if (adopted > 0) lines.push(`  = ${adopted} already as wanted`);
  const counts = (['create', 'update', 'delete', 'refuse'] as const)
    .map((action) => ({ action, count: plan.changes.filter((change) => change.action === action).length }))
    .filter(({ count }) => count > 0)
    .map(({ action, count }) => `${count} to ${action}`);
  const sum = counts.length === 0 ? 'nothing to do' : counts.join(', ');
  const lost = plan.changes.reduce((total, { loses = [] }) => total + loses.length, 0);
  const losses = lost === 0 ? '' : `, ${lost} ${lost === 1 ? 'address' : 'addresses'} lost`;
  const held = plan.heldBack === undefined ? [] : [`  ${plan.heldBack}`];
  return [`${part}: ${sum}${losses}, ${writesOf(plan)} write calls`, ...held, ...lines].join('\n');
}

function lossText({ loses = [] }: PlannedChange): string {
  return loses.length === 0 ? '' : `; loses ${loses.join(' and ')}`;
}
