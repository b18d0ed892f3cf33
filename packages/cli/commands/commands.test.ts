import { hostname } from 'node:os';
import { leases, namespaces } from '@fairlead/kube';
import type { Part, PlannedChange } from '@fairlead/part';
import type { AccessQuestion } from '@fairlead/sim/kube';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { NAMESPACE, startCommandWorld, type World } from '../testing/command-world.ts';
import { toyPart, toyReplicaPart } from '../testing/toy-part.ts';

let started = new AsyncDisposableStack();
afterEach(async () => {
  const ended = started;
  started = new AsyncDisposableStack();
  await ended.disposeAsync();
});

const start = (parts: readonly Part[], world?: World) => startCommandWorld(started, parts, world);

const change: PlannedChange = { action: 'update', subject: 'Service shop/web', detail: 'moves', writes: 1 };
const planning = (...changes: readonly PlannedChange[]) => toyPart('one', { plan: async () => ({ changes }) });

describe('plan', () => {
  it('exits with 2 where it is asked to and there is something to write', async () => {
    const { run } = await start([planning(change)]);
    expect((await run('plan')).exitCode).toBe(0);
    expect((await run('plan', '--detailed-exitcode')).exitCode).toBe(2);
  });

  it('has nothing to do where all is as wanted, or refused', async () => {
    const { run } = await start([
      planning({ ...change, action: 'adopt', writes: 0 }, { ...change, action: 'refuse', writes: 0 }),
    ]);
    expect((await run('plan', '--detailed-exitcode')).exitCode).toBe(0);
  });

  it('counts the addresses that are lost, and not the Services that lose them', async () => {
    const { run } = await start([planning({ ...change, loses: ['192.0.2.1', '2001:db8::1'] }, change)]);
    expect((await run('plan')).printed).toContain('one: 2 to update, 2 addresses lost, 2 write calls');
    expect(JSON.parse((await run('plan', '-o', 'json')).printed)).toMatchObject([{ part: 'one', lost: 2, writes: 2 }]);
  });

  it('says what is held back at first, to people and to programs', async () => {
    const heldBack = 'Holding back the deletion of 8 of 10 addresses.';
    const { run } = await start([toyPart('one', { plan: async () => ({ heldBack, changes: [change] }) })]);
    expect((await run('plan')).printed).toContain(`\n  ${heldBack}\n`);
    expect(JSON.parse((await run('plan', '-o', 'json')).printed)).toMatchObject([{ part: 'one', heldBack }]);
  });
});

