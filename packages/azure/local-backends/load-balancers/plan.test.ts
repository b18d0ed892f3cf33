import { requireIpAddress } from '@fairlead/control';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { armId, clusterTags, type LoadBalancer, serviceTags } from '../../arm/index.ts';
import { dryRun, imaginedAnswer } from '../report/dry-run.ts';
import type { ServiceMark } from '../names.ts';
import { loadBalancerId, publicIpId } from '../site.ts';
import { addressesHeldTwice, differences, letInUnguarded } from '../testing/plan-check.ts';
import { openSite, present, site, wantedService } from '../testing/wanted.ts';
import { MAX_ROUNDS, withAnswer } from './apply.ts';
import { nameFor } from './request-bodies/child-resources.ts';
import type { WantedService } from './desired.ts';
import { FailedWrites } from './failed-writes.ts';
import type { ObservedAzure } from './observed.ts';
import { callOf, nextWrites, type PlanInput } from './plan.ts';
import type { PresentTarget, Target } from './target.ts';

const EMPTY: ObservedAzure = {
  loadBalancers: new Map(),
  publicIps: new Map(),
  publicIpsElsewhere: new Map(),
  securityGroup: undefined,
};
const guarded: ObservedAzure = {
  ...EMPTY,
  securityGroup: {
    id: armId('networkSecurityGroups', site.group, 'nodes'),
    name: 'nodes',
    location: 'westeurope',
    properties: {},
  },
};
const noNodes = { addresses: () => [], isNode: () => false };
const planInput = (
  targets: readonly Target[],
  observed: ObservedAzure,
  backends: PlanInput['backends'] = noNodes,
): PlanInput => ({ site: observed.securityGroup === undefined ? openSite : site, targets, observed, backends });
const absent = ({ mark, subject, adopted }: PresentTarget): Target => ({ kind: 'absent', mark, subject, adopted });
const writesOf = (planned: PlanInput) => dryRun(planned).writes;
const calls = (targets: readonly Target[], observed: ObservedAzure) =>
  writesOf(planInput(targets, observed)).map(callOf);

/** What is there after all writes. */
function settled(targets: readonly Target[], before: ObservedAzure): ObservedAzure {
  return dryRun(planInput(targets, before)).observed;
}

const web = wantedService('shop/web');
const name = nameFor(site, web, 'IPv4');

