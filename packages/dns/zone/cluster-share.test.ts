import { SERVICE_NAME, SOURCE_CLUSTER } from '@fairlead/clusterset/mcs';
import type { EndpointSlice } from '@fairlead/kube';
import { describe, expect, it } from 'vitest';
import { clusterShares } from './cluster-share.ts';
import { testSettings as settings } from '../testing/test-zone.ts';

function metadataOf(cluster: string, number: number) {
  const labels = { [SERVICE_NAME]: 'db', [SOURCE_CLUSTER]: cluster };
  return { namespace: 'shop', name: `db.${number}.${cluster}`, labels };
}

function sliceOf(cluster: string, endpointCount: number, portCount: number) {
  return {
    metadata: metadataOf(cluster, 1),
    addressType: 'IPv4' as const,
    endpoints: Array.from({ length: endpointCount }, (_, at) => ({ addresses: [`10.0.${at >> 8}.${at & 255}`] })),
    ports: Array.from({ length: portCount }, (_, at) => ({ name: `p${at}`, port: at + 1 })),
  };
}

describe('what a cluster contributes', () => {
  function sharesOf(slices: readonly EndpointSlice[]) {
    return clusterShares({ namespace: 'shop', name: 'db', olderImports: [], slices }, 'Headless', settings);
  }

  it('has a bound, by which other clusters lose nothing, and what is beyond it is told', () => {
    const [big, small] = sharesOf([sliceOf('a', 1_000, 100), sliceOf('b', 3, 1)]);
    expect(big?.endpoints).toHaveLength(39);
    expect(big?.leftOut).toEqual(['961 endpoints: with their ports, they are more than 3997']);
    expect(big?.faults).toEqual(big?.leftOut);
    expect(small).toMatchObject({ endpoints: [{}, {}, {}], leftOut: [], faults: [] });
  });

  it('has the same bound however many clusters there are said to be', () => {
    const shares = sharesOf(Array.from({ length: 1_000 }, (_, at) => sliceOf(`c${at}`, 30, 1)));
    const counts = shares.map(({ endpoints }) => endpoints.length);
    expect(counts.filter((count) => count === 20)).toHaveLength(200);
    expect(counts.filter((count) => count === 0)).toHaveLength(800);
    expect(shares.at(-1)?.faults).toEqual(['more than 200 clusters have the Service']);
  });

  it('looks at no more endpoints than it takes, and tells how many there are beyond', () => {
    let looked = 0;
    const endpoint = {
      get addresses() {
        looked += 1;
        return ['10.0.0.1'];
      },
    };
    const slices = Array.from({ length: 100 }, (_, at) => ({
      ...sliceOf('a', 0, 1),
      metadata: metadataOf('a', at),
      endpoints: Array.from({ length: 1_000 }, () => endpoint),
    }));
    const [share] = sharesOf(slices);
    expect(looked).toBeLessThanOrEqual(2 * 4_000);
    expect(share?.faults).toEqual(['96000 endpoints: with their ports, they are more than 4000']);
  });

  it('leaves a cluster what another has of pods that are not ready', () => {
    const unready = Array.from({ length: 4_000 }, () => ({ addresses: ['10.0.0.1'], conditions: { ready: false } }));
    const [, other] = sharesOf([{ ...sliceOf('a', 0, 1), endpoints: unready }, sliceOf('b', 3_500, 1)]);
    expect(other?.endpoints).toHaveLength(3_500);
  });

  it('has the same bound for ports, also for those of slices without endpoints', () => {
    const withPorts = (cluster: string, first: number) => ({
      ...sliceOf(cluster, 0, 0),
      metadata: metadataOf(cluster, first),
      ports: Array.from({ length: 1_500 }, (_, at) => ({ name: `p${first + at}`, port: first + at })),
    });
    const shares = sharesOf(
      ['a', 'b'].flatMap((cluster) => [
        sliceOf(cluster, 1, 0),
        ...[2, 5_000].map((first) => withPorts(cluster, first)),
      ]),
    );
    expect(shares.map((share) => [share.endpoints.length, share.ports.length])).toEqual([
      [1, 1_500],
      [1, 1_500],
    ]);
  });

  it('is told in a hundred lines of each kind, however much of it is wrong', () => {
    const wrong = { ...sliceOf('a', 0, 1), addressType: 'FQDN' as const };
    const addresses = Array.from({ length: 100 }, () => 'x.org');
    const endpoints = Array.from({ length: 1_000 }, () => ({ addresses }));
    const unready = Array.from({ length: 300 }, () => ({ addresses: ['10.0.0.1'], conditions: { ready: false } }));
    const [share] = sharesOf([
      { ...wrong, endpoints: [...unready, ...endpoints] },
      { ...wrong, metadata: metadataOf('a', 2), endpoints },
    ]);
    expect(share?.endpoints).toEqual([]);
    expect(share?.faults).toHaveLength(102);
    expect(share?.faults.slice(-2)).toEqual([
      'and 3900 more of this kind',
      '1960 endpoints: with their ports, they are more than 4000',
    ]);
    expect(share?.leftOut).toHaveLength(204);
    expect(share?.leftOut).toContain('and 200 more of this kind');
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

  it('has a bound for the ports and the addresses of a cluster with older software, and tells what is beyond it', () => {
    const labels = {
      'lighthouse.submariner.io/sourceCluster': 'a',
      'lighthouse.submariner.io/sourceName': 'db',
      'lighthouse.submariner.io/sourceNamespace': 'shop',
    };
    const ports = Array.from({ length: 1_002 }, (_, at) => ({ name: `p${at}`, port: at + 1 }));
    const ips = Array.from({ length: 19 }, (_, at) => `10.96.0.${at + 1}`);
    const older = {
      metadata: { namespace: 'old', name: 'db-shop-a', labels },
      spec: { type: 'ClusterSetIP', ports, ips },
    } as const;
    const view = { namespace: 'shop', name: 'db', olderImports: [older], slices: [] };
    const [share] = clusterShares(view, 'ClusterSetIP', { ...settings, olderClusters: ['a'] });
    expect([share?.ports.length, share?.endpoints.length]).toEqual([1_000, 16]);
    expect(share?.leftOut).toEqual([
      '2 ports of the ServiceImport: they are more than 1000',
      '3 addresses of the ServiceImport: they are more than 16',
    ]);
  });
});
