import type { HttpResponse, HttpTransport } from '@fairlead/control';
import { playSeed, type Scenario } from '@fairlead/sim';
import { describe, expect, it } from 'vitest';
import { electionScenario } from '../election.ts';
import { kubeScenario } from '../kube.ts';
import { toyScenario } from './toy-scenario.ts';

const SEEDS = 500;
/** More than any of the defects needs to be found. */
const SEEDS_WITHOUT_DEFECT = 150;

/** The invariant that the first failing seed breaks. */
async function firstBroken<World, Action>(scenario: Scenario<World, Action>, seeds: number): Promise<string> {
  for (let seed = 1; seed <= seeds; seed += 1) {
    const { failure } = await playSeed(scenario, seed);
    if (failure !== undefined) return failure.invariant;
  }
  return 'none';
}

describe('the simulation finds within 500 seeds', { timeout: 120_000 }, () => {
  it.each([
    ['an event that is lost', 'event-lost', 'convergence'],
    ['a finalizer that is dropped early', 'finalizer-dropped-early', 'a record has a living owner'],
    ['a write that is repeated after a lost response', 'create-repeated', 'an address has one owner'],
    ['a stale cache that is trusted', 'stale-cache-trusted', 'an address has one owner'],
  ] as const)('%s', async (_, defect, invariant) => {
    expect(await firstBroken(toyScenario(defect), SEEDS)).toBe(invariant);
  });

  it('nothing, when there is no defect', async () => {
    expect(await firstBroken(toyScenario('none'), SEEDS_WITHOUT_DEFECT)).toBe('none');
  });

  it('an event that never reached a cache', async () => {
    const broken = await firstBroken(kubeScenario(losingLines(500)), SEEDS);
    expect(['convergence', 'no cache goes back in time']).toContain(broken);
  });

  it('a leader that does not ask whether it still leads', async () => {
    expect(await firstBroken(electionScenario('careless'), SEEDS)).toBe('one leader');
  });
});

/** Loses one line of a stream in so many. */
function losingLines(every: number): (transport: HttpTransport) => HttpTransport {
  let lines = 0;
  async function* lose(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let begun = '';
    for await (const piece of body) {
      const parts = (begun + new TextDecoder('latin1').decode(piece)).split('\n');
      begun = parts.pop() ?? '';
      for (const line of parts) {
        lines += 1;
        if (lines % every !== 0) yield Buffer.from(`${line}\n`, 'latin1');
      }
    }
  }
  return (transport) => ({
    async send(request): Promise<HttpResponse> {
      const response = await transport.send(request);
      return request.streaming === true ? { ...response, body: lose(response.body) } : response;
    },
  });
}
