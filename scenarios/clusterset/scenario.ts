import { ROUGH_DISTURBANCES, ROUGH_RATES, type Scenario } from '@fairlead/sim';
import { applyEdit, describeEdit, drawEdits, type Edit } from './edits.ts';
import { invariants, leaked, lost, unfinished } from './invariants.ts';
import { BROKER, buildWorld, serverOf, type World } from './world.ts';

const CLUSTERS = ['a', 'b', 'c'];
const SERVERS = [BROKER, ...CLUSTERS.map(serverOf)];

/** Three clusters and a broker: users export, operators join and leave, and everything between them fails. */
export const clusterSet: Scenario<World, Edit> = {
  name: 'clusterset',
  description:
    'clusters that join, leave, crash and are cut off all end with the same imports, and lose none to a failure',
  minutes: 4,
  convergesWithinMinutes: 25,
  faults: [{ rates: { ...ROUGH_RATES, crash: 0.002 } }],
  disturbances: {
    perMinute: { ...ROUGH_DISTURBANCES, crash: 0.4, pause: 0.4, partition: 0.6, reset: 0.4, suspend: 0.2, drift: 0.2 },
    processes: CLUSTERS,
    servers: SERVERS,
    longestMilliseconds: 40_000,
  },
  actions: (random, milliseconds) => drawEdits(random, milliseconds, 50, CLUSTERS),
  build: (simulation) => {
    const random = simulation.random('derived services');
    const deriving = CLUSTERS.filter(() => random.next() < 0.3);
    return buildWorld(simulation, CLUSTERS, deriving);
  },
  apply: applyEdit,
  describe: describeEdit,
  invariants,
  unfinished,
  rest: { minutes: 15, allows: ({ name }) => name.includes('leases') || name.includes('events') },
  leaked,
  lost,
};

/** A few edits without any faults: the crash matrix kills a cluster's replica at each of the calls they cause. */
export const clusterSetCrash: Scenario<World, Edit> = {
  ...clusterSet,
  name: 'clusterset-crash',
  description:
    'one cluster of two is killed before and after each of its calls: nothing is lost or leaked at the broker',
  minutes: 2,
  faults: [],
  disturbances: { perMinute: {}, processes: ['a', 'b'], servers: [BROKER], longestMilliseconds: 0 },
  // A read changes nothing, and a Lease is renewed in the same way over and over: the first few times tell.
  isCrashPoint: ({ name, ordinal }) =>
    /^(create|update|patch|delete) /.test(name) && (!name.includes('leases') || ordinal <= 2),
  rest: { minutes: 3, allows: ({ name }) => name.includes('leases') || name.includes('events') },
  build: (simulation) => buildWorld(simulation, ['a', 'b'], ['a']),
  actions: () => [
    { at: 1_000, event: { kind: 'export', cluster: 'a', name: 'web', isHeadless: false, ports: [80, 443] } },
    { at: 8_000, event: { kind: 'export', cluster: 'b', name: 'web', isHeadless: false, ports: [80] } },
    { at: 16_000, event: { kind: 'export', cluster: 'b', name: 'db', isHeadless: true, ports: [53] } },
    { at: 24_000, event: { kind: 'export', cluster: 'a', name: 'db', isHeadless: false, ports: [53] } },
    { at: 32_000, event: { kind: 'pods', cluster: 'a', name: 'web', isReady: false } },
    { at: 40_000, event: { kind: 'unexport', cluster: 'b', name: 'db' } },
    { at: 50_000, event: { kind: 'unexport', cluster: 'a', name: 'web' } },
    { at: 60_000, event: { kind: 'leave', cluster: 'b', name: '' } },
    { at: 70_000, event: { kind: 'derive', cluster: 'a', name: '', isOn: false } },
  ],
};
