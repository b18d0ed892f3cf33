import { VirtualClock } from '@fairlead/control';
import { describe, expect, it } from 'vitest';
import { publicIpId } from '../scope.ts';
import { newAzure, scope } from '../testing/azure-bench.ts';
import { GatewayCluster } from '../testing/cluster.ts';
import { inbound } from '../testing/keys.ts';
import { Replica } from '../testing/replica.ts';

describe('the address that a Service shows', () => {
  it('stays while it is not known what became of a write to its public IP', async () => {
    const clock = new VirtualClock();
    const azure = newAzure(clock);
    const cluster = new GatewayCluster(clock);
    await cluster.setUp(['10.0.0.1']);
    await cluster.createService('web');
    const replica = new Replica(cluster, azure, { comparisonIntervalSeconds: 60 });
    await replica.settle();
    const ingress = async () => (await cluster.service('web'))?.status?.loadBalancer?.ingress;
    const shown = await ingress();
    expect(shown).toHaveLength(1);

    const key = inbound((await cluster.service('web'))?.metadata.uid ?? '');
    azure.byHand({ method: 'PATCH', path: publicIpId(scope, key, 'IPv4'), body: { tags: {} } });
    const put = { method: 'PUT', kind: 'publicIPAddresses' } as const;
    // As often as the client repeats it by itself.
    azure.faults.next(put, { kind: 'lose-response' }, 4);
    expect(await clock.runUntil(() => azure.faults.left === 0, 120_000)).toBe(true);
    await clock.advance(300);
    expect(replica.engine.oldestUnsettledSince).toBeDefined();
    expect(await ingress()).toEqual(shown);
    await clock.advance(120_000);
    expect(await ingress()).toEqual(shown);
    await replica.stop();
  });
});
