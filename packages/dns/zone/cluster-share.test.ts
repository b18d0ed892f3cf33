import { SERVICE_NAME, SOURCE_CLUSTER } from '@fairlead/clusterset/mcs';
import { describe, expect, it } from 'vitest';
import { clusterShares } from './cluster-share.ts';

const settings = {
  zone: 'clusterset.local',
  seconds: 5,
  clusterSpecificNames: true,
  weights: new Map<string, number>(),
  olderClusters: [],
  olderNamespace: 'old',
  nameServerAddresses: [],
  serial: 1,
};

function sliceOf(cluster: string, endpointCount: number, portCount: number) {
  const labels = { [SERVICE_NAME]: 'db', [SOURCE_CLUSTER]: cluster };
  return {
    metadata: { namespace: 'shop', name: `db.1.${cluster}`, labels },
    addressType: 'IPv4' as const,
    endpoints: Array.from({ length: endpointCount }, (_, at) => ({ addresses: [`10.0.${at >> 8}.${at & 255}`] })),
    ports: Array.from({ length: portCount }, (_, at) => ({ name: `p${at}`, port: at + 1 })),
  };
}

describe('what a cluster contributes', () => {
  it('has a bound, by which other clusters lose nothing, and what is beyond it is told', () => {
    const slices = [sliceOf('a', 1_000, 100), sliceOf('b', 3, 1)];
    const view = { namespace: 'shop', name: 'db', olderImports: [], slices };
    const [big, small] = clusterShares(view, 'Headless', settings);
    expect(big?.endpoints).toHaveLength(100);
    expect(big?.leftOut).toEqual(['900 endpoints: with their ports, they are more than 10000']);
    expect(big?.faults).toEqual(big?.leftOut);
    expect(small).toMatchObject({ endpoints: [{}, {}, {}], leftOut: [], faults: [] });
  });

  it('is the address of a cluster with older software, unless its slices say that no pod is ready there', () => {
    const labels = {
      'lighthouse.submariner.io/sourceCluster': 'a',
      'lighthouse.submariner.io/sourceName': 'db',
      'lighthouse.submariner.io/sourceNamespace': 'shop',
    };
    const spec = { type: 'ClusterSetIP', ports: [], ips: ['10.96.0.7'] } as const;
    const olderImports = [{ metadata: { namespace: 'old', name: 'db-shop-a', labels }, spec }];
    const addresses = (...slices: readonly ReturnType<typeof sliceOf>[]) => {
      const view = { namespace: 'shop', name: 'db', olderImports, slices };
      const [share] = clusterShares(view, 'ClusterSetIP', { ...settings, olderClusters: ['a'] });
      return share?.endpoints.map(({ address }) => address);
    };
    expect(addresses()).toEqual(['10.96.0.7']);
    expect(addresses(sliceOf('a', 1, 1))).toEqual(['10.96.0.7']);
    expect(addresses(sliceOf('a', 0, 1))).toEqual([]);
  });
});
