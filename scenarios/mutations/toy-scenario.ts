import { type Random, randomInteger } from '@fairlead/control';
import { type ConfigMap, configMaps } from '@fairlead/kube';
import { type Call, ROUGH_RATES, type Scenario, type Timed } from '@fairlead/sim';
import { type Cluster, KUBE, serveKubernetes } from '../kubernetes.ts';
import { ToyCloud } from './toy-cloud.ts';
import { CLOUD, type Defect, isClaim, NAMESPACE, POOL, ToyController } from './toy-controller.ts';

interface World extends Cluster {
  readonly cloud: ToyCloud;
  /** The current life of the controller. */
  readonly controller: { current: ToyController | undefined };
}

type Edit = { readonly make: string } | { readonly remove: string };

const CLAIMS = 8;
const EDITS = 24;
const { duplicate: _, ...cloudRates } = ROUGH_RATES;

/** The toy controller in a world as bad as that of the real ones. */
export function toyScenario(defect: Defect): Scenario<World, Edit> {
  return {
    name: `toy-${defect}`,
    description: 'claims get addresses and records',
    minutes: 3,
    convergesWithinMinutes: 6,
    // A cloud that is told twice what was undone meanwhile is more than this controller can bear.
    faults: [{ matches: (call: Call) => call.server === CLOUD, rates: cloudRates }, { rates: ROUGH_RATES }],
    disturbances: {
      perMinute: { crash: 0.7, pause: 0.5, partition: 0.5, reset: 0.5, refusal: 0.5 },
      processes: ['toy'],
      servers: [KUBE, CLOUD],
    },
    actions: drawEdits,
    async build(simulation) {
      const world: World = {
        ...serveKubernetes(simulation),
        cloud: new ToyCloud(),
        controller: { current: undefined },
      };
      simulation.serve(CLOUD, world.cloud);
      await world.editor.create(configMaps, { metadata: POOL });
      simulation.process('toy', (incarnation) => {
        world.controller.current = new ToyController(incarnation, defect);
        return world.controller.current.run();
      });
      return world;
    },
    async apply({ editor }, edit) {
      const name = 'make' in edit ? edit.make : edit.remove;
      const key = { namespace: NAMESPACE, name };
      const exists = (await editor.find(configMaps, key)) !== undefined;
      if ('make' in edit && !exists) await editor.create(configMaps, { metadata: key });
      if ('remove' in edit && exists) await editor.delete(configMaps, key);
    },
    describe: (edit) => ('make' in edit ? `make ${edit.make}` : `remove ${edit.remove}`),
    invariants: (world) => [
      { name: 'an address has one owner', check: () => sharedAddress(world.cloud) },
      { name: 'a record has a living owner', check: () => orphan(world) },
    ],
    unfinished(world) {
      if (world.controller.current?.isIdle !== true) return 'the controller is still at work';
      return claimsOf(world)
        .map((claim) => missingFor(world, claim))
        .find((missing) => missing !== undefined);
    },
    rest: { minutes: 1, allows: () => false },
    leaked(world) {
      const uids = uidsOf(world);
      return Object.entries(poolOf(world)?.data ?? {}).flatMap(([address, owner]) =>
        uids.has(owner) ? [] : [address],
      );
    },
  };
}

function drawEdits(random: Random, milliseconds: number): readonly Timed<Edit>[] {
  return Array.from({ length: EDITS }, () => {
    const name = `claim-${randomInteger(random, 1, CLAIMS)}`;
    const at = randomInteger(random, 0, milliseconds);
    return { at, event: random.next() < 0.6 ? { make: name } : { remove: name } };
  });
}

function claimsOf(world: World): readonly ConfigMap[] {
  return world.objects(configMaps).filter(isClaim);
}

function poolOf(world: World): ConfigMap | undefined {
  return world.objects(configMaps).find(({ metadata }) => metadata.name === POOL.name);
}

function uidsOf(world: World): ReadonlySet<string> {
  return new Set(claimsOf(world).map(({ metadata }) => metadata.uid ?? ''));
}

/** Two records with one address, be they of one owner or of two. */
function sharedAddress({ records }: ToyCloud): string | undefined {
  const owners = new Map<string, string>();
  for (const [name, { address, owner }] of records) {
    const other = owners.get(address);
    if (other !== undefined) return `${address} is in the record ${name} of ${owner} and in one of ${other}`;
    owners.set(address, owner);
  }
  return undefined;
}

function orphan(world: World): string | undefined {
  if (world.cloud.records.size === 0) return undefined;
  const uids = uidsOf(world);
  for (const [name, { owner }] of world.cloud.records) {
    if (!uids.has(owner)) return `the record ${name} is left, and its owner ${owner} is gone`;
  }
  return undefined;
}

function missingFor(world: World, { metadata }: ConfigMap): string | undefined {
  if (metadata.deletionTimestamp !== undefined) return `${metadata.name} is still being deleted`;
  const address = Object.entries(poolOf(world)?.data ?? {}).find(([, owner]) => owner === metadata.uid)?.[0];
  if (address === undefined) return `${metadata.name} has no address`;
  const isRecorded = [...world.cloud.records.values()].some(
    (record) => record.owner === metadata.uid && record.address === address,
  );
  return isRecorded ? undefined : `${metadata.name} has no record of its address ${address}`;
}
