import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LbaasStep } from '../drivers/lbaas-driver.ts';
import type { KuryrLoadBalancer, KuryrLoadBalancerSpec } from '../resource/types.ts';
import { MemoryLbaas } from '../testing/memory-lbaas.ts';
import { testSite } from '../testing/test-site.ts';
import { type DesiredBalancer, desiredBalancer } from './desired.ts';
import { tagsOf } from './marks.ts';
import { loadBalancerRequest } from './requests.ts';
import { treeSteps } from './tree-steps.ts';

const PORT = { id: 'port', fixed_ips: [{ subnet_id: 'subnet-4', ip_address: '10.0.0.9' }] };
const MONITORED = { monitor_address: '10.1.0.98', monitor_port: 99 };
const UNMARKED = { name: 'by hand', tags: [], weight: 7, backup: true, ...MONITORED, admin_state_up: false };

function desired(spec: KuryrLoadBalancerSpec): DesiredBalancer {
  const ownerReferences = [{ apiVersion: 'v1', kind: 'Service', name: 'web', uid: 'uid-1' }];
  const resource: KuryrLoadBalancer = { metadata: { namespace: 'shop', name: 'web', ownerReferences }, spec };
  const made = desiredBalancer(resource, testSite);
  if (made === undefined) throw new Error('it is not complete');
  return made;
}

const endpoints = (...numbers: readonly number[]) =>
  numbers.map((number) => ({ addresses: [`10.1.0.${number}`], targetRef: { name: `web-${number}` } }));

const http = { protocol: 'TCP', port: 80, targetPort: '8080' } as const;
const plain: KuryrLoadBalancerSpec = {
  ports: [http],
  endpointSlices: [{ endpoints: endpoints(1, 2), ports: [{ protocol: 'TCP', port: 8080 }] }],
};

async function treeOf(lbaas: MemoryLbaas) {
  const [balancer] = lbaas.balancers.values();
  if (balancer === undefined) throw new Error('there is no load balancer');
  return lbaas.tree(balancer);
}

async function made(spec: KuryrLoadBalancerSpec): Promise<MemoryLbaas> {
  const lbaas = new MemoryLbaas();
  await lbaas.perform({ kind: 'create-load-balancer', body: loadBalancerRequest(desired(spec), PORT) });
  lbaas.log.length = 0;
  return lbaas;
}

/** Takes the first step until there is none. */
async function converge(lbaas: MemoryLbaas, spec: KuryrLoadBalancerSpec): Promise<readonly LbaasStep[]> {
  for (let count = 0; count < 60; count += 1) {
    const [step] = treeSteps(desired(spec), await treeOf(lbaas));
    if (step === undefined) return lbaas.log;
    await lbaas.perform(step);
  }
  throw new Error(`no end: ${lbaas.log.map(({ kind }) => kind).join(', ')}`);
}

const kinds = (steps: readonly LbaasStep[]) => steps.map(({ kind }) => kind);