describe('the writes for a Service', () => {
  it('make its address, then who may reach it, then the load balancer', () => {
    expect(calls([present(web)], guarded)).toEqual([
      `PUT publicIPAddresses/${name}`,
      'PUT networkSecurityGroups/nodes',
      'PUT loadBalancers/one',
    ]);
    expect(calls([present(web)], EMPTY)).toEqual([`PUT publicIPAddresses/${name}`, 'PUT loadBalancers/one']);
  });

  it('leave out what nobody can reach yet where Azure failed at the load balancer, and only there', () => {
    const [mail, late] = [wantedService('shop/mail'), wantedService('shop/late')];
    const before = settled([present(web), present(late)], guarded);
    const one = before.loadBalancers.get('one');
    if (one === undefined) throw new Error('it was not made');
    const failed: LoadBalancer = { ...one, properties: { ...one.properties, provisioningState: 'Failed' } };
    const unserved = new Set([present(late).mark]);
    const frontendsAfter = (targets: readonly Target[], observed: ObservedAzure) => {
      const { loadBalancers } = dryRun({ ...planInput(targets, observed), unserved }).observed;
      return loadBalancers.get('one')?.properties.frontendIPConfigurations?.map((frontend) => frontend.name);
    };
    const names = (...wanted: readonly WantedService[]) => wanted.map((each) => nameFor(site, each, 'IPv4'));
    const broken = { ...before, loadBalancers: new Map([['one', failed]]) };
    expect(frontendsAfter([present(mail)], before)).toEqual(names(web, late, mail));
    expect(frontendsAfter([present(mail)], broken)).toEqual(names(web, mail));
    expect(frontendsAfter([present(mail), present(late)], broken)).toEqual(names(web, late, mail));
  });

  it('take others back to what they had where Azure failed at a change of theirs, but for the nodes in their pools', () => {
    const late = wantedService('shop/late');
    const at = (address: string) => ({ addresses: () => [requireIpAddress(address)], isNode: () => true });
    const changed = { ...web, ports: [{ port: 443, protocol: 'TCP' }] } as const;
    const before = dryRun(planInput([present(web)], guarded, at('10.0.1.1'))).observed;
    const after = dryRun(planInput([present(changed)], before, at('10.0.1.2'))).observed;
    const [inOrder, one] = [before.loadBalancers.get('one'), after.loadBalancers.get('one')];
    if (inOrder === undefined || one === undefined) throw new Error('it was not made');
    const failed: LoadBalancer = { ...one, properties: { ...one.properties, provisioningState: 'Failed' } };
    const broken = { ...after, loadBalancers: new Map([['one', failed]]) };
    const written = (mark: ServiceMark) => {
      const failedWrites = new FailedWrites();
      failedWrites.failed(one.id, [mark], inOrder);
      const { observed } = dryRun({ ...planInput([present(late)], broken, at('10.0.1.3')), failedWrites });
      const { loadBalancingRules = [], backendAddressPools = [] } = observed.loadBalancers.get('one')?.properties ?? {};
      const entries = backendAddressPools[0]?.properties.loadBalancerBackendAddresses ?? [];
      return [
        ...loadBalancingRules.map(({ properties }) => properties.frontendPort),
        ...entries.map(({ properties }) => properties.ipAddress),
      ];
    };
    expect(written(present(web).mark)).toEqual([80, 80, '10.0.1.2']);
    expect(written(present(late).mark)).toEqual([443, 80, '10.0.1.2']);
  });

  it('leave a security group at which Azure failed to those who have something in it, and to who leaves', () => {
    const inside = present(wantedService('shop/in', { scope: 'internal' }));
    const failed: ObservedAzure = {
      ...guarded,
      securityGroup: guarded.securityGroup && {
        ...guarded.securityGroup,
        properties: { provisioningState: 'Failed' },
      },
    };
    expect(nextWrites(planInput([inside], failed)).map(callOf)).toEqual(['PUT loadBalancers/inside']);
    expect(nextWrites(planInput([absent(inside)], failed)).map(callOf)).toEqual(['PUT networkSecurityGroups/nodes']);
  });

  it('leave a load balancer at which Azure failed to those who have something on it, and to who leaves', () => {
    const [onOne, onTwo] = [present(web), present(wantedService('shop/api'), 'two')];
    const observed = settled([onOne, onTwo], EMPTY);
    const failed: ObservedAzure = {
      ...observed,
      loadBalancers: new Map(
        [...observed.loadBalancers].map(([key, body]) => {
          const provisioningState = key === 'one' ? 'Failed' : 'Succeeded';
          return [key, { ...body, properties: { ...body.properties, provisioningState } }];
        }),
      ),
    };
    const subjects = (targets: readonly Target[]) =>
      nextWrites(planInput(targets, failed)).map((write) => write.subjects);
    expect(subjects([onTwo])).toEqual([]);
    expect(subjects([onOne, onTwo])).toEqual([[onOne.subject]]);
    expect(subjects([onTwo, absent(onOne)])).toEqual([[onOne.subject]]);
  });

  it('take it down the other way round, and the load balancer with the last one on it', () => {
    expect(calls([absent(present(web))], settled([present(web)], guarded))).toEqual([
      'PUT loadBalancers/one',
      'PUT networkSecurityGroups/nodes',
      `DELETE publicIPAddresses/${name}`,
      'DELETE loadBalancers/one',
    ]);
  });

  it('leave an empty load balancer alone that is marked as one Service’s own: such are none of this part’s', () => {
    const theirs: LoadBalancer = {
      id: loadBalancerId(site, 'theirs'),
      name: 'theirs',
      location: 'westeurope',
      sku: { name: 'Standard' },
      tags: serviceTags(site, web.uid),
      properties: {},
    };
    const there = (tags: LoadBalancer['tags'] = theirs.tags) => ({
      ...guarded,
      loadBalancers: new Map([['theirs', { ...theirs, ...(tags === undefined ? {} : { tags }) }]]),
    });
    expect(calls([], there(clusterTags(site)))).toEqual(['DELETE loadBalancers/theirs']);
    expect(calls([], there())).toEqual([]);
  });

  it('leave an address alone that another program has put on a frontend of its own', () => {
    const { publicIps } = settled([present(web)], guarded);
    const publicIPAddress = { id: publicIpId(site, name) };
    const theirs: LoadBalancer = {
      id: loadBalancerId(site, 'theirs'),
      name: 'theirs',
      location: 'westeurope',
      sku: { name: 'Standard' },
      properties: { frontendIPConfigurations: [{ name: 'by-hand', properties: { publicIPAddress } }] },
    };
    const borrowed = { ...guarded, publicIps, loadBalancers: new Map([['theirs', theirs]]) };
    expect(calls([absent(present(web))], borrowed)).toEqual([]);
    expect(calls([absent(present(web))], { ...borrowed, loadBalancers: new Map() })).toEqual([
      `DELETE publicIPAddresses/${name}`,
    ]);
  });

  it('are one for each load balancer and one for the security group, however many Services there are', () => {
    const many = Array.from({ length: 30 }, (_, index) => wantedService(`shop/s${index}`));
    const placed = many.map((wanted, index) => present(wanted, index % 2 === 0 ? 'one' : 'two'));
    expect(calls(placed, guarded).filter((call) => !call.includes('publicIPAddresses'))).toEqual([
      'PUT networkSecurityGroups/nodes',
      'PUT loadBalancers/one',
      'PUT loadBalancers/two',
    ]);
  });

  it('let traffic to an internal address with restricted sources in only after those are', () => {
    const sourceRanges = { kind: 'only', IPv4: ['10.1.0.0/16'], IPv6: [] } as const;
    const inside = present(wantedService('shop/in', { scope: 'internal', sourceRanges }));
    const writes = writesOf(planInput([inside], guarded));
    expect(writes.map(callOf)).toEqual([
      'PUT loadBalancers/inside',
      'PUT networkSecurityGroups/nodes',
      'PUT loadBalancers/inside',
    ]);
    const rules = writes.flatMap((write) =>
      write.kind === 'put-load-balancer' ? [write.body.properties.loadBalancingRules?.length] : [],
    );
    expect(rules).toEqual([0, 1]);
  });

  it('need no rule of the security group for an internal address that is open', () => {
    expect(calls([present(wantedService('shop/in', { scope: 'internal' }))], guarded)).toEqual([
      'PUT loadBalancers/inside',
    ]);
  });

  it('leave the other load balancer first when it moves, and keep its address', () => {
    const before = settled([present(web)], guarded);
    // Alone: Azure refuses an address on two frontends, and writes of one round go out side by side.
    expect(nextWrites(planInput([present(web, 'two')], before)).map(callOf)).toEqual(['PUT loadBalancers/one']);
    expect(calls([present(web, 'two')], before)).toEqual([
      'PUT loadBalancers/one',
      'PUT loadBalancers/two',
      'DELETE loadBalancers/one',
    ]);
    const { mark, subject, adopted } = present(web);
    expect(calls([{ kind: 'detached', mark, subject, adopted }], before)).toEqual([
      'PUT loadBalancers/one',
      'DELETE loadBalancers/one',
    ]);
  });

  it('wait for an address that Azure has not given yet, and hold no other Service up', () => {
    const api = wantedService('shop/api');
    const apiName = nameFor(site, api, 'IPv4');
    let observed = guarded;
    for (const write of nextWrites(planInput([present(web), present(api)], guarded))) {
      const answer = imaginedAnswer(write);
      if (answer.kind !== 'public-ip' || answer.body === undefined) continue;
      const { ipAddress: _none, ...properties } = answer.body.properties;
      const body = answer.name === apiName ? { ...answer.body, properties } : answer.body;
      observed = withAnswer(observed, { ...answer, body });
    }
    const writes = writesOf(planInput([present(web), present(api)], observed));
    expect(writes.map(callOf)).toEqual(['PUT networkSecurityGroups/nodes', 'PUT loadBalancers/one']);
    expect(writes.map(({ subjects }) => subjects)).toEqual([['shop/web'], ['shop/web']]);
  });

  it('take the address of a family away that it no longer has', () => {
    const both = present({ ...web, families: ['IPv4', 'IPv6'] });
    expect(calls([present(web)], settled([both], guarded))).toEqual([
      'PUT networkSecurityGroups/nodes',
      'PUT loadBalancers/one',
      `DELETE publicIPAddresses/${name}-v6`,
    ]);
  });

  it('refuse to take over a public address that has the name and is not ours', () => {
    const id = publicIpId(site, name);
    const body = {
      id,
      name,
      location: 'westeurope',
      sku: { name: 'Standard' },
      properties: { publicIPAllocationMethod: 'Static' },
    } as const;
    expect(() =>
      nextWrites(planInput([present(web)], { ...guarded, publicIps: new Map([[name, body]]) })),
    ).toThrowError(expect.objectContaining({ code: 'address-not-ours', verdict: 'terminal' }));
  });

  it('put right what another program changed, and nothing else', () => {
    const before = settled([present(web)], guarded);
    const drifted = [...before.loadBalancers].map(([key, body]): [string, LoadBalancer] => {
      const probes = body.properties.probes?.map((probe) => ({
        ...probe,
        properties: { ...probe.properties, port: 1 },
      }));
      return [key, { ...body, properties: { ...body.properties, probes: probes ?? [] } }];
    });
    const observed = { ...before, loadBalancers: new Map(drifted) };
    expect(calls([present(web)], observed)).toEqual(['PUT loadBalancers/one']);
    expect(settled([present(web)], observed).loadBalancers.get('one')).toMatchObject({
      properties: { probes: [{ name, properties: { port: 30_080, protocol: 'Http', requestPath: '/healthz' } }] },
    });
  });

  it('take what serves the Service along, and count it as no difference by itself', () => {
    const backends = { addresses: () => [requireIpAddress('10.0.0.7')], isNode: () => false };
    const before = settled([present(web)], guarded);
    expect(writesOf(planInput([present(web)], before, backends))).toEqual([]);
    const more = present({ ...web, ports: [...web.ports, { protocol: 'UDP', port: 53 }] });
    const { observed } = dryRun(planInput([more], before, backends));
    const pools = observed.loadBalancers.get('one')?.properties.backendAddressPools;
    expect(pools).toMatchObject([
      { properties: { loadBalancerBackendAddresses: [{ properties: { ipAddress: '10.0.0.7' } }] } },
    ]);
  });

  it('touch a pool that was taken over under the name that it had', () => {
    const adopted = present({ ...web, adoptedPools: { IPv4: 'shop-web' } });
    const pools = settled([adopted], guarded).loadBalancers.get('one')?.properties.backendAddressPools;
    expect(pools?.map((pool) => pool.name)).toEqual(['shop-web']);
    expect(calls([absent(adopted)], settled([adopted], guarded))).toContain('DELETE loadBalancers/one');
  });
});

