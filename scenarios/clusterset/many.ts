import type { Scenario } from '@fairlead/sim';
import type { Edit } from './edits.ts';
import { clusterSet } from './scenario.ts';
import { BROKER, buildWorld, type World } from './world.ts';

const CLUSTERS = Array.from({ length: 50 }, (_, index) => `c${String(index).padStart(2, '0')}`);

/** Fifty clusters, of which ten export the same Service, one of them headless: all end with the same import. */
export const clusterSetMany: Scenario<World, Edit> = {
  ...clusterSet,
  name: 'clusterset-many',
  description: 'fifty clusters end with the same imports, and do not get in each other’s way at the broker',
  minutes: 1,
  convergesWithinMinutes: 10,
  faults: [],
  disturbances: { perMinute: {}, processes: CLUSTERS, servers: [BROKER], longestMilliseconds: 0 },
  build: (simulation) => buildWorld(simulation, CLUSTERS),
  actions: () =>
    CLUSTERS.slice(0, 10).flatMap((cluster, index) => [
      {
        at: 2_000 + index * 500,
        event: { kind: 'export', cluster, name: 'web', isHeadless: index === 7, ports: [80] },
      },
      {
        at: 2_000 + index * 500,
        event: { kind: 'export', cluster, name: `only-${index}`, isHeadless: false, ports: [53] },
      },
      ...(index % 4 === 0 ? [{ at: 40_000, event: { kind: 'unexport', cluster, name: 'web' } } as const] : []),
    ]),
  // Asked after every step, they would take longer than all the rest.
  invariants: () => [],
  rest: { minutes: 1, allows: ({ name }) => name.includes('leases') || name.includes('events') },
};
