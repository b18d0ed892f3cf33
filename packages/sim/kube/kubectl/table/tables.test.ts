import { describe, expect, it } from 'vitest';
import { type Json, listOf, objectOf, parseJson, textOf } from '../../../json.ts';
import { Simulated } from '../../testing/simulated.ts';

const TABLE = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json' };
const SERVICES = '/api/v1/namespaces/default/services';
const PODS = '/api/v1/namespaces/default/pods';

function cellsOf(table: Json): readonly string[] {
  return listOf(objectOf(table).rows).map((row) => listOf(objectOf(row).cells).map(show).join(' | '));
}

function show(cell: Json): string {
  return typeof cell === 'string' ? cell : JSON.stringify(cell);
}

function columnsOf(table: Json): readonly string[] {
  return listOf(objectOf(table).columnDefinitions).map((column) => textOf(objectOf(column).name));
}

describe('a table', () => {
  const setUp = () => {
    const simulated = new Simulated({ controllers: false });
    const table = async (path: string) => (await simulated.call('GET', path, undefined, TABLE)).body;
    return { simulated, clock: simulated.clock, table };
  };

  it('tells how old things are by the clock of the simulation', async () => {
    const { simulated, clock, table } = setUp();
    await simulated.call('POST', SERVICES, {
      metadata: { name: 'web' },
      spec: { type: 'LoadBalancer', selector: { b: '2', a: '1' }, ports: [{ port: 80, nodePort: 30080 }] },
    });
    await clock.advance(150_000);
    const path = `${SERVICES}?fieldSelector=metadata.name%3Dweb`;
    expect(columnsOf(await table(path))).toEqual([
      'Name',
      'Type',
      'Cluster-IP',
      'External-IP',
      'Port(s)',
      'Age',
      'Selector',
    ]);
    expect(cellsOf(await table(path))).toEqual([
      expect.stringMatching(/^web \| LoadBalancer \| [\d.]+ \| <pending> \| 80:30080\/TCP \| 2m30s \| a=1,b=2$/),
    ]);
  });

  it('shows where a Service can be reached', async () => {
    const { simulated, table } = setUp();
    const create = (name: string, spec: Json) => simulated.call('POST', SERVICES, { metadata: { name }, spec });
    await create('balanced', { type: 'LoadBalancer', externalIPs: ['192.0.2.9'], ports: [{ port: 80 }] });
    await create('headless', { clusterIP: 'None' });
    await create('named', { type: 'ExternalName', externalName: 'example.org' });
    await create('plain', {
      externalIPs: ['192.0.2.7'],
      ports: [
        { port: 1, name: 'w' },
        { port: 2, name: 'x', protocol: 'UDP' },
      ],
    });
    await simulated.patch('merge', `${SERVICES}/balanced/status`, {
      status: { loadBalancer: { ingress: [{ hostname: 'z.example.org' }, { ip: '192.0.2.1' }, { ip: '192.0.2.1' }] } },
    });
    const shown = cellsOf(await table(SERVICES)).map((row) => row.split(' | ').slice(2, 5).join(' '));
    expect(shown).toEqual([
      expect.stringMatching(/^[\d.]+ 192\.0\.2\.1,z\.example\.org,192\.0\.2\.9 80:\d+\/TCP$/),
      'None <none> <none>',
      '10.96.0.1 <none> 443/TCP',
      '<none> example.org <none>',
      expect.stringMatching(/^[\d.]+ 192\.0\.2\.7 1\/TCP,2\/UDP$/),
    ]);
  });

  it('says what is the matter with a pod', async () => {
    const { simulated, clock, table } = setUp();
    const spec = {
      containers: [
        { name: 'a', image: 'x' },
        { name: 'b', image: 'x' },
      ],
      initContainers: [
        { name: 'first', image: 'x' },
        { name: 'sidecar', image: 'x', restartPolicy: 'Always' },
      ],
      readinessGates: [{ conditionType: 'gate' }],
    };
    const play = async (name: string, status: Json): Promise<void> => {
      await simulated.call('POST', PODS, { metadata: { name }, spec });
      await simulated.patch('merge', `${PODS}/${name}/status`, { status });
    };
    const finishedAt = new Date(clock.now()).toISOString();
    const again = { restartCount: 3, lastState: { terminated: { exitCode: 1, finishedAt } } };
    const running = (name: string) => ({ name, ready: true, state: { running: {} }, image: 'x', imageID: '' });
    const ended = (name: string, terminated: Json) => ({
      name,
      ready: false,
      state: { terminated },
      image: 'x',
      imageID: '',
      restartCount: 0,
    });
    const ready = { conditions: [{ type: 'Ready', status: 'True' }] };
    const initDone = ended('first', { exitCode: 0 });
    await play('completed', {
      phase: 'Succeeded',
      containerStatuses: [ended('a', { exitCode: 0, reason: 'Completed' })],
    });
    await play('evicted', { phase: 'Failed', reason: 'Evicted' });
    await play('gated', { conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }] });
    await play('half', {
      phase: 'Running',
      ...ready,
      containerStatuses: [{ ...running('a'), ...again }, ended('b', { exitCode: 0, reason: 'Completed' })],
    });
    await play('initializing', {
      phase: 'Pending',
      initContainerStatuses: [
        ended('first', { exitCode: 0 }),
        { name: 'sidecar', image: 'x', imageID: '', state: { waiting: { reason: 'PodInitializing' } } },
      ],
    });
    await play('killed', { phase: 'Running', containerStatuses: [ended('a', { exitCode: 137, signal: 9 })] });
    await play('not-ready', {
      phase: 'Running',
      containerStatuses: [running('a'), ended('b', { exitCode: 0, reason: 'Completed' })],
    });
    await play('running', {
      phase: 'Running',
      podIPs: [{ ip: '10.1.0.1' }],
      conditions: [...ready.conditions, { type: 'gate', status: 'True' }],
      initContainerStatuses: [initDone, { ...running('sidecar'), started: true, restartCount: 1 }],
      containerStatuses: [running('a'), { ...running('b'), restartCount: 1 }],
    });
    await play('stuck', { phase: 'Pending', initContainerStatuses: [ended('first', { exitCode: 2 })] });
    await play('waiting', {
      phase: 'Pending',
      containerStatuses: [{ name: 'a', image: 'x', imageID: '', state: { waiting: { reason: 'ErrImagePull' } } }],
    });
    await clock.advance(5_000);
    const rows = cellsOf(await table(PODS)).map((row) =>
      row
        .split(' | ')
        .filter((_, index) => index !== 4)
        .join(' '),
    );
    expect(rows).toEqual([
      'completed 0/3 Completed 0 <none> <none> <none> 0/1',
      'evicted 0/3 Evicted 0 <none> <none> <none> 0/1',
      'gated 0/3 SchedulingGated 0 <none> <none> <none> 0/1',
      'half 1/3 Running 3 (5s ago) <none> <none> <none> 0/1',
      'initializing 0/3 Init:1/2 0 <none> <none> <none> 0/1',
      'killed 0/3 Signal:9 0 <none> <none> <none> 0/1',
      'not-ready 1/3 NotReady 0 <none> <none> <none> 0/1',
      'running 3/3 Running 2 10.1.0.1 <none> <none> 1/1',
      'stuck 0/3 Init:ExitCode:2 0 <none> <none> <none> 0/1',
      'waiting 0/3 ErrImagePull 0 <none> <none> <none> 0/1',
    ]);
    const { rows: all } = await table(PODS);
    const conditions = listOf(all).map((row) => objectOf(listOf(objectOf(row).conditions)[0]).reason);
    expect(conditions).toEqual(['Succeeded', 'Failed', ...Array(8).fill(undefined)]);
  });

  it('counts addresses beyond the third', async () => {
    const { simulated, table } = setUp();
    const addresses = ['10.0.0.1', '10.0.0.2', '10.0.0.3', '2001:db8::1', '10.0.0.5'];
    await simulated.call('POST', '/api/v1/namespaces/default/endpoints', {
      metadata: { name: 'web' },
      subsets: [
        {
          addresses: addresses.slice(3).map((ip) => ({ ip })),
          ports: [
            { port: 80, name: 'a' },
            { port: 81, name: 'b' },
          ],
        },
      ],
    });
    const slices = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices';
    const slice = (name: string, rest: Json) =>
      simulated.call('POST', slices, { metadata: { name }, addressType: 'IPv4', ...objectOf(rest) });
    await slice('empty', { endpoints: [] });
    await slice('full', {
      endpoints: addresses.filter((each) => each.startsWith('10.')).map((each) => ({ addresses: [each] })),
      ports: [{ name: 'http', port: 80 }, { name: 'any' }],
    });
    expect(cellsOf(await table('/api/v1/namespaces/default/endpoints'))).toEqual([
      'web | [2001:db8::1]:80,10.0.0.5:80,[2001:db8::1]:81 + 1 more... | 0s',
    ]);
    expect(cellsOf(await table(slices))).toEqual([
      'empty | IPv4 | <unset> | <unset> | 0s',
      'full | IPv4 | 80,any | 10.0.0.1,10.0.0.2,10.0.0.3 + 1 more... | 0s',
    ]);
  });

  it('brings as much of each object as was asked for', async () => {
    const { simulated, table } = setUp();
    await simulated.call('POST', '/api/v1/namespaces/default/configmaps', {
      metadata: { name: 'one' },
      data: { a: 'b' },
    });
    const included = async (what: string) => {
      const { rows } = await table(`/api/v1/namespaces/default/configmaps/one?includeObject=${what}`);
      return objectOf(listOf(rows)[0]).object;
    };
    expect(await included('None')).toBeNull();
    expect(await included('Metadata')).toMatchObject({ kind: 'PartialObjectMetadata', metadata: { name: 'one' } });
    expect(await included('Object')).toMatchObject({ kind: 'ConfigMap', data: { a: 'b' } });
    const path = '/api/v1/namespaces/default/configmaps?includeObject=All';
    expect((await simulated.call('GET', path, undefined, TABLE)).status).toBe(400);
  });

  it('names its columns once on a watch', async () => {
    const { simulated, clock } = setUp();
    const path = '/api/v1/configmaps?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan';
    const url = `http://kubernetes${path}&allowWatchBookmarks=true`;
    const abort = new AbortController();
    const { body } = simulated.kube.handle({ method: 'GET', url, headers: TABLE, signal: abort.signal });
    for (const name of ['one', 'two']) {
      await simulated.call('POST', '/api/v1/namespaces/default/configmaps', { metadata: { name } });
    }
    await clock.advance(0);
    const events: Json[] = [];
    for await (const piece of body) {
      events.push(parseJson(new TextDecoder().decode(piece)));
      if (events.length === 3) break;
    }
    const [bookmark, one, two] = events.map(objectOf);
    expect(bookmark).toMatchObject({ type: 'BOOKMARK', object: { rows: [{ cells: ['', 0, '<unknown>'] }] } });
    expect(columnsOf(bookmark?.object ?? null)).toEqual(['Name', 'Data', 'Age']);
    expect(one).toMatchObject({
      type: 'ADDED',
      object: { columnDefinitions: null, rows: [{ cells: ['one', 0, '0s'] }] },
    });
    expect(two).toMatchObject({ type: 'ADDED', object: { columnDefinitions: null } });
  });
});