const range = fc.constantFrom(
  { kind: 'any' } as const,
  { kind: 'only', IPv4: ['192.0.2.0/24'], IPv6: [] } as const,
  { kind: 'only', IPv4: [], IPv6: ['2001:db8:1::/48'] } as const,
);
const arbitraryWanted = (key: 'a/x' | 'a/y' | 'b/z'): fc.Arbitrary<WantedService> =>
  fc
    .record({
      scope: fc.constantFrom('public' as const, 'internal' as const),
      families: fc.constantFrom(['IPv4'] as const, ['IPv6', 'IPv4'] as const),
      ports: fc.constantFrom(
        [{ protocol: 'TCP', port: 80 }] as const,
        [
          { protocol: 'TCP', port: 80 },
          { protocol: 'UDP', port: 80 },
        ] as const,
        [{ protocol: 'UDP', port: 53 }] as const,
      ),
      sourceRanges: range,
      healthCheckNodePort: fc.constantFrom(30_001, 30_002),
      adoptedPools: fc.constantFrom({}, { IPv4: `old-${key.replace('/', '-')}` }),
    })
    .map((more) => wantedService(key, more));
const target = (key: 'a/x' | 'a/y' | 'b/z'): fc.Arbitrary<Target> =>
  fc.tuple(arbitraryWanted(key), fc.constantFrom('one', 'two'), fc.boolean()).map(([wanted, name, isThere]) => {
    const served = wanted.scope === 'internal' ? present(wanted) : present(wanted, name);
    return isThere ? served : absent(served);
  });
