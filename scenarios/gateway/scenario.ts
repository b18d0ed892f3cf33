import { services } from '@fairlead/kube';
import { ROUGH_DISTURBANCES, ROUGH_RATES, type Scenario } from '@fairlead/sim';
import { KUBE } from '../kubernetes.ts';
import { applyEdit, describeEdit, drawEdits, type Edit } from './edits.ts';
import { invariants, leftOnGateways, missingOnGateways } from './gateway-invariants.ts';
import { leakedMarks, REPLICAS, unfinishedServices } from './services.ts';
import { GATEWAYS, type GatewayWorld } from './site.ts';
import { buildWorld } from './world.ts';

/** The gateway part in two replicas, three gateways that have bad days, and users, pods and nodes that change. */
export const gateway: Scenario<GatewayWorld, Edit> = {
  name: 'gateway',
  description:
    'gateways serve what Services show, and nothing else, whatever happens to either, replicas and the network',
  minutes: 4,
  convergesWithinMinutes: 15,
  faults: [{ rates: { ...ROUGH_RATES, crash: 0.004 } }],
  disturbances: {
    perMinute: { ...ROUGH_DISTURBANCES, partition: 0.6, refusal: 0.4 },
    processes: REPLICAS,
    servers: [KUBE, ...GATEWAYS],
    longestMilliseconds: 40_000,
  },
  actions: drawEdits,
  // A safety net must not hide a mistake.
  build: (simulation) => buildWorld(simulation, simulation.random('world').next() < 0.5),
  apply: applyEdit,
  describe: describeEdit,
  invariants,
  unfinished,
  // A new leader announces itself.
  rest: { minutes: 10, allows: ({ id }) => [' leases ', ' events ', ' /v1/leader '].some((word) => id.includes(word)) },
  leaked: (world) => [...leakedMarks(world), ...leftOnGateways(world)],
  lost: missingOnGateways,
};

/** Gateways have good days from now on, and are told what they missed. */
async function unfinished(world: GatewayWorld): Promise<string | undefined> {
  for (const agent of world.agents.values()) agent.recover();
  for (const { metadata, status } of world.objects(services)) {
    const reason = status?.conditions?.[0]?.reason ?? '';
    if (UNCONFIRMED.includes(reason)) return `${metadata.name} waits for its gateways (${reason})`;
  }
  return unfinishedServices(world);
}

/** A plan lets these stand; a leader takes them back as soon as it hears from a gateway that has recovered. */
const UNCONFIRMED = ['AddressAssigned', 'GatewayRefused'];
