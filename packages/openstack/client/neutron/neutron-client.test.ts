import type { CloudCall } from '@fairlead/cloud';
import { FairleadError } from '@fairlead/control';
import { failure, RecordedMetrics, result } from '@fairlead/control/testing';
import { REAL_LATENCY } from '@fairlead/sim/openstack';
import { describe, expect, it, vi } from 'vitest';
import { openStackCalls } from '../api/metrics.ts';
import { emulated, withNetwork } from '../testing/emulated.ts';

/** A client of a project that has so many ports. */
async function withPorts(count: number, options: Parameters<typeof emulated>[0] = {}) {
  const world = emulated(options);
  const network_id = withNetwork(world);
  const { clock, neutron } = world;
  for (let index = 0; index < count; index += 1) {
    await result(clock, neutron.createPort({ network_id, name: `port-${index}` }));
  }
  return { ...world, network_id };
}

describe('NeutronClient', () => {
  it('creates a port with an address of each family, and reads it back', async () => {
    const { clock, neutron, network_id } = await withPorts(0);
    const port = await result(clock, neutron.createPort({ network_id, name: 'web', description: 'ours' }));
    expect(port.fixed_ips.map(({ ip_address }) => ip_address)).toEqual([
      expect.stringMatching(/^10\.0\.0\.\d+$/),
      expect.stringMatching(/^fd00::/),
    ]);
    expect(await result(clock, neutron.findPort(port.id))).toEqual(port);
    expect(await result(clock, neutron.listPorts({ name: 'web' }))).toEqual([port]);
  });

  it.each(['.', '..'])('asks for no port of the id %s, which would be another path', async (id) => {
    const { clock, emulator, neutron } = await withPorts(0);
    const before = emulator.log.count('GET', 'ports');
    expect(await result(clock, neutron.findPort(id))).toBeUndefined();
    expect(emulator.log.count('GET', 'ports')).toBe(before);
  });

  it('finds a port by its very id, though Neutron takes capitals for small letters', async () => {
    const { clock, emulator, neutron, network_id } = await withPorts(0);
    const { id } = await result(clock, neutron.createPort({ network_id }));
    const send = emulator.send.bind(emulator);
    vi.spyOn(emulator, 'send').mockImplementation((request) => send({ ...request, url: request.url.toLowerCase() }));
    expect(await result(clock, neutron.findPort(id))).toMatchObject({ id });
    expect(await result(clock, neutron.findPort(id.toUpperCase()))).toBeUndefined();
  });

  it('shows that tags were dropped at a creation, and puts them there', async () => {
    const { clock, neutron, network_id } = await withPorts(0);
    const port = await result(clock, neutron.createPort({ network_id, tags: ['a', 'b=c'] }));
    expect(port.tags).toEqual([]);
    expect(await result(clock, neutron.setPortTags(port.id, ['a', 'b=c']))).toEqual(['a', 'b=c']);
    expect(await result(clock, neutron.listPorts({ tags: 'a,b=c' }))).toHaveLength(1);
    expect(await result(clock, neutron.listPorts({ tags: 'a,x' }))).toEqual([]);
  });

  it('writes only to the revision that was read', async () => {
    const { clock, neutron, network_id } = await withPorts(0);
    const port = await result(clock, neutron.createPort({ network_id }));
    const pairs = { allowed_address_pairs: [{ ip_address: '10.0.0.200' }] };
    const options = { revision: port.revision_number ?? 0 };
    const changed = await result(clock, neutron.updatePort(port.id, pairs, options));
    expect(changed.allowed_address_pairs).toEqual([{ ip_address: '10.0.0.200', mac_address: port.mac_address }]);
    expect(await failure(clock, neutron.updatePort(port.id, { name: 'x' }, options))).toMatchObject({
      problem: 'precondition',
      verdict: 'stale',
      code: 'RevisionNumberConstraintFailed',
      status: 412,
    });
  });

  it('reads all pages, however small the server makes them', async () => {
    const { clock, neutron, emulator } = await withPorts(7, { behaviour: { pageLimit: 2 } });
    const listed = await result(clock, neutron.listPorts());
    expect(new Set(listed.map(({ name }) => name)).size).toBe(7);
    expect(emulator.log.count('GET', 'ports')).toBe(4);
  });

  it('begins a list anew when what a page ended with is gone', async () => {
    const { clock, neutron, emulator } = await withPorts(4, { behaviour: { pageLimit: 2, latency: REAL_LATENCY } });
    const listing = neutron.listPorts();
    await clock.runUntil(() => emulator.log.count('GET', 'ports') === 1, 10_000);
    const ids = emulator.resources('ports').map(idOf).toSorted();
    emulator.byHand({ method: 'DELETE', path: `/ports/${ids[1]}` });
    expect((await result(clock, listing)).map(({ id }) => id)).toEqual([ids[0], ids[2], ids[3]]);
  });

  it('never creates twice: a creation whose answer is lost is not repeated', async () => {
    const { clock, neutron, emulator, network_id } = await withPorts(0);
    emulator.faults.next({ method: 'POST', kind: 'ports' }, { kind: 'lose-response' });
    expect(await failure(clock, neutron.createPort({ network_id }))).toMatchObject({ verdict: 'retriable' });
    expect(emulator.resources('ports')).toHaveLength(1);
  });

  it('repeats reads, changes and deletions that got no answer', async () => {
    const { clock, neutron, emulator } = await withPorts(1);
    const [port] = await result(clock, neutron.listPorts());
    emulator.faults.next({ kind: 'ports' }, { kind: 'lose-response' }, 2);
    await result(clock, neutron.deletePort(port?.id ?? ''));
    expect(emulator.resources('ports')).toEqual([]);
  });

  it('takes a port that is gone for deleted, and for not found', async () => {
    const { clock, neutron } = emulated();
    await result(clock, neutron.deletePort('gone'));
    expect(await result(clock, neutron.findPort('gone'))).toBeUndefined();
    expect(await failure(clock, neutron.updatePort('gone', { name: 'x' }, { notFound: 'stale' }))).toMatchObject({
      problem: 'not-found',
      verdict: 'stale',
      code: 'PortNotFound',
    });
  });

  it.each([
    ['quota', { status: 409, code: 'OverQuota', message: "Quota exceeded for resources: ['port']." }, 'retriable'],
    ['quota', { status: 403, message: 'Quota has been met for resources: Load Balancer' }, 'retriable'],
    ['exhausted', { status: 409, code: 'IpAddressGenerationFailure' }, 'retriable'],
    ['immutable', { status: 409, message: 'Load Balancer x is immutable and cannot be updated.' }, 'retriable'],
    ['immutable', { status: 409, message: 'Invalid state PENDING_UPDATE of loadbalancer resource x' }, 'retriable'],
    ['unsupported', { status: 501, message: "Provider 'ovn' does not support a requested option: x" }, 'terminal'],
    ['conflict', { status: 409, code: 'IpAddressAlreadyAllocated' }, 'retriable'],
    ['exists', { status: 409, code: 'SecurityGroupRuleExists' }, 'retriable'],
    ['forbidden', { status: 403, code: 'PolicyNotAuthorized' }, 'retriable'],
    ['invalid', { status: 400, code: 'HTTPBadRequest' }, 'terminal'],
    ['unexpected-answer', { status: 404, code: 'HTTPNotFound' }, 'retriable'],
    ['server-error', { status: 500 }, 'retriable'],
  ] as const)('calls a refusal by its name: %s', async (problem, refusal, verdict) => {
    const { clock, neutron, emulator, network_id } = await withPorts(0);
    emulator.faults.next({ method: 'POST', kind: 'ports' }, { kind: 'refuse', ...refusal });
    expect(await failure(clock, neutron.createPort({ network_id }))).toMatchObject({ problem, verdict });
  });

  it('throttles all callers through one gate, reads as well as writes', async () => {
    const { clock, neutron, emulator, network_id } = await withPorts(0);
    const throttled = { kind: 'refuse', status: 429, headers: { 'retry-after': '30' } } as const;
    emulator.faults.next({ method: 'POST', kind: 'ports' }, throttled);
    const error = await failure(clock, neutron.createPort({ network_id }));
    expect(error).toMatchObject({ problem: 'throttled', retryAfterMilliseconds: 30_000 });
    expect(await failure(clock, neutron.listPorts({}, { throttle: 'refuse' }))).toMatchObject({
      code: 'throttle-gate-closed',
    });
    const from = clock.monotonic();
    await result(clock, Promise.all([neutron.listPorts(), neutron.listNetworks()]));
    expect(clock.monotonic() - from).toBeGreaterThanOrEqual(30_000);
  });

  it('asks before each call whether it may be made, but not to log in', async () => {
    const asked: string[] = [];
    const beforeCall = ({ verb, name }: CloudCall) => {
      asked.push(name);
      if (verb === 'POST') throw new FairleadError('not now', { verdict: 'retriable', code: 'lease-too-short' });
    };
    const { clock, neutron, emulator } = emulated({ beforeCall });
    await result(clock, neutron.listPorts());
    expect(await failure(clock, neutron.createPort({ network_id: 'x' }))).toMatchObject({ code: 'lease-too-short' });
    expect(asked).toEqual(['LIST ports', 'POST ports']);
    expect(emulator.log.count('POST', 'ports')).toBe(0);
  });

  it('counts calls, those to Keystone included', async () => {
    const metrics = new RecordedMetrics();
    const { clock, neutron } = emulated({ metrics });
    await result(clock, neutron.listPorts());
    await result(clock, neutron.findPort('gone'));
    expect(metrics.lines(openStackCalls.callsTotal).toSorted()).toEqual([
      'GET ports not-found 1',
      'LIST ports ok 1',
      'POST tokens ok 1',
    ]);
  });

  it('lists the extensions and the versions', async () => {
    const { clock, neutron, session } = emulated();
    expect(await result(clock, neutron.extensions())).toContain('revision-if-match');
    expect(await result(clock, session.versions('network'))).toEqual([{ major: 2, minor: 0 }]);
  });

  it('knows its project', async () => {
    const { clock, project, session } = emulated();
    expect(await result(clock, session.projectId())).toBe(project.id);
  });
});

function idOf({ id }: Readonly<Record<string, unknown>>): string {
  return typeof id === 'string' ? id : '';
}