const targets = fc.tuple(target('a/x'), target('a/y'), target('b/z'));

/** A pool and a rule of other owners, which must survive everything. */
const withOthers: ObservedAzure = {
  ...EMPTY,
  loadBalancers: new Map([
    [
      'one',
      {
        id: loadBalancerId(site, 'one'),
        name: 'one',
        location: 'westeurope',
        sku: { name: 'Standard' },
        properties: { backendAddressPools: [{ name: 'aksOutboundBackendPool', properties: {} }] },
      },
    ],
  ]),
  publicIps: new Map(),
  publicIpsElsewhere: new Map(),
  securityGroup: guarded.securityGroup && {
    ...guarded.securityGroup,
    properties: {
      securityRules: [
        {
          name: 'ssh',
          properties: {
            priority: 500,
            direction: 'Inbound',
            access: 'Allow',
            protocol: 'Tcp',
            destinationPortRange: '22',
          },
        },
      ],
    },
  },
};

describe('the writes from anything to anything', () => {
  it('end, leave nothing to do, and never let traffic in before the security group does', () => {
    fc.assert(
      fc.property(targets, targets, fc.nat({ max: 6 }), (first, second, stopAfter) => {
        // The first targets are carried out in part, as by a leader that died.
        let observed = writesOf(planInput(first, withOthers))
          .slice(0, stopAfter)
          .reduce((before, write) => withAnswer(before, imaginedAnswer(write)), withOthers);
        let rounds = 0;
        for (;;) {
          const writes = nextWrites(planInput(second, observed));
          if (writes.length === 0) break;
          rounds += 1;
          expect(rounds).toBeLessThan(MAX_ROUNDS);
          for (const write of writes) {
            expect(letInUnguarded(second, observed, write)).toEqual([]);
            observed = withAnswer(observed, imaginedAnswer(write));
          }
          expect(addressesHeldTwice(observed)).toEqual([]);
        }
        expect(differences(second, observed)).toEqual([]);
        expect(JSON.stringify([...observed.loadBalancers])).toContain('aksOutboundBackendPool');
        expect(JSON.stringify(observed.securityGroup)).toContain('"ssh"');
      }),
      { numRuns: 150 },
    );
  });
});
