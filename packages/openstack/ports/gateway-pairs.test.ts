import { clusterId, FairleadError, Journal } from '@fairlead/control';
import { expect, it } from 'vitest';
import { emulated } from '../client/testing/emulated.ts';
import { GatewayPairs } from './gateway-pairs.ts';
import { NeutronPorts } from './neutron-ports.ts';
import { ResolvedPools } from './resolved-pools.ts';

const { signal } = new AbortController();

/** Counts the attempts of a change that another program gets in the way of so often. */
async function attemptsWith(conflicts: number): Promise<number | string> {
  const { clock, neutron } = emulated();
  const owner = { cluster: clusterId('cluster-1'), part: 'gateway' };
  const pools = new ResolvedPools(neutron, owner, []);
  let attempts = 0;
  const pairs = new GatewayPairs({
    pools,
    ports: () => new NeutronPorts({ neutron, scope: pools.scope(), journal: new Journal(clock) }),
    given: new Map(),
    inTurn: async (change) => {
      attempts += 1;
      if (attempts <= conflicts) throw new FairleadError('changed', { verdict: 'stale', code: 'precondition' });
      await change();
    },
  });
  return pairs.detach(new Set(), signal).then(
    () => attempts,
    (error: unknown) => (error instanceof FairleadError ? `${error.code} after ${attempts}` : 'another error'),
  );
}

it('reads a gateway’s port anew when another program changes it at the same time, and not for ever', async () => {
  expect(await attemptsWith(0)).toBe(1);
  expect(await attemptsWith(2)).toBe(3);
  expect(await attemptsWith(9)).toBe('precondition after 3');
});
