import { playSeed, type Scenario, type Timed } from '@fairlead/sim';
import type { ArmBehaviour } from '@fairlead/sim/azure';
import { describe, expect, it } from 'vitest';
import { create, crashHistory, pod, slice } from './crash.ts';
import type { Edit } from './edits.ts';
import { GATEWAY, REPLICAS } from './site.ts';
import { PLAIN } from '../azure-variant.ts';
import { KUBE } from '../kubernetes.ts';
import { buildWorld, type World } from './world.ts';

/** Two pods have the same address on two nodes; while no replica runs, one ends and the other asks for what is taken. */
const apart: readonly Timed<Edit>[] = [
  { at: 1_000, event: pod('going', 'blue', 'node-2', '10.2.0.2') },
  { at: 1_000, event: pod('staying', 'blue', 'node-1', '10.2.0.2') },
  { at: 61_000, event: { kind: 'label', name: 'staying', egress: 'red' } },
  { at: 62_000, event: { kind: 'end-pod', name: 'going' } },
];
/** The node of the one that ends is gone by then. */
const withoutNode: readonly Timed<Edit>[] = [...apart, { at: 63_000, event: { kind: 'delete-node', name: 'node-2' } }];

function restart(script: readonly Timed<Edit>[], behaviour: Partial<ArmBehaviour> = {}): Scenario<World, Edit> {
  return {
    ...crashHistory(),
    build: (simulation) => {
      simulation.at(60_000, () => {
        for (const process of REPLICAS) simulation.disturb({ kind: 'crash', process, milliseconds: 10_000 });
      });
      return buildWorld(simulation, {
        variant: PLAIN,
        inheritance: 'nothing',
        behaviour: { actionStyle: 'synchronous', ...behaviour },
        calmAt: 0,
      });
    },
    actions: () => script,
  };
}

describe('an address of a pod, over a restart in which another pod with that address has ended', () => {
  it('stays in service where the other was on another node', async () => {
    expect((await playSeed(restart(apart), 1)).failure).toBeUndefined();
  });

  it('may leave where the node of the other is gone: a new leader cannot tell whose it was', async () => {
    expect((await playSeed(restart(withoutNode), 1)).failure).toBeUndefined();
  });
});

describe('an endpoint in service, while a second node gets the address of its node and gives it back', () => {
  const node = (addresses: readonly string[]): Edit => ({ kind: 'node', name: 'node-2', addresses });
  const script: readonly Timed<Edit>[] = [
    { at: 1_000, event: create('web', [80]) },
    { at: 1_000, event: slice('web-1', 'web', ['10.1.0.1@node-1', '10.1.0.2@node-2']) },
    { at: 61_000, event: node(['10.0.0.1']) },
    { at: 71_000, event: node(['10.0.0.2']) },
  ];
  const crowded: Scenario<World, Edit> = { ...crashHistory(), actions: () => script };

  it('stays there', async () => {
    expect((await playSeed(crowded, 1)).failure).toBeUndefined();
  });

  it('is missed when it goes', async () => {
    const robbed: Scenario<World, Edit> = {
      ...crowded,
      async build(simulation) {
        const world = await crowded.build(simulation);
        simulation.at(66_000, () => takeAway(world, '10.1.0.1', '10.0.0.1'));
        return world;
      },
    };
    expect((await playSeed(robbed, 1)).failure).toMatchObject({ invariant: 'an address stays in service' });
  });
});

describe('an endpoint in service of a Service that is refused while no replica runs', () => {
  const script: readonly Timed<Edit>[] = [
    { at: 40_000, event: create('web', [80]) },
    { at: 40_000, event: slice('web-1', 'web', ['10.1.0.1@node-1']) },
    { at: 61_000, event: { kind: 'restrict', name: 'web', ranges: ['192.0.2.0/24'] } },
  ];
  const refused = restart(script, { operationTime: { minimum: 500, maximum: 500 } });

  it('leaves where nobody was told of an address', async () => {
    const seen: boolean[] = [];
    const unheardOf: Scenario<World, Edit> = {
      ...refused,
      async build(simulation) {
        const world = await refused.build(simulation);
        // It is held by then, and Azure is at work; what comes of that nobody is told.
        simulation.at(40_300, () => {
          for (const process of REPLICAS)
            simulation.disturb({ kind: 'partition', process, server: KUBE, milliseconds: 19_000 });
        });
        for (const at of [59_500, 119_000])
          simulation.at(at, () => seen.push(isUnderAny(world, '10.1.0.1', '10.0.0.1')));
        return world;
      },
    };
    expect((await playSeed(unheardOf, 1)).failure).toBeUndefined();
    expect(seen).toEqual([true, false]);
  });

  it('stays where an address was shown', async () => {
    expect((await playSeed(refused, 1)).failure).toBeUndefined();
  });

  it('is missed where an address was shown', async () => {
    const robbed: Scenario<World, Edit> = {
      ...refused,
      async build(simulation) {
        const world = await refused.build(simulation);
        simulation.at(66_000, () => takeAway(world, '10.1.0.1', '10.0.0.1'));
        return world;
      },
    };
    expect((await playSeed(robbed, 1)).failure).toMatchObject({ invariant: 'an address stays in service' });
  });
});

function isUnderAny({ azure }: World, address: string, location: string): boolean {
  return (azure.gateway(GATEWAY).locations.get(location)?.get(address) ?? []).length > 0;
}

/** As nobody does who counts as a thief. */
function takeAway({ azure, meddling }: World, address: string, addressLocation: string): void {
  const addressLocations = [{ addressLocation, addresses: [{ address, services: [] }] }];
  const body = { action: 'PartialUpdate', addressLocations };
  azure.byHand({ method: 'POST', path: `${GATEWAY}/updateAddressLocations`, body });
  meddling.acts += 1;
}