describe('status', () => {
  it('is well where every part is led and ready', async () => {
    const { lead, run } = await start([toyPart('one')]);
    await lead('one');
    expect(await run('status')).toMatchObject({ exitCode: 0, printed: expect.stringContaining('one: all is well') });
  });

  it('fails where nobody leads, or the leader is not ready, and says so', async () => {
    const silent = await start([toyPart('one')]);
    await silent.lead('one', Date.now() - 60_000);
    expect(await silent.run('status')).toMatchObject({
      exitCode: 1,
      printed: expect.stringContaining('nobody leads: '),
    });
    const unready = await start([toyPart('one')], { readiness: 'not ready: the cloud is away' });
    await unready.lead('one');
    expect(await unready.run('status')).toMatchObject({
      exitCode: 1,
      printed: expect.stringContaining('  not ready: the cloud is away'),
    });
  });

  it('has the lines that it means to, whatever is written into a Lease', async () => {
    const { client, lead, run } = await start([toyPart('one')]);
    await lead('one');
    const key = { namespace: NAMESPACE, name: 'fairlead-one' };
    await client.patchMerge(leases, key, { spec: { holderIdentity: 'pod\ntwo: all is well\u001b[32m (led by pod_1' } });
    const { printed } = await run('status');
    expect(printed.split('\n').filter((line) => !line.startsWith(' '))).toEqual([
      expect.stringMatching(/^Cluster: /),
      expect.stringMatching(/^one: all is well \(led by pod two: all is well\\u001b\[32m \(led by pod, Lease /),
    ]);
    expect((await run('release', 'one')).printed.split('\n')).toHaveLength(1);
  });

  it('tells of the other parts where one cannot look outside, and fails', async () => {
    const blind = toyPart('one', { status: () => Promise.reject(new Error('the cloud does not answer')) });
    const { lead, run } = await start([blind, toyPart('two')]);
    await lead('one');
    await lead('two');
    const { exitCode, printed } = await run('status');
    expect(exitCode).toBe(1);
    expect(printed).toContain('one: cannot tell how it is doing (led by ');
    expect(printed).toContain('  the cloud does not answer');
    expect(printed).toContain('two: all is well');
  });
});

describe('a part that every replica runs', () => {
  const summary = 'all is well';

  it('is well where it is ready in each that can be asked', async () => {
    const { run } = await start([toyReplicaPart('one')]);
    expect(await run('status')).toMatchObject({
      exitCode: 0,
      printed: expect.stringContaining(`one: ${summary} (in every replica: ready in ${hostname()})`),
    });
    expect(await run('check')).toMatchObject({ printed: expect.stringContaining(`✓ one: ready in ${hostname()}`) });
  });

  it('is not well where it is not ready in one, with its reason', async () => {
    const { run } = await start([toyReplicaPart('one')], { readiness: 'not ready: reading the ServiceImports' });
    const reason = `not ready in ${hostname()}: reading the ServiceImports`;
    expect(await run('status')).toMatchObject({ exitCode: 1, printed: expect.stringContaining(`  ${reason}`) });
    const json = await run('status', '-o', 'json');
    expect(JSON.parse(json.printed)).toMatchObject({
      parts: [{ part: 'one', replicas: { asked: [{ replica: hostname(), readiness: { ready: false } }] } }],
    });
    expect(await run('check')).toMatchObject({ exitCode: 1, printed: expect.stringContaining(`✗ one: ${reason}`) });
  });

  it('is not well where no replica is found, and says where it was looked', async () => {
    const { run } = await start([toyReplicaPart('one')], { isAway: true });
    const where = /no replica is found: there is no Pod with the label .*; .*nothing listens there/;
    expect(await run('status')).toMatchObject({ exitCode: 1, printed: expect.stringMatching(where) });
    expect(await run('check')).toMatchObject({ exitCode: 1, printed: expect.stringMatching(where) });
  });

  it('says which replicas could not be asked, and does not fail for them', async () => {
    const authorize = ({ verb, resource }: AccessQuestion) => !(verb === 'list' && resource === 'pods');
    const { run } = await start([toyReplicaPart('one')], { authorize });
    const { exitCode, printed } = await run('status');
    expect(exitCode).toBe(0);
    expect(printed).toMatch(/ {2}could not be asked: other replicas: .* may not list pods/);
    expect((await run('check')).printed).toMatch(/✓ one: ready in .*; could not be asked: other replicas: /);
  });
});

describe('check', () => {
  const permissions = [
    {
      group: '',
      resources: ['services/status'],
      verbs: ['patch'],
      scope: 'cluster',
      because: 'To publish an address.',
    },
    {
      group: 'coordination.k8s.io',
      resources: ['leases'],
      verbs: ['get'],
      scope: 'kube-system',
      because: 'Another program holds it.',
    },
  ] as const;

  it('has a cross for what a part finds amiss, and exits with 1', async () => {
    const status = async () => ({ summary: 'bad', figures: {}, problems: ['the agent of gateway-1 is away'] });
    const { lead, run } = await start([toyPart('one', { status })]);
    await lead('one');
    const { exitCode, printed } = await run('check');
    expect(exitCode).toBe(1);
    expect(printed.split('\n').filter((line) => line.startsWith('✗'))).toEqual([
      '✗ one: the agent of gateway-1 is away',
    ]);
  });

  it('has a cross for a namespace that is missing, and for a part that nobody leads', async () => {
    const { client, run } = await start([toyPart('one')]);
    await client.delete(namespaces, { name: NAMESPACE });
    // It is terminating at first.
    await vi.waitFor(async () => expect(await client.find(namespaces, { name: NAMESPACE })).toBeUndefined());
    const { exitCode, printed } = await run('check');
    expect(exitCode).toBe(1);
    expect(printed.split('\n').filter((line) => line.startsWith('✗'))).toEqual([
      `✗ namespace: ${NAMESPACE} does not exist: create it, or name another in leaderElection.namespace`,
      '✗ one: nobody leads: start fairlead run, or look at the log of its replicas',
    ]);
  });

  it('has a cross for a cloud that refuses the credentials', async () => {
    const refused = toyPart('one', { status: () => Promise.reject(new Error('the cloud refuses the password')) });
    const { lead, run } = await start([refused]);
    await lead('one');
    expect(await run('check')).toMatchObject({
      exitCode: 1,
      printed: expect.stringMatching(/^✗ one: the cloud refuses the password$/m),
    });
  });

  it('does not hold it against a namespace that it may not be looked at', async () => {
    const authorize = ({ verb, resource }: AccessQuestion) => !(verb === 'get' && resource === 'namespaces');
    const { lead, run } = await start([toyPart('one')], { authorize });
    await lead('one');
    const { printed } = await run('check');
    expect(printed).toContain(`✓ namespace: ${NAMESPACE} may not be looked at`);
  });

  it('has a cross for a part of which it may not be known who leads', async () => {
    const authorize = ({ verb, resource }: AccessQuestion) => !(verb === 'get' && resource === 'leases');
    const { lead, run } = await start([toyPart('one')], { authorize });
    await lead('one');
    expect(await run('check')).toMatchObject({
      exitCode: 1,
      printed: expect.stringMatching(/^✗ one: who leads is unknown: .*: start fairlead run, or look at the log/m),
    });
  });

  it('names a clock that is five minutes off, and exits with 1', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 300_000 });
    const { lead, run } = await start([toyPart('one')]);
    await lead('one');
    const { exitCode, printed } = await run('check');
    vi.useRealTimers();
    expect(exitCode).toBe(1);
    expect(printed).toMatch(
      /^✗ clock: is (299|30[0-2]) s ahead of that of the API server: have both follow a time server$/m,
    );
  });

  it('says which proxy is not honoured', async () => {
    vi.stubEnv('HTTPS_PROXY', '').stubEnv('https_proxy', '').stubEnv('ALL_PROXY', 'socks5://proxy.example.org');
    const { run } = await start([toyPart('one')]);
    const { printed } = await run('check');
    vi.unstubAllEnvs();
    expect(printed).toMatch(/^✓ proxy: \w+ is not honoured: set HTTPS_PROXY/);
  });

  it('asks for each permission once, with its subresource and in its namespace', async () => {
    const { lead, run } = await start([toyPart('one', {}, permissions), toyPart('two', {}, permissions)], {
      authorize: ({ subresource, namespace, resource }) =>
        subresource !== 'status' && !(resource === 'leases' && namespace === 'kube-system'),
    });
    await lead('one');
    await lead('two');
    const { printed } = await run('check');
    expect(printed.split('\n').filter((line) => line.startsWith('✗'))).toEqual([
      '✗ permission: kubernetes-admin may not patch services/status. To publish an address. Allow it by a role.',
      '✗ permission: kubernetes-admin may not get leases.coordination.k8s.io in kube-system. Another program holds it. Allow it by a role.',
    ]);
  });
});
