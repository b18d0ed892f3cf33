import { type PartPlan, type PlannedChange, writesOf } from '@fairlead/part';
import { type Palette, plain } from './palette.ts';
import { oneLine } from './printable.ts';

const SIGNS: Readonly<Record<PlannedChange['action'], { readonly sign: string; readonly paint: keyof Palette }>> = {
  adopt: { sign: '=', paint: 'faint' },
  create: { sign: '+', paint: 'good' },
  update: { sign: '~', paint: 'careful' },
  delete: { sign: '-', paint: 'bad' },
  refuse: { sign: '!', paint: 'bad' },
};

/** A plan for a person: a line for each change, then the sum. */
export function renderPlan(part: string, plan: PartPlan, palette: Palette = plain): string {
  const writing = plan.changes.filter((change) => change.writes > 0 || change.action === 'refuse');
  const adopted = plan.changes.filter((change) => change.action === 'adopt' && change.writes === 0).length;
  const lines = writing.map((change) => {
    const { sign, paint } = SIGNS[change.action];
    const what = oneLine(`${change.subject}: ${change.detail}`);
    return `  ${palette[paint](sign)} ${what}${lossText(change, palette)}`;
  });
  if (adopted > 0) lines.push(`  = ${adopted} already as wanted`);
  const counts = (['adopt', 'create', 'update', 'delete', 'refuse'] as const)
    .map((action) => ({ action, count: plan.changes.filter((change) => isCounted(change, action)).length }))
    .filter(({ count }) => count > 0)
    .map(({ action, count }) => `${count} to ${action}`);
  const sum = counts.length === 0 ? 'nothing to do' : counts.join(', ');
  const lost = plan.changes.reduce((total, { loses = [] }) => total + loses.length, 0);
  const losses = lost === 0 ? '' : palette.bad(`, ${lost} ${lost === 1 ? 'address' : 'addresses'} lost`);
  const held = plan.heldBack === undefined ? [] : [`  ${palette.careful(oneLine(plan.heldBack))}`];
  return [`${palette.strong(part)}: ${sum}${losses}, ${writesOf(plan)} write calls`, ...held, ...lines].join('\n');
}

/** What is as wanted is no change. */
function isCounted({ action, writes }: PlannedChange, asked: PlannedChange['action']): boolean {
  return action === asked && (action !== 'adopt' || writes > 0);
}

function lossText({ loses = [] }: PlannedChange, { bad }: Palette): string {
  return loses.length === 0 ? '' : bad(oneLine(`; loses ${loses.join(' and ')}`));
}
