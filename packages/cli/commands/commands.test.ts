import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { seededRandom } from '@fairlead/control';
import { systemClock } from '@fairlead/control/adapters';
import { KubeClient, leases, namespaces, services } from '@fairlead/kube';
import { connectionOver } from '@fairlead/kube/testing';
import { leaseName, type Part, type PlannedChange, RELEASE_ANNOTATION, type Standing } from '@fairlead/part';
import { type AccessQuestion, SimulatedKube } from '@fairlead/sim/kube';
import { serveKube } from '@fairlead/sim/kube/http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { runProgram } from '../program.ts';
import { json, text } from '../server/router.ts';
import { startStatusServer } from '../server/status-server.ts';
import { recordedTerminal } from '../testing/recorded-terminal.ts';
import { toyPart, toyReplicaPart } from '../testing/toy-part.ts';

const NAMESPACE = 'fairlead-system';
const SEEN = { state: 'as-wanted', wanted: [], there: [] } as const;

const running: AsyncDisposableStack[] = [];
afterEach(async () => {
  for (const one of running.splice(0)) await one.disposeAsync();
});

interface World {
  /** Of the Fairlead on this machine, as it says it at /readyz. */
  readonly readiness?: string;
  /** The UID of the cluster that it says it is of. */
  readonly clusterOfServer?: string;
  /** How it stands to the part; it leads unless told otherwise. */
  readonly standing?: Standing;
  readonly authorize?: (question: AccessQuestion) => boolean;
  /** No Fairlead runs on this machine. */
  readonly isAway?: true;
}