describe('treeSteps', () => {
  it('has nothing to do below a load balancer that was created in one call', async () => {
    expect(treeSteps(desired(plain), await treeOf(await made(plain)))).toEqual([]);
  });

  it('replaces half of the members in one call, and says the subnet of each', async () => {
    const lbaas = await made(plain);
    const after = {
      ...plain,
      endpointSlices: [{ endpoints: endpoints(2, 3), ports: [{ protocol: 'TCP', port: 8080 }] }],
    } as const;
    const [step, ...more] = await converge(lbaas, after);
    expect(more).toEqual([]);
    expect(step).toMatchObject({
      kind: 'set-members',
      members: [
        { address: '10.1.0.2', subnet_id: 'subnet-pods', name: 'web-2:8080' },
        { address: '10.1.0.3', subnet_id: 'subnet-pods', name: 'web-3:8080' },
      ],
    });
  });

  it('keeps a member that a user has put there as it is, and takes none away for it', async () => {
    const lbaas = await made(plain);
    const [poolId = ''] = lbaas.pools.keys();
    const [first] = lbaas.members.get(poolId) ?? [];
    if (first === undefined) throw new Error('there is no member');
    const byHand = { ...first, ...UNMARKED, id: 'by-hand', address: '10.1.0.99' };
    lbaas.members.get(poolId)?.push(byHand);
    expect(await converge(lbaas, plain)).toEqual([]);
    await converge(lbaas, { ...plain, endpointSlices: [] });
    expect(lbaas.members.get(poolId)).toEqual([byHand]);
  });

  it('has no member twice whose address a user has spelled in another way', async () => {
    const endpointSlices = [
      { endpoints: [{ addresses: ['fd00::1'] }], ports: [{ protocol: 'TCP', port: 8080 }] },
    ] as const;
    const lbaas = await made({ ...plain, endpointSlices });
    const [poolId = ''] = lbaas.pools.keys();
    const members = lbaas.members.get(poolId)?.map((one) => ({ ...one, ...UNMARKED, address: 'FD00:0:0:0::1' })) ?? [];
    lbaas.members.set(poolId, members);
    await converge(lbaas, { ...plain, endpointSlices });
    expect(lbaas.members.get(poolId)?.map(({ address }) => address)).toEqual(['fd00::1']);
  });

  it('serves a new port with a listener, then its pool, then its members', async () => {
    const lbaas = await made(plain);
    const ports = [
      { ...http, name: 'a' },
      { ...http, name: 'b', port: 81 },
    ] as const;
    const slices = [{ endpoints: endpoints(1), ports: [{ name: 'b', protocol: 'TCP', port: 9 }] }] as const;
    expect(kinds(await converge(lbaas, { ports, endpointSlices: slices }))).toEqual([
      'set-members',
      'create-listener',
      'create-pool',
      'set-members',
    ]);
  });

  it('refuses a port that a listener of another stands on', async () => {
    const lbaas = await made(plain);
    for (const [id, one] of lbaas.listeners) lbaas.listeners.set(id, { ...one, tags: [], description: '' });
    const tree = await treeOf(lbaas);
    expect(() => treeSteps(desired(plain), tree)).toThrowError(expect.objectContaining({ code: 'port-taken' }));
  });

  it('makes a listener and a pool anew that are in ERROR, and gives the pool to its new listener', async () => {
    const lbaas = await made(plain);
    for (const [id, one] of lbaas.listeners) lbaas.listeners.set(id, { ...one, provisioning_status: 'ERROR' });
    expect(kinds(await converge(lbaas, plain))).toContain('create-listener');
    lbaas.log.length = 0;
    for (const [id, one] of lbaas.pools) lbaas.pools.set(id, { ...one, provisioning_status: 'ERROR' });
    expect(kinds(await converge(lbaas, plain))).toEqual(['delete-pool', 'create-pool', 'set-members']);
  });

  it.each([
    ['a weight of its own', { weight: 5 }],
    ['been switched off', { admin_state_up: false }],
    ['ended in ERROR', { provisioning_status: 'ERROR' }],
  ])('puts a member of ours right that has %s', async (_, changed) => {
    const lbaas = await made(plain);
    const [poolId = ''] = lbaas.pools.keys();
    const before = lbaas.members.get(poolId) ?? [];
    lbaas.members.set(poolId, [...before.slice(0, 1).map((one) => ({ ...one, ...changed })), ...before.slice(1)]);
    expect(kinds(await converge(lbaas, plain))).toEqual(['set-members']);
    expect(lbaas.members.get(poolId)).toEqual(before);
  });

  const monitored = { ...plain, health_monitor: { delay: 5, timeout: 3, max_retries: 1, max_retries_down: 3 } };

  it('makes a monitor anew that is in ERROR', async () => {
    const lbaas = await made(monitored);
    for (const [id, one] of lbaas.monitors) lbaas.monitors.set(id, { ...one, provisioning_status: 'ERROR' });
    expect(kinds(await converge(lbaas, monitored))).toEqual(['delete-monitor', 'create-monitor']);
  });

  it('leaves a monitor where it is that a user has put there', async () => {
    const lbaas = await made(monitored);
    for (const [id, one] of lbaas.monitors) lbaas.monitors.set(id, { ...one, tags: [] });
    expect(await converge(lbaas, plain)).toEqual([]);
  });

  it('gives a listener that has lost its pool that pool back', async () => {
    const lbaas = await made(plain);
    for (const [id, one] of lbaas.listeners) lbaas.listeners.set(id, { ...one, default_pool_id: undefined });
    for (const [id, one] of lbaas.pools) lbaas.pools.set(id, { ...one, listeners: [] });
    expect(kinds(await converge(lbaas, plain))).toEqual(['update-listener']);
    expect([...lbaas.listeners.values()].map((one) => one.default_pool_id)).toEqual([...lbaas.pools.keys()]);
  });

  it('gives a listener that has lost its pool no pool that another listener has', async () => {
    const lbaas = await made(plain);
    for (const [id, one] of lbaas.listeners) lbaas.listeners.set(id, { ...one, default_pool_id: undefined });
    for (const [id, one] of lbaas.pools) lbaas.pools.set(id, { ...one, listeners: [{ id: 'theirs' }] });
    expect(kinds(await converge(lbaas, plain))).toContain('create-pool');
  });

  it('leads a listener back to its pool from one of another, which it leaves as it is', async () => {
    const lbaas = await made(plain);
    const [listener] = lbaas.listeners.values();
    const [pool] = lbaas.pools.values();
    if (listener === undefined || pool === undefined) throw new Error('there is no listener with a pool');
    const ofListener = { listeners: [{ id: listener.id }], tags: [], description: '' };
    const theirs = { ...pool, id: 'theirs', name: 'by hand', protocol: 'PROXY', ...ofListener } as const;
    lbaas.pools.set(pool.id, { ...pool, listeners: [] }).set(theirs.id, theirs);
    lbaas.listeners.set(listener.id, { ...listener, default_pool_id: theirs.id });
    expect(await converge(lbaas, plain)).toEqual([
      { kind: 'update-listener', id: listener.id, changes: { default_pool_id: pool.id } },
    ]);
    expect(lbaas.pools.get(theirs.id)).toEqual(theirs);
  });

  it('changes for how long clients of UDP are sent to the same member', async () => {
    const udp: KuryrLoadBalancerSpec = { ...plain, ports: [{ protocol: 'UDP', port: 53, targetPort: '53' }] };
    const lbaas = await made({ ...udp, traffic: { affinity_seconds: 60 } });
    expect(kinds(await converge(lbaas, { ...udp, traffic: { affinity_seconds: 90 } }))).toEqual(['update-pool']);
    expect([...lbaas.pools.values()]).toMatchObject([{ session_persistence: { persistence_timeout: 90 } }]);
  });

  it('changes the certificate of a listener, and the headers that it inserts', async () => {
    const lbaas = await made({ ...plain, traffic: { default_tls_container_ref: 'old', x_forwarded_for: true } });
    const steps = await converge(lbaas, { ...plain, traffic: { default_tls_container_ref: 'new' } });
    expect(kinds(steps)).toEqual(['update-listener']);
    const [listener] = lbaas.listeners.values();
    expect([listener?.default_tls_container_ref, listener?.insert_headers]).toEqual(['new', {}]);
  });

  const spec: fc.Arbitrary<KuryrLoadBalancerSpec> = fc
    .record({
      ports: fc.uniqueArray(fc.constantFrom('TCP 80', 'TCP 443', 'UDP 53', 'TCP 53', 'SCTP 9'), { minLength: 1 }),
      pods: fc.uniqueArray(fc.integer({ min: 1, max: 6 })),
      provider: fc.constantFrom('amphora', 'ovn'),
      affinity: fc.boolean(),
      limit: fc.option(fc.integer({ min: -1, max: 10 })),
      monitor: fc.option(fc.constantFrom(undefined, 32_000)),
      cidrs: fc.constantFrom(undefined, ['198.51.100.0/24'], ['198.51.100.0/24', '192.0.2.0/24']),
      layer7: fc.constantFrom(
        {},
        { proxy_protocol: 'v1' },
        { x_forwarded_for: true },
        { default_tls_container_ref: 'c' },
      ),
    })
    .map(({ ports, pods, provider, affinity, limit, monitor, cidrs, layer7 }): KuryrLoadBalancerSpec => {
      const wanted = ports.map((text) => {
        const [protocol = '', port = ''] = text.split(' ');
        const transport = protocol === 'UDP' || protocol === 'SCTP' ? protocol : 'TCP';
        return { name: text, protocol: transport, port: Number(port), targetPort: port } as const;
      });
      const isTcp = wanted.every(({ protocol }) => protocol === 'TCP') && provider === 'amphora';
      const slices = wanted.map(({ name, protocol, port }) => ({
        endpoints: endpoints(...pods),
        ports: [{ name, protocol, port }],
      }));
      return {
        ports: wanted,
        provider,
        endpointSlices: slices,
        traffic: {
          ...(affinity && provider === 'amphora' ? { affinity_seconds: 60 } : {}),
          ...(limit === null ? {} : { connection_limit: limit }),
          ...(cidrs === undefined ? {} : { allowed_cidrs: cidrs }),
          ...(isTcp ? layer7 : {}),
        },
        ...(monitor === null
          ? {}
          : {
              health_monitor: {
                delay: 5,
                timeout: 3,
                max_retries: 1,
                max_retries_down: 3,
                ...(monitor === undefined ? {} : { node_port: monitor }),
              },
            }),
      };
    });

  it('comes from any load balancer to any other, with at most one change of members for each pool that stays', async () => {
    await fc.assert(
      fc.asyncProperty(spec, spec, async (before, after) => {
        const lbaas = await made(before);
        const steps = await converge(lbaas, after);
        const pools = steps.flatMap((step) => (step.kind === 'set-members' ? [step.poolId] : []));
        expect(new Set(pools).size).toBe(pools.length);
        const { listeners, members } = await treeOf(lbaas);
        const served = listeners.map((one) => `${one.protocol_port} ${one.name}`).toSorted();
        expect(served).toEqual(
          desired(after)
            .listeners.map(({ port, name }) => `${port} ${name}`)
            .toSorted(),
        );
        const wanted = desired(after).listeners.flatMap(({ pool }) => pool.members.map(({ address }) => address));
        expect(
          [...members.values()]
            .flat()
            .map(({ address }) => address)
            .toSorted(),
        ).toEqual(wanted.toSorted());
        const unmarked = [...members.values()]
          .flat()
          .filter(({ tags }) => tags.length < tagsOf({ cluster: testSite.cluster, uid: 'uid-1' }).length);
        expect(unmarked).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });
});
