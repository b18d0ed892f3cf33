import { randomInteger } from '@fairlead/control';
import { ROUGH_DISTURBANCES, ROUGH_RATES, type Scenario, type Timed } from '@fairlead/sim';
import { KUBE } from '../kubernetes.ts';
import { apply, describeEdit, drawEdit, type Edit } from './edits.ts';
import { invariants, unfinished } from './invariants.ts';
import { SERVERS } from './names.ts';
import { build, type World } from './world.ts';

const BEGIN_MILLISECONDS = 2_000;
const EDITS = 60;

/** Two DNS servers, each behind a bad network of its own, of a clusterset that never stands still. */
export const dnsScenario: Scenario<World, Edit> = {
  name: 'dns',
  description:
    'DNS servers invent no address, deny no name before they have seen all, and agree with the cluster in the end',
  minutes: 4,
  convergesWithinMinutes: 6,
  faults: [{ rates: { ...ROUGH_RATES, crash: 0.002 } }],
  disturbances: {
    perMinute: { ...ROUGH_DISTURBANCES, pause: 0.4, refusal: 0.5 },
    processes: SERVERS,
    servers: [KUBE],
    longestMilliseconds: 40_000,
  },
  actions: (random, milliseconds) => [
    { at: BEGIN_MILLISECONDS, event: { kind: 'begin' } },
    ...Array.from(
      { length: EDITS },
      (): Timed<Edit> => ({ at: randomInteger(random, BEGIN_MILLISECONDS + 1, milliseconds), event: drawEdit(random) }),
    ),
  ],
  build,
  apply,
  describe: describeEdit,
  invariants,
  unfinished,
  // It writes nothing, ever.
  rest: { minutes: 5, allows: () => false },
};
