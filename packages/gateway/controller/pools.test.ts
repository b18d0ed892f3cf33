import type { Service } from '@fairlead/kube';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { gatewayConfiguration, poolsOf } from './configuration.ts';
import { choosePool, permittedPools, selectingLabels } from './pools.ts';

const pools = poolsOf(
  gatewayConfiguration().parse({
    pools: [
      { name: 'partners', addresses: ['192.0.2.1'], selects: { labels: { tier: 'partner' } } },
      { name: 'team', addresses: ['192.0.2.2'], selects: { namespaces: ['team'] }, namespaces: ['team'] },
      { name: 'precious', addresses: ['192.0.2.3'], automatic: false },
      { name: 'common', addresses: ['192.0.2.4'], namespaces: ['shop', 'team'] },
    ],
  }),
);

const service = (namespace: string, asked?: string, labels: Record<string, string> = {}): Service => ({
  metadata: {
    namespace,
    name: 'web',
    labels,
    ...(asked === undefined ? {} : { annotations: { 'gateway.fairlead.dev/pool': asked } }),
  },
  spec: {},
});

const chosen = (one: Service) => choosePool(one, pools).pool.name;

describe('the choice of a pool', () => {
  it('is that of the annotation, also of one that is kept from automatic use', () => {
    expect(chosen(service('shop', 'precious'))).toBe('precious');
    expect(() => choosePool(service('shop', 'ghost'), pools)).toThrow('there is no pool "ghost"');
  });

  it('is the first that selects the Service by namespace or labels, and else the first that takes all', () => {
    expect(chosen(service('shop', undefined, { tier: 'partner' }))).toBe('partners');
    expect(chosen(service('team'))).toBe('team');
    expect(chosen(service('shop'))).toBe('common');
  });

  it('never is one that the namespace may not use', () => {
    expect(() => choosePool(service('shop', 'team'), pools)).toThrow('may not use the pool team');
    expect(() => choosePool(service('other'), pools)).toThrow('no pool takes it');
    expect(permittedPools(service('other'), pools)).toEqual(['partners', 'precious']);
  });

  it('tells which labels it goes by', () => {
    expect(selectingLabels(pools)).toEqual(['tier']);
  });
});

describe('the configuration of pools', () => {
  const problems = (configuration: unknown) =>
    gatewayConfiguration()
      .safeParse(configuration)
      .error?.issues.map(({ message }) => message);

  it('is one unnamed pool, or several with names', () => {
    expect(poolsOf(gatewayConfiguration().parse({ addresses: ['192.0.2.1'] }))).toMatchObject([
      { name: 'default', addresses: ['192.0.2.1'], gateways: [], backends: 'pods', automatic: true },
    ]);
    expect(problems({})).toEqual(['needs one of addresses, pools and poolsFile']);
    expect(problems({ addresses: [] })).toEqual(['is empty: name at least one address, such as 192.0.2.10']);
    expect(problems({ addresses: ['192.0.2.1'], pools: [{ name: 'a', addresses: ['192.0.2.1'] }] })).toHaveLength(1);
  });

  it('tells once what is wrong with an address, or with all of them together', () => {
    expect(problems({ addresses: ['192.0.2.1', '192.0.2.77/24'] })).toEqual([expect.stringContaining('192.0.2.0/24')]);
    expect(problems({ addresses: ['192.0.2.300', 'nowhere'] })).toHaveLength(2);
    expect(problems({ addresses: ['10.0.0.0/17', '10.1.0.0/16'] })).toHaveLength(1);
  });

  it('has addresses in all pools, or a cloud that makes them', () => {
    const sections = { cloud: z.object({}), pool: z.strictObject({ network: z.string() }) };
    const problemsWith = (pools: readonly object[]) =>
      gatewayConfiguration(sections)
        .safeParse({ pools })
        .error?.issues.map(({ message }) => message);
    const openstack = { network: 'nodes' };
    expect(problemsWith([{ name: 'a', openstack }])).toBeUndefined();
    expect(problemsWith([{ name: 'a' }])).toEqual(['needs either addresses or openstack in the pool a']);
    expect(problemsWith([{ name: 'a', openstack, addresses: ['192.0.2.1'] }])).toHaveLength(1);
    expect(problemsWith([{ name: 'a', openstack: {} }])).toHaveLength(1);
    expect(
      problemsWith([
        { name: 'a', openstack },
        { name: 'b', addresses: ['192.0.2.1'] },
      ]),
    ).toEqual(['has pools with addresses beside pools with openstack: give all of them one or the other']);
    expect(problems({ pools: [{ name: 'a', openstack }] })).toHaveLength(1);
  });

  it('has no address and no name twice', () => {
    const twice = [
      { name: 'a', addresses: ['192.0.2.0/30'] },
      { name: 'a', addresses: ['192.0.2.2'] },
    ];
    expect(problems({ pools: twice })).toEqual(['has two pools of the same name', 'has 192.0.2.2 in two pools']);
  });

  it('reaches gateways with certificates, or on the loopback interface', () => {
    const gateways = [{ name: 'gw', url: 'https://192.0.2.9:8443' }];
    expect(problems({ addresses: ['192.0.2.1'], gateways })).toEqual(['needs certificates for its gateways']);
    const certificates = { certificateFile: 'a', keyFile: 'b', authorityFile: 'c' };
    expect(problems({ addresses: ['192.0.2.1'], gateways, certificates })).toBeUndefined();
    expect(
      problems({ addresses: ['192.0.2.1'], gateways: [{ name: 'gw', url: 'http://127.0.0.1:80' }] }),
    ).toBeUndefined();
    expect(problems({ addresses: ['192.0.2.1'], gateways: [{ name: 'gw', url: 'http://192.0.2.9' }] })).toHaveLength(1);
    const moved = [...gateways, { name: 'gw', url: 'https://192.0.2.8' }];
    expect(problems({ addresses: ['192.0.2.1'], gateways: moved, certificates })).toEqual([
      'has two URLs for the gateway gw',
    ]);
  });
});
