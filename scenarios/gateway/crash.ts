import type { Scenario } from '@fairlead/sim';
import type { Edit } from './edits.ts';
import { strictInvariants } from './gateway-invariants.ts';
import { gateway } from './scenario.ts';
import { create, portsOf } from './service-edits.ts';
import { REPLICAS } from './services.ts';
import type { GatewayWorld } from './site.ts';
import { buildWorld } from './world.ts';

/** A few edits without any faults: the crash matrix kills a replica at each of the calls they cause. */
export const gatewayCrash: Scenario<GatewayWorld, Edit> = {
  ...gateway,
  name: 'gateway-crash',
  description:
    'one replica is killed before and after each of its calls: nothing is lost, and nothing left on a gateway',
  minutes: 2,
  faults: [],
  disturbances: { perMinute: {}, processes: REPLICAS, servers: [], longestMilliseconds: 0 },
  build: (simulation) => buildWorld(simulation, false),
  invariants: strictInvariants,
  // A Lease is renewed in the same way over and over: the first few times tell.
  isCrashPoint: ({ name, ordinal }) => !name.includes('leases') || ordinal <= 2,
  actions: () => [
    { at: 500, event: { kind: 'endpoints', name: 'web', ready: [1, 2] } },
    { at: 1_000, event: create('web', [80, 443]) },
    { at: 2_000, event: create('shop', [80]) },
    { at: 12_000, event: { kind: 'endpoints', name: 'web', ready: [1, 2, 3] } },
    { at: 20_000, event: { kind: 'ports', name: 'web', ports: portsOf([80, 53]) } },
    { at: 24_000, event: { kind: 'pool', name: 'shop', pool: 'partners' } },
    { at: 30_000, event: { kind: 'ranges', name: 'web', ranges: ['198.51.100.0/24'] } },
    { at: 40_000, event: { kind: 'delete', name: 'web' } },
    { at: 45_000, event: { kind: 'type', name: 'shop', type: 'ClusterIP' } },
  ],
};
