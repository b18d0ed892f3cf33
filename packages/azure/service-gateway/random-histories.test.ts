import { describe, expect, it } from 'vitest';
import { playMoves, RandomHistory } from './testing/random-history.ts';

const seeds = Array.from({ length: 8 }, (_, index) => index + 1);

describe('the service gateway in a rough world', () => {
  it.each(seeds)('is in step with the cluster once faults stop, and lets no pod go early: seed %i', async (seed) => {
    const history = new RandomHistory(seed);
    await history.run(60);
    const { azure, violations } = history;
    expect(violations).toEqual([]);
    const expected = await history.expected();
    expect(history.found).toEqual(expected);
    const balancers = [...azure.resources('loadBalancers'), ...azure.resources('natGateways')];
    expect(balancers).toHaveLength(expected.services.length);
    expect(azure.resources('publicIPAddresses')).toHaveLength(expected.services.length);
    const codes = azure.log.calls.flatMap(({ code }) => code ?? []);
    expect(codes).not.toContain('ServiceWithOverlayMappingsCannotBeDeleted');
    azure.assertConsistent();
  });

  it.each(seeds)('never leaves an address without a gateway while its pod moves: seed %i', async (seed) => {
    expect(await playMoves(seed)).toEqual([]);
  });
});
