import { keyText } from '@fairlead/kube';
import type { PartStatus } from '@fairlead/part';
import { isLabel } from '../wire/index.ts';
import { serviceRecords } from '../zone/index.ts';
import type { Snapshot } from './snapshot.ts';

/** LimitedLines at most, of each kind. */
const MOST_PROBLEMS = 5;

/** How the zone is: what it has, what leads nowhere, and what only an operator can mend. */
export function zoneStatus({ names, index, settings }: Snapshot): PartStatus {
  const faults: string[] = [];
  const orphans: string[] = [];
  let services = 0;
  let without = 0;
  for (const view of index.views()) {
    // Clusters keep records of their own under names that no Service has.
    if (!isLabel(view.name)) continue;
    services += 1;
    const key = keyText(view);
    const { type, shares, leftOut } = serviceRecords(view, settings);
    if (type === undefined) {
      orphans.push(`${key} has EndpointSlices of other clusters and no ServiceImport: its name is not there`);
      continue;
    }
    if (shares.every(({ endpoints }) => endpoints.length === 0)) without += 1;
    faults.push(...leftOut.map((reason) => `of ${key} is left out: ${reason}`));
    for (const { cluster, faults: own } of shares) {
      faults.push(...own.map((reason) => `of ${key} in cluster ${cluster} is left out: ${reason}`));
    }
  }
  return {
    summary: `${names.size} names of ${services} Services`,
    problems: [...shortened(orphans), ...shortened(faults)],
    figures: { names: names.size, services, 'services without endpoints': without },
  };
}

function shortened(lines: readonly string[]): readonly string[] {
  if (lines.length <= MOST_PROBLEMS) return lines;
  return [...lines.slice(0, MOST_PROBLEMS), `and ${lines.length - MOST_PROBLEMS} more of this kind`];
}
