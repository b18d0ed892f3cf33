import { type Random, randomPick } from '@fairlead/control';
import { type Call, ROUGH_DISTURBANCES, ROUGH_RATES, type Scenario, type Simulation } from '@fairlead/sim';
import type { ArmBehaviour } from '@fairlead/sim/azure';
import { AZURE } from '../azure.ts';
import { behaviourOf, variantOf } from '../azure-variant.ts';
import { KUBE } from '../kubernetes.ts';
import { applyEdit } from './apply-edit.ts';
import { describeEdit, drawEdits, type Edit } from './edits.ts';
import { findingsOf, unfinished } from './findings.ts';
import { invariants } from './invariants.ts';
import { REPLICAS } from './site.ts';
import { buildWorld, type World } from './world.ts';

const MINUTES = 4;
const { duplicate: _, ...azureRates } = ROUGH_RATES;

/** The service gateway in two replicas, with users, pods, nodes and people in Azure's portal who know nothing of each other. */
export const serviceGateway: Scenario<World, Edit> = {
  name: 'service-gateway',
  description: 'Azure follows Services and pods, and nothing is let go early, lost, leaked or taken from others',
  minutes: MINUTES,
  convergesWithinMinutes: 25,
  faults: [
    // To be told twice what was undone meanwhile is more than a program can guard against.
    { matches: ({ server }) => server === AZURE, rates: { ...azureRates, crash: 0.006 } },
    { rates: { ...ROUGH_RATES, crash: 0.003 } },
  ],
  disturbances: {
    perMinute: { ...ROUGH_DISTURBANCES, crash: 0.4, pause: 0.4, partition: 0.5, refusal: 0.4 },
    processes: REPLICAS,
    servers: [KUBE, AZURE],
    longestMilliseconds: 40_000,
  },
  actions: (random, milliseconds, seed) => drawEdits(random, milliseconds, 60, variantOf(seed), tagCountOf(seed)),
  build: (simulation) => buildWorld(simulation, { ...drawWorld(simulation), calmAt: MINUTES * 60_000 }),
  apply: applyEdit,
  describe: describeEdit,
  invariants,
  unfinished,
  rest: { minutes: 10, allows: isUsual },
  leaked: (world) => findingsOf(world).leaked,
  lost: (world) => findingsOf(world).lost,
};

/** In every fifth world: the histories of the seeds that are written down stay as they are. */
function tagCountOf(seed: number): number {
  return seed % 5 === 0 ? 12 : 0;
}

/** The Lease is renewed for ever, and Events are told. */
export function isUsual({ name }: Call): boolean {
  return name.includes('leases') || name.includes('events');
}

function drawWorld(simulation: Simulation) {
  const random = simulation.random('world');
  const inheritance = randomPick(random, ['nothing', 'gateway', 'busy gateway'] as const);
  const variant = variantOf(simulation.seed);
  return { variant, behaviour: { ...drawBehaviour(random), ...behaviourOf(variant) }, inheritance };
}

/** Azure as it is on different days and in different versions. */
function drawBehaviour(random: Random): Partial<ArmBehaviour> {
  return {
    operationTime: { minimum: 0, maximum: randomPick(random, [0, 500, 3_000]) },
    operationStyle: randomPick(random, ['async-operation', 'location'] as const),
    pollAfterSeconds: random.next() < 0.5 ? undefined : 1,
    addressDelay: { minimum: 0, maximum: randomPick(random, [0, 0, 2_000]) },
    actionStyle: randomPick(random, ['synchronous', 'long-running'] as const),
    defaultOutbound: random.next() < 0.3,
  };
}
