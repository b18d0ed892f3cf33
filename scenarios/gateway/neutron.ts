import { services } from '@fairlead/kube';
import { type Rest, ROUGH_RATES, type Scenario } from '@fairlead/sim';
import { KUBE } from '../kubernetes.ts';
import { whenChanged } from '../when-changed.ts';
import { applyNeutronEdit, describeNeutronEdit, drawNeutronEdits, type NeutronEdit } from './neutron-edits.ts';
import {
  buildFormerWorld,
  buildNeutronWorld,
  changedForeign,
  leakedPorts,
  type NeutronWorld,
  OPENSTACK,
  shownWithoutPort,
  unattached,
  uncompared,
  untagged,
} from './neutron-world.ts';
import { create, type ServiceEdit } from './service-edits.ts';
import { leakedMarks, serviceInvariants, unfinishedServices } from './services.ts';
import { gatewayStatic, gatewayStaticCrash } from './static.ts';

/** A login changes nothing: a token ends, and a new leader has none. */
const REST: Rest = { minutes: 10, allows: ({ name }) => /leases|events|POST tokens/.test(name) };

/** The part in two replicas with addresses from Neutron, which refuses, forgets and answers late. */
export const gatewayNeutron: Scenario<NeutronWorld, NeutronEdit> = {
  ...gatewayStatic,
  name: 'gateway-neutron',
  description: 'ports and floating IPs follow the Services, whatever Neutron, its users and the network do',
  faults: [
    { matches: ({ server }) => server === OPENSTACK, rates: { ...ROUGH_RATES, duplicate: 0, crash: 0.004 } },
    { rates: { ...ROUGH_RATES, crash: 0.002 } },
  ],
  disturbances: { ...gatewayStatic.disturbances, servers: [KUBE, OPENSTACK] },
  actions: drawNeutronEdits,
  build: buildNeutronWorld,
  apply: applyNeutronEdit,
  describe: describeNeutronEdit,
  invariants: (world) => [
    ...serviceInvariants(world),
    ...whenChanged(
      () => [world.objects(services), world.emulator.log.calls.length, world.takenAway.size],
      [
        { name: 'what is of others stays', check: () => changedForeign(world) },
        { name: 'what Services show is there', check: () => shownWithoutPort(world)[0] },
      ],
    ),
  ],
  // What is unused in the project waits for the brake on deletions.
  unfinished: async (world) =>
    (await unfinishedServices(world)) ??
    [...leakedPorts(world), ...untagged(world), ...unattached(world), ...uncompared(world)][0],
  convergesWithinMinutes: 25,
  rest: REST,
  leaked,
  lost: unattached,
};

/** A few edits without any faults: the crash matrix kills a replica at each of the calls they cause. */
export const gatewayNeutronCrash: Scenario<NeutronWorld, ServiceEdit> = {
  ...gatewayStaticCrash,
  name: 'gateway-neutron-crash',
  description: 'one replica is killed before and after each of its calls: no port and no floating IP is leaked',
  // What is read in the same way over and over tells the first few times.
  isCrashPoint: ({ name, ordinal }) => !/leases|^(?:LIST|GET) /.test(name) || ordinal <= 3,
  actions: () => [
    { at: 1_000, event: create('web', [80]) },
    { at: 1_500, event: create('shop', [80]) },
    { at: 20_000, event: create('dns', [53]) },
    { at: 30_000, event: { kind: 'delete', name: 'former' } },
    { at: 40_000, event: { kind: 'delete', name: 'shop' } },
    { at: 50_000, event: { kind: 'delete', name: 'web' } },
    { at: 60_000, event: { kind: 'delete', name: 'dns' } },
  ],
  build: buildFormerWorld,
  rest: REST,
  leaked,
};

function leaked(world: NeutronWorld): readonly string[] {
  return [...leakedMarks(world), ...leakedPorts(world)];
}
