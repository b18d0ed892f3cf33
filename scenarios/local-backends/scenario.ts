import { type Rest, ROUGH_DISTURBANCES, ROUGH_RATES, type Scenario } from '@fairlead/sim';
import { AZURE } from '../azure.ts';
import { variantOf } from '../azure-variant.ts';
import { KUBE } from '../kubernetes.ts';
import { applyEdit } from './apply-edit.ts';
import { describeEdit, drawEdits, type Edit } from './edits.ts';
import { leaked, lost, takesUpAgain, unfinished } from './expectations.ts';
import { invariantsOf } from './invariants.ts';
import { buildWorld, drawSettings, REPLICAS, type World } from './world.ts';

const MINUTES = 4;

/**
 * Leases are renewed for ever, and repeated Events are written together, a while after they were told. And a sweep that
 * met the lock is made up for ten minutes later: it compares, and takes up again what the updater gave up.
 */
export const REST: Rest<World> = {
  minutes: 10,
  allows: (call, world) => /leases|events/.test(call.name) || takesUpAgain(world, call),
};

/** The part for local Services in two replicas, on load balancers that others use and edit, too. */
export const localBackends: Scenario<World, Edit> = {
  name: 'local-backends',
  description: 'pools follow their nodes, parked ones are left alone, and every outcome is told and counted once',
  minutes: MINUTES,
  convergesWithinMinutes: 20,
  faults: [
    {
      matches: ({ server }) => server === AZURE,
      rates: { ...ROUGH_RATES, cut: 0.02, misreport: 0.02, crash: 0.004 },
    },
    { rates: { ...ROUGH_RATES, cut: 0.04, crash: 0.001 } },
  ],
  disturbances: {
    perMinute: { ...ROUGH_DISTURBANCES, crash: 0.4, pause: 0.4, 'clock-jump': 0.2, reset: 0.4 },
    processes: REPLICAS,
    servers: [KUBE, AZURE],
    longestMilliseconds: 40_000,
  },
  actions: (random, milliseconds, seed) => drawEdits(random, milliseconds, 110, variantOf(seed)),
  build: (simulation) => buildWorld(simulation, MINUTES, drawSettings(simulation.random('settings'), simulation.seed)),
  apply: applyEdit,
  describe: describeEdit,
  invariants: invariantsOf,
  unfinished,
  rest: REST,
  leaked,
  lost,
};
