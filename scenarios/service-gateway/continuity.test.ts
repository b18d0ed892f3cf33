import { playSeed, type Scenario, type Timed } from '@fairlead/sim';
import { describe, expect, it } from 'vitest';
import { crashHistory, pod } from './crash.ts';
import type { Edit } from './edits.ts';
import { REPLICAS } from './site.ts';
import { PLAIN } from '../azure-variant.ts';
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

function restart(script: readonly Timed<Edit>[]): Scenario<World, Edit> {
  return {
    ...crashHistory(),
    build: (simulation) => {
      simulation.at(60_000, () => {
        for (const process of REPLICAS) simulation.disturb({ kind: 'crash', process, milliseconds: 10_000 });
      });
      return buildWorld(simulation, {
        variant: PLAIN,
        inheritance: 'nothing',
        behaviour: { actionStyle: 'synchronous' },
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
