import { renderTable } from '@fairlead/control';
import type { PartStatus } from '@fairlead/part';
import { problemsOf } from '@fairlead/service';
import { localServiceInfo } from '../load-balancers/request-bodies/child-resources.ts';
import { pendingFor, type Snapshot, stalePools } from './snapshot.ts';

/** What is so now, not what is to be: a Service counts as served when nothing is left to be written. */
export function partStatus(snapshot: Snapshot): PartStatus {
  const counts = { served: 0, working: 0, refused: 0, released: 0 };
  let outOfStep = 0;
  let unreadable = 0;
  for (const [key, outcome] of snapshot.outcomes) {
    if (outcome.kind === 'release') counts.released += 1;
    else if (outcome.kind === 'unreadable') unreadable += 1;
    else if (outcome.kind === 'refuse') counts.refused += 1;
    else if (outcome.kind === 'serve') {
      outOfStep += stalePools(snapshot, outcome.target).length;
      if (pendingFor(snapshot, key).length === 0) counts.served += 1;
      else counts.working += 1;
    }
  }
  const isWell = counts.working + counts.refused + counts.released + unreadable + outOfStep === 0;
  return {
    summary: isWell ? 'everything is as wanted' : 'not everything is as wanted',
    problems: problemsOf({ unreadable }),
    figures: {
      'Services served': counts.served,
      'Services with writes to come': counts.working,
      'Services refused': counts.refused,
      'Services being released': counts.released,
      'Services that cannot be read': unreadable,
      'Backend pools out of step': outOfStep,
      'Load balancers': snapshot.observed.loadBalancers.size,
    },
  };
}

/** The backend pools, the Services they are for, and whether they are in step: a line for each. */
export function poolLines(snapshot: Snapshot): readonly string[] {
  const rows = [...snapshot.outcomes].flatMap(([key, outcome]) => {
    if (outcome.kind !== 'serve') return [];
    const stale = stalePools(snapshot, outcome.target);
    const { loadBalancer, pools } = localServiceInfo(snapshot.site, outcome.target);
    const ports = (outcome.claim.service.spec.ports ?? []).map(({ protocol = 'TCP', port }) => `${protocol}/${port}`);
    return pools.map(({ family, name }) => {
      const nodes = snapshot.backends.addresses(key, family).length;
      const state = stale.includes(name) ? 'out of step' : 'in step';
      return [`${loadBalancer}/${name}`, key, ports.join(','), String(nodes), state];
    });
  });
  return renderTable([['POOL', 'SERVICE', 'PORTS', 'NODES', 'STATE'], ...rows]);
}
