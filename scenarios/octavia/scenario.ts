import { type Rest, ROUGH_DISTURBANCES, ROUGH_RATES, type Scenario } from '@fairlead/sim';
import { KUBE } from '../kubernetes.ts';
import { applyEdit } from './apply-edit.ts';
import { describeEdit, drawEdits, type Edit } from './edits.ts';
import { invariantsOf, leaked, lost, unfinished } from './invariants.ts';
import { drawSettings, OPENSTACK, REPLICAS, type Settings } from './site.ts';
import { buildWorld, type World } from './world.ts';

/** A login changes nothing: a token ends, and a new leader has none. */
const REST: Rest = { minutes: 10, allows: ({ name }) => /leases|events|POST tokens/.test(name) };

/** The part for Octavia in two replicas, with users and operators who edit, and a cloud that takes its time. */
export const octavia: Scenario<World, Edit> = {
  name: 'octavia',
  description:
    'load balancers follow their Services, whatever Octavia, its users and the network do; nothing is leaked',
  minutes: 5,
  // A quota that is met is tried again after ten minutes, and one in ERROR ever less often.
  convergesWithinMinutes: 120,
  faults: [
    { matches: ({ server }) => server === OPENSTACK, rates: { ...ROUGH_RATES, duplicate: 0, crash: 0.003 } },
    { rates: { ...ROUGH_RATES, crash: 0.001 } },
  ],
  disturbances: {
    perMinute: { ...ROUGH_DISTURBANCES, crash: 0.4, pause: 0.4, 'clock-jump': 0.2, reset: 0.4 },
    processes: REPLICAS,
    servers: [KUBE, OPENSTACK],
    longestMilliseconds: 40_000,
  },
  actions: (random, milliseconds) => drawEdits(random, milliseconds, 50),
  build: (simulation) => buildWorld(simulation, drawSettings(simulation.random('settings'))),
  apply: applyEdit,
  describe: describeEdit,
  invariants: invariantsOf,
  unfinished,
  rest: REST,
  leaked,
  lost,
};

const CRASH_SETTINGS: Settings = {
  isCompared: false,
  isSlow: false,
  heirs: 'stay',
  failures: 0,
  members: 'pods',
  predecessors: 'adopted',
};
const TCP = { protocol: 'TCP' } as const;

/** A few edits without any faults: the crash matrix kills a replica at each of the calls that they cause. */
export const octaviaCrash: Scenario<World, Edit> = {
  ...octavia,
  name: 'octavia-crash',
  description:
    'one replica is killed before and after each of its calls: no load balancer, port or floating IP is leaked',
  minutes: 2,
  faults: [],
  disturbances: { perMinute: {}, processes: REPLICAS, servers: [], longestMilliseconds: 0 },
  // To die at a read is to die before the next write, and a Lease is renewed in the same way over and over.
  isCrashPoint: ({ name, ordinal }) =>
    !/leases|^(?:list|get|watch) /i.test(name) || (ordinal <= 1 && !/^(?:LIST|GET) /.test(name)),
  build: (simulation) => buildWorld(simulation, CRASH_SETTINGS),
  actions: () => [
    { at: 500, event: { kind: 'endpoints', name: 'web', pods: [1, 2] } },
    { at: 1_000, event: { kind: 'create', name: 'web', isOurs: true, wish: 'plain', ports: [{ ...TCP, port: 80 }] } },
    { at: 2_000, event: { kind: 'create', name: 'dns', isOurs: true, wish: 'ovn', ports: [{ ...TCP, port: 53 }] } },
    { at: 15_000, event: { kind: 'endpoints', name: 'web', pods: [2, 3] } },
    { at: 25_000, event: { kind: 'ports', name: 'web', ports: [{ ...TCP, port: 443 }] } },
    { at: 50_000, event: { kind: 'empty-status', name: 'web' } },
    { at: 60_000, event: { kind: 'wish', name: 'web', wish: 'chosen-address' } },
    {
      at: 70_000,
      event: { kind: 'create', name: 'api', isOurs: true, wish: 'shared', ports: [{ ...TCP, port: 8_443 }] },
    },
    { at: 80_000, event: { kind: 'delete', name: 'of-kuryr' } },
    { at: 90_000, event: { kind: 'type', name: 'dns', type: 'ClusterIP' } },
    { at: 100_000, event: { kind: 'delete-all' } },
  ],
};
