import { describe, expect, it } from 'vitest';
import type { AgentStatus } from '../../protocol/answer.ts';
import { SentGenerations } from './sent-generations.ts';

const { signal } = new AbortController();

/** A leader of this epoch, and an agent that says this of itself. */
function meet(epoch: number, status: Partial<AgentStatus>, heard = (announced: number) => announced) {
  const generations = new SentGenerations(epoch);
  const announced: number[] = [];
  const client = {
    announce: async ({ epoch: one }: { readonly epoch: number }) => {
      announced.push(one);
      return { epoch: heard(one) };
    },
  };
  const outside = { client, gateway: { name: 'one' } };
  const announce = (isLost = false, now = status) =>
    generations.announce({ programmed: true, heldAddresses: [], ...now }, isLost, outside, signal);
  return { generations, announced, announce };
}

describe('the generations that an agent is sent', () => {
  it('are above what it took, also where it does not tell the epochs that it heard of', async () => {
    const { generations, announced, announce } = meet(1, { generation: { epoch: 7, number: 3 } });
    expect(await announce()).toBe(true);
    expect(announced).toEqual([8]);
    expect(generations.next()).toEqual({ epoch: 8, number: 1 });
  });

  it('are above the leaders that it heard of', async () => {
    const { announced, announce } = meet(5, { epoch: 9, generation: { epoch: 4, number: 1 } });
    await announce();
    expect(announced).toEqual([10]);
  });

  it('are announced once, and above what was given up on', async () => {
    const { announced, announce } = meet(5, {});
    expect(await announce()).toBe(true);
    expect(await announce(false, { epoch: 5 })).toBe(false);
    expect(await announce(true, { epoch: 5 })).toBe(true);
    expect(announced).toEqual([5, 6]);
  });

  it('wait where it hears of a newer leader meanwhile', async () => {
    const { announce } = meet(5, {}, () => 6);
    await expect(announce()).rejects.toMatchObject({ code: 'gateway-newer-leader' });
  });
});