/** A cluster with the parts, led by this machine, and the program to ask about it. */
async function start(parts: readonly Part[], world: World = {}) {
  const started = new AsyncDisposableStack();
  running.push(started);
  const { authorize = () => true } = world;
  const kube = new SimulatedKube({ clock: systemClock, random: seededRandom(1), authorize });
  const served = started.use(await serveKube(kube));
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-commands-'));
  started.defer(() => rm(folder, { recursive: true }));
  const client = new KubeClient(connectionOver(kube.transport(), systemClock), systemClock);
  await client.create(namespaces, { metadata: { name: NAMESPACE } });
  const answer = { cluster: world.clusterOfServer ?? '', standing: world.standing ?? { kind: 'leads' }, entries: [] };
  const status = await startStatusServer(
    '127.0.0.1:0',
    new Map([
      ['/readyz', async (part: string) => text(200, `${part}: ${world.readiness ?? 'ready'}`)],
      ['/debug/why', async () => json({ ...answer, explanation: { ...SEEN, answer: 'The leader says so.' } })],
    ]),
  );
  if (world.isAway === true) await status.close();
  else started.defer(() => status.close());
  const file = join(folder, 'fairlead.yaml');
  await writeFile(join(folder, 'kubeconfig'), served.kubeconfig);
  const configuration = {
    kubernetes: { kubeconfig: join(folder, 'kubeconfig') },
    http: { listen: new URL(status.url).host },
    log: { level: 'error' },
    parts: Object.fromEntries(parts.map(({ name }) => [name, {}])),
  };
  await writeFile(file, JSON.stringify(configuration));
  const lead = (part: string, renewedAt = Date.now()) =>
    client.create(leases, {
      metadata: { namespace: NAMESPACE, name: leaseName(part) },
      spec: {
        holderIdentity: `${hostname()}_1`,
        leaseDurationSeconds: 15,
        renewTime: new Date(renewedAt).toISOString().replace('Z', '000Z'),
      },
    });
  const run = async (...words: readonly string[]) => {
    const { terminal, told } = recordedTerminal();
    const exitCode = await runProgram([...words, '--config', file], parts, terminal, new AbortController().signal);
    return { exitCode, ...told() };
  };
  return { client, lead, run };
}

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

  it('does not hold it against a namespace that it may not be looked at', async () => {
    const authorize = ({ verb, resource }: AccessQuestion) => !(verb === 'get' && resource === 'namespaces');
    const { lead, run } = await start([toyPart('one')], { authorize });
    await lead('one');
    const { printed } = await run('check');
    expect(printed).toContain(`✓ namespace: ${NAMESPACE} may not be looked at`);
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

describe('release', () => {
  it('marks the Lease of who leads, and refuses where nobody does', async () => {
    const { client, lead, run } = await start([toyPart('one')]);
    await lead('one', Date.now() - 60_000);
    expect(await run('release', 'one')).toMatchObject({
      exitCode: 1,
      complained: expect.stringContaining('so nothing is held back'),
    });
    const mark = async () =>
      (await client.get(leases, { namespace: NAMESPACE, name: leaseName('one') })).metadata.annotations?.[
        RELEASE_ANNOTATION
      ];
    expect(await mark()).toBeUndefined();
    const renewed = { spec: { renewTime: new Date().toISOString().replace('Z', '000Z') } };
    await client.patchMerge(leases, { namespace: NAMESPACE, name: leaseName('one') }, renewed);
    expect((await run('release', 'one')).exitCode).toBe(0);
    expect(await mark()).toMatch(/^\d{4}-/);
  });
});

describe('why', () => {
  const explaining = (name: string, answer: string, state: 'stuck' | 'not-ours') =>
    toyPart(name, { explain: async () => ({ ...SEEN, answer, state }) });

  it('believes no Fairlead on this machine that runs on another cluster', async () => {
    const parts = [explaining('one', 'We see it ourselves.', 'stuck')];
    const same = await start(parts);
    expect((await same.run('why', 'service', 'shop/web')).printed).toContain('The leader says so.');
    const other = await start(parts, { clusterOfServer: 'of another cluster' });
    const { printed } = await other.run('why', 'service', 'shop/web');
    expect(printed).toContain('We see it ourselves.');
    expect(printed).toContain('runs on another cluster');
  });

  it('tells what it sees itself where who is asked stands by, and who leads instead', async () => {
    const standing = { kind: 'stands-by', leader: 'pod-9_x' } as const;
    const { run } = await start([explaining('one', 'We see it ourselves.', 'stuck')], { standing });
    const { printed } = await run('why', 'service', 'shop/web');
    expect(printed).toContain('We see it ourselves.');
    expect(printed).not.toContain('The leader says so.');
    expect(printed).toMatch(/- one: http:\S+ stands by, pod-9 leads$/m);
    const alone = await start([explaining('one', 'We see it ourselves.', 'stuck')], {
      standing: { kind: 'stands-by' },
    });
    expect((await alone.run('why', 'service', 'shop/web')).printed).toMatch(/stands by, nobody leads$/m);
  });

  it('leaves out the parts that have nothing to do with a Service, unless none has', async () => {
    const world = { clusterOfServer: 'of another cluster' };
    const some = await start(
      [explaining('one', 'Not ours.', 'not-ours'), explaining('two', 'It is stuck.', 'stuck')],
      world,
    );
    const { printed } = await some.run('why', 'service', 'shop/web');
    expect(printed).toContain('It is stuck.');
    expect(printed).not.toContain('Not ours.');
    const none = await start([explaining('one', 'Not ours.', 'not-ours')], world);
    expect((await none.run('why', 'service', 'shop/web')).printed).toBe('Not ours.');
  });

  it('tells what the Service shows to who may read no more', async () => {
    const reading = toyPart('one', {
      async explain({ client, signal }) {
        await client.list(services, { signal });
        return { ...SEEN, answer: 'All was read.' };
      },
    });
    const world = {
      clusterOfServer: 'of another cluster',
      authorize: ({ verb, namespace }: AccessQuestion) => verb !== 'list' || namespace === 'shop',
    };
    const { client, run } = await start([reading], world);
    await client.create(namespaces, { metadata: { name: 'shop' } });
    await client.create(services, {
      metadata: { namespace: 'shop', name: 'web' },
      spec: { type: 'LoadBalancer', loadBalancerClass: 'fairlead.dev/one', ports: [{ port: 80 }] },
    });
    const { printed } = await run('why', 'service', 'shop/web');
    expect(printed).toMatch(/^Service shop\/web shows no address\./);
    expect(printed).toContain('more could not be read: ');
  });
});
