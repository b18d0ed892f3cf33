import {
  customResourceDefinitions,
  type EndpointSlice,
  endpointSlices,
  type KubeObject,
  namespaces,
} from '@fairlead/kube';
import { Journal, type Logger, seededRandom, silentLogger } from '@fairlead/control';
import { type ServiceImport, serviceImports } from '@fairlead/clusterset/mcs';
import { mcsDefinitions } from '@fairlead/clusterset';
import { RecordedMetrics } from '@fairlead/control/testing';
import { type Readiness, runPart } from '@fairlead/part';
import { TestCluster } from '@fairlead/part/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { answersReplaced, zoneNames } from './metrics.ts';
import { dnsPart } from './part.ts';
import { FakeSockets } from './testing/fake-sockets.ts';
import { answersIn, queryFor, read } from './testing/queries.ts';
import { testImport, testSlice } from './testing/test-zone.ts';

const WEB = 'web.shop.svc.clusterset.local';
const imports = serviceImports('v1beta1');

/** The part in a simulated cluster, with a network of its own. */
class Stage {
  readonly cluster = new TestCluster();
  readonly sockets = new FakeSockets();
  readonly metrics = new RecordedMetrics();
  /** What was logged: fields, then the sentence. */
  readonly log: unknown[] = [];
  readonly stop = new AbortController();
  readiness: Readiness = { ready: false, reason: '' };
  #run = Promise.resolve();

  async setUp({ installs = true } = {}): Promise<this> {
    await this.cluster.setUp();
    if (installs) await this.install();
    return this;
  }

  async install(): Promise<void> {
    for (const definition of mcsDefinitions) await this.cluster.client.create(customResourceDefinitions, definition);
    await this.cluster.clock.advance(1_000);
  }

  start(section: object = {}): void {
    const { cluster, metrics } = this;
    const { clock } = cluster;
    this.#run = runPart(
      dnsPart(this.sockets).configure(section),
      {
        part: 'dns',
        connection: cluster.connection(),
        clock,
        random: seededRandom(1),
        logger: this.#logger(),
        metrics,
        journal: new Journal(clock),
        readiness: { set: (readiness) => void (this.readiness = readiness) },
        namespace: 'fairlead-system',
        replica: 'one',
        leaseDurationMilliseconds: 15_000,
      },
      this.stop.signal,
    );
  }

  #logger(): Logger {
    const logger: Logger = {
      ...silentLogger,
      info: (fields, message) => void this.log.push([fields, message]),
      child: () => logger,
    };
    return logger;
  }

  async end(): Promise<void> {
    this.stop.abort();
    await this.cluster.clock.advance(1_000);
    await this.#run;
  }

  put(slice: EndpointSlice): Promise<EndpointSlice> {
    return this.cluster.client.create(endpointSlices, slice);
  }

  putImport(one: ServiceImport): Promise<ServiceImport> {
    return this.cluster.client.create(imports, one);
  }

  advance(milliseconds = 1_000): Promise<void> {
    return this.cluster.clock.advance(milliseconds);
  }
}

describe('the DNS part', () => {
  let stage = new Stage();
  afterEach(() => stage.end());

  it('leaves the sockets to the process before it until it can answer itself', async () => {
    stage = await new Stage().setUp({ installs: false });
    stage.sockets.areHandedOver = true;
    stage.start();
    await stage.advance(5_000);
    expect(stage.sockets.ask(queryFor(WEB))).toHaveLength(0);
    await stage.install();
    await stage.putImport(testImport('web'));
    await stage.put(testSlice('web', 'a', ['10.1.0.1']));
    const first: Buffer[] = [];
    stage.sockets.onListening = () => void first.push(stage.sockets.ask(queryFor(WEB)));
    await stage.advance(10_000);
    expect(first.map(answersIn)).toEqual([['10.1.0.1']]);
    expect(answersIn(stage.sockets.ask(queryFor(WEB)))).toEqual(['10.1.0.1']);
  });

  it('counts an answer once that was replaced', async () => {
    stage = await new Stage().setUp();
    await stage.putImport(testImport('web'));
    stage.start();
    await stage.advance();
    const before = stage.metrics.lines(answersReplaced);
    const { metadata } = await stage.put(testSlice('mail', 'a', ['10.1.0.1']));
    await stage.advance();
    await stage.cluster.client.delete(endpointSlices, { namespace: 'shop', name: metadata.name });
    await stage.advance();
    expect(before).toHaveLength(1);
    expect(stage.metrics.lines(answersReplaced)).toEqual(before);
  });

  it('answers for all others when there is an import without a spec', async () => {
    stage = await new Stage().setUp({ installs: false });
    for (const { metadata, spec } of mcsDefinitions) {
      const versions = spec.versions.map((version) => ({
        ...version,
        schema: { openAPIV3Schema: { ...version.schema?.openAPIV3Schema, required: [] } },
      }));
      await stage.cluster.client.create(customResourceDefinitions, { metadata, spec: { ...spec, versions } });
    }
    await stage.advance();
    await stage.putImport(testImport('web'));
    await stage.put(testSlice('web', 'a', ['10.1.0.1']));
    const { namespace = '' } = testImport('web').metadata;
    await stage.cluster.client.create<KubeObject>(imports, { metadata: { namespace, name: 'bare' } });
    stage.start();
    await stage.advance(5_000);
    expect(answersIn(stage.sockets.ask(queryFor(WEB)))).toEqual(['10.1.0.1']);
  });

  it('answers SERVFAIL until it has seen everything, and follows what changes', async () => {
    stage = await new Stage().setUp();
    await stage.putImport(testImport('web'));
    await stage.put(testSlice('web', 'a', ['10.1.0.1']));
    stage.cluster.refuse = ({ path }) => (path.includes('endpointslices') ? 500 : undefined);
    stage.start();
    await stage.advance(5_000);
    expect(read(stage.sockets.ask(queryFor(WEB))).rcode).toBe('SERVFAIL');
    expect(read(stage.sockets.ask(queryFor('no.clusterset.local'))).rcode).toBe('SERVFAIL');
    expect(stage.readiness.ready).toBe(false);

    stage.cluster.refuse = () => undefined;
    await stage.advance(60_000);
    expect(stage.readiness).toEqual({ ready: true });
    expect(answersIn(stage.sockets.ask(queryFor(WEB)))).toEqual(['10.1.0.1']);

    await stage.put(testSlice('web', 'b', ['10.2.0.1']));
    await stage.cluster.client.patchMerge<EndpointSlice>(
      endpointSlices,
      { namespace: 'shop', name: 'web.ipv4.a' },
      { endpoints: [] },
    );
    await stage.advance();
    expect(answersIn(stage.sockets.ask(queryFor(WEB)))).toEqual(['10.2.0.1']);
    await stage.cluster.client.delete(imports, { namespace: 'shop', name: 'web' });
    await stage.advance();
    expect(read(stage.sockets.ask(queryFor(WEB))).rcode).toBe('NXDOMAIN');
    expect(stage.metrics.lines(zoneNames)).toHaveLength(1);
    expect(stage.metrics.lines(answersReplaced)).toHaveLength(1);
  });

  it('goes on answering while the API server is away', async () => {
    stage = await new Stage().setUp();
    await stage.putImport(testImport('web'));
    await stage.put(testSlice('web', 'a', ['10.1.0.1']));
    stage.start();
    await stage.advance();
    stage.cluster.refuse = () => 503;
    stage.cluster.kube.compact();
    await stage.advance(3_600_000);
    expect(answersIn(stage.sockets.ask(queryFor(WEB)))).toEqual(['10.1.0.1']);
  });

  it('waits for the Multi-Cluster Services API to be there, and says so', async () => {
    stage = await new Stage().setUp({ installs: false });
    stage.start();
    await stage.advance();
    expect(stage.readiness).toEqual({
      ready: false,
      reason: 'the cluster has no ServiceImports: its API server serves no multicluster.x-k8s.io',
    });
    expect(read(stage.sockets.ask(queryFor(WEB))).rcode).toBe('SERVFAIL');
    await stage.install();
    await stage.advance(10_000);
    expect(read(stage.sockets.ask(queryFor(WEB))).rcode).toBe('NXDOMAIN');
  });

  it('takes an older version of the API where there is no newer one', async () => {
    stage = await new Stage().setUp({ installs: false });
    for (const { metadata, spec } of mcsDefinitions) {
      const versions = spec.versions
        .filter(({ name }) => name === 'v1alpha1')
        .map((one) => ({ ...one, storage: true }));
      const definition = { metadata, spec: { ...spec, versions } };
      await stage.cluster.client.create(customResourceDefinitions, definition);
    }
    await stage.advance();
    await stage.cluster.client.create(serviceImports('v1alpha1'), testImport('web'));
    await stage.put(testSlice('web', 'a', ['10.1.0.1']));
    stage.start();
    await stage.advance();
    expect(answersIn(stage.sockets.ask(queryFor(WEB)))).toEqual(['10.1.0.1']);
  });

  it('moves a slice that says that it belongs to another Service', async () => {
    stage = await new Stage().setUp();
    for (const name of ['web', 'mail']) await stage.putImport(testImport(name));
    await stage.put(testSlice('web', 'a', ['10.1.0.1']));
    stage.start();
    await stage.advance();
    await stage.cluster.client.patchMerge<EndpointSlice>(
      endpointSlices,
      { namespace: 'shop', name: 'web.ipv4.a' },
      { metadata: { labels: { 'multicluster.kubernetes.io/service-name': 'mail' } } },
    );
    await stage.advance();
    expect(answersIn(stage.sockets.ask(queryFor(WEB)))).toEqual([]);
    expect(answersIn(stage.sockets.ask(queryFor('mail.shop.svc.clusterset.local')))).toEqual(['10.1.0.1']);
  });

  it('follows what changes while it is busy with a large Service', async () => {
    stage = await new Stage().setUp();
    const hosts = Array.from({ length: 900 }, (_, host) => `10.${1 + (host >> 8)}.${host & 255}.1`);
    const [first, second] = [testSlice('db', 'a', hosts), testSlice('db', 'a', hosts.slice(0, 3))];
    await stage.putImport(testImport('db', 'Headless'));
    await stage.putImport(testImport('web'));
    stage.start();
    await stage.advance();
    const { metadata } = await stage.put(first);
    await stage.cluster.client.update(endpointSlices, { ...second, metadata });
    await stage.put(testSlice('web', 'a', ['10.9.0.1']));
    await stage.advance();
    expect(answersIn(stage.sockets.ask(queryFor('db.shop.svc.clusterset.local')))).toHaveLength(3);
    expect(answersIn(stage.sockets.ask(queryFor(WEB)))).toEqual(['10.9.0.1']);
  });

  it('answers for pods by their host names', async () => {
    stage = await new Stage().setUp();
    await stage.putImport(testImport('db', 'Headless'));
    const endpoints = [{ addresses: ['10.1.0.1'], hostname: 'db-0' }];
    await stage.put({ ...testSlice('db', 'a', []), endpoints });
    stage.start();
    await stage.advance();
    expect(answersIn(stage.sockets.ask(queryFor('db-0.a.db.shop.svc.clusterset.local')))).toEqual(['10.1.0.1']);
  });

  it('forwards what is not of the zone, and logs queries, where it is told to', async () => {
    stage = await new Stage().setUp();
    stage.sockets.exchange = async ({ bytes }) => {
      const reply = Buffer.from(bytes);
      reply[2] = 0x80;
      return reply;
    };
    stage.start({ forward: { servers: ['192.0.2.53'] }, logQueries: true });
    await stage.advance();
    const datagram = queryFor('example.org');
    expect(stage.sockets.ask(datagram)).toHaveLength(0);
    // The socket has the memory for what comes next.
    datagram.fill(0xff);
    await stage.advance(1);
    expect(stage.sockets.late.map((reply) => read(reply))).toMatchObject([
      { id: 4711, questions: [{ name: 'example.org', type: 'A', class: 'IN' }] },
    ]);
    stage.sockets.ask(queryFor(WEB, 'SRV'));
    stage.sockets.ask(Buffer.alloc(4));
    const client = '192.0.2.9';
    expect(stage.log.slice(-2)).toEqual([
      [{ client, transport: 'udp', name: 'example.org', type: 1, result: 'forwarded' }, 'query'],
      [{ client, transport: 'udp', name: WEB, type: 33, result: 'NXDOMAIN' }, 'query'],
    ]);
  });

  it('forwards no reply over UDP that is longer than its own may be', async () => {
    stage = await new Stage().setUp();
    const asked: number[] = [];
    stage.sockets.exchange = async ({ bytes }) => {
      asked.push(bytes.readUInt16BE(bytes.length - 8));
      const reply = Buffer.concat([bytes, Buffer.alloc(4_000)]);
      reply[2] = 0x80;
      return reply;
    };
    stage.start({ forward: { servers: ['192.0.2.53'] }, udpPayloadBytes: 1_232 });
    await stage.advance();
    const query = queryFor('example.org', 'A', { edns: 65_000 });
    stage.sockets.ask(query);
    await stage.advance(1);
    expect(asked).toEqual([1_232]);
    const [late = Buffer.alloc(0)] = stage.sockets.late;
    expect(late.length).toBe(query.length - 11);
    expect(read(late)).toMatchObject({ id: 4711, flag_tc: true, answers: [], additionals: [] });
    expect(read(late).questions).toEqual([{ name: 'example.org', type: 'A', class: 'IN' }]);
  });

  it('makes the zone as its configuration says', async () => {
    stage = await new Stage().setUp();
    for (const name of ['web', 'db']) await stage.putImport(testImport(name, name === 'db' ? 'Headless' : undefined));
    for (const [at, cluster] of ['a', 'b'].entries()) await stage.put(testSlice('web', cluster, [`10.${at + 1}.0.1`]));
    const pods = Array.from({ length: 60 }, (_, host) => `10.9.0.${host}`);
    await stage.put(testSlice('db', 'a', pods));
    stage.start({
      zone: 'Multi.Example.',
      ttlSeconds: 7,
      weights: { a: 2 },
      clusterSpecificNames: false,
      nameServerAddresses: ['10.96.0.53'],
      udpPayloadBytes: 600,
    });
    await stage.advance();
    const ask = (name: string) => stage.sockets.ask(queryFor(`${name}.multi.example`, 'A', { edns: 4_096 }));
    const turns = Array.from({ length: 6 }, () => answersIn(ask('web.shop.svc')).join());
    expect(turns.toSorted()).toEqual(['10.1.0.1', '10.1.0.1', '10.1.0.1', '10.1.0.1', '10.2.0.1', '10.2.0.1']);
    expect(read(ask('web.shop.svc')).answers).toMatchObject([{ ttl: 7 }]);
    expect(read(ask('a.web.shop.svc')).rcode).toBe('NXDOMAIN');
    expect(answersIn(ask('ns.dns'))).toEqual(['10.96.0.53']);
    expect(ask('db.shop.svc').length).toBeLessThanOrEqual(600);
    expect(read(stage.sockets.ask(queryFor(WEB))).rcode).toBe('REFUSED');
  });

  it('prefers the cluster and believes the older ones that its configuration names', async () => {
    stage = await new Stage().setUp();
    await stage.cluster.client.create(namespaces, { metadata: { name: 'legacy' } });
    for (const name of ['web', 'mail']) await stage.putImport(testImport(name));
    for (const [at, cluster] of ['a', 'b'].entries()) await stage.put(testSlice('web', cluster, [`10.${at + 1}.0.1`]));
    const prefix = 'lighthouse.submariner.io/source';
    const labels = { [`${prefix}Cluster`]: 'old', [`${prefix}Name`]: 'mail', [`${prefix}Namespace`]: 'shop' };
    await stage.putImport({
      metadata: { namespace: 'legacy', name: 'mail-shop-old', labels },
      spec: { type: 'ClusterSetIP', ports: [], ips: ['10.7.0.1'] },
    });
    stage.start({ cluster: 'b', olderClusters: ['old'], olderNamespace: 'legacy' });
    await stage.advance();
    const turns = Array.from({ length: 3 }, () => answersIn(stage.sockets.ask(queryFor(WEB))).join());
    expect(turns).toEqual(['10.2.0.1', '10.2.0.1', '10.2.0.1']);
    expect(answersIn(stage.sockets.ask(queryFor('mail.shop.svc.clusterset.local')))).toEqual(['10.7.0.1']);
  });

  it('waits for clients and other servers as long as its configuration says', async () => {
    stage = await new Stage().setUp();
    stage.sockets.exchange = ({ signal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    stage.start({ tcp: { idleSeconds: 3 }, forward: { servers: ['192.0.2.53'], timeoutSeconds: 0.5 } });
    await stage.advance();
    const { events } = stage.sockets.connect();
    stage.sockets.ask(queryFor('example.org'));
    await stage.advance(499);
    expect(stage.sockets.late).toHaveLength(0);
    await stage.advance(1);
    expect(stage.sockets.late.map((reply) => read(reply).rcode)).toEqual(['SERVFAIL']);
    await stage.advance(2_499);
    expect(events).toEqual([]);
    await stage.advance(1);
    expect(events).toEqual(['destroyed']);
  });

  it('says in one line why it cannot listen, and tries again', async () => {
    stage = await new Stage().setUp();
    stage.sockets.problem = 'cannot listen on 0.0.0.0:53 (UDP): another program has it';
    stage.start();
    await stage.advance(100);
    expect(stage.readiness).toEqual({ ready: false, reason: stage.sockets.problem });
    stage.sockets.problem = undefined;
    await stage.advance(60_000);
    expect(stage.readiness).toEqual({ ready: true });
  });

  it('tells what it would answer, and why', async () => {
    stage = await new Stage().setUp();
    await stage.putImport(testImport('web'));
    await stage.put(testSlice('web', 'a', ['10.1.0.1']));
    await stage.put(testSlice('web', 'b', []));
    const part = dnsPart(stage.sockets);
    const { client, clock } = stage.cluster;
    const environment = { client, clock, logger: silentLogger, signal: stage.stop.signal };
    const told = async (...words: readonly string[]) => {
      const lines: string[] = [];
      const [command] = part.commands;
      if (command?.needs !== 'configuration') return lines;
      const print = (line: string) => void lines.push(line);
      await command.run({ ...environment, environment, configuration: {}, words, options: {}, print });
      return lines;
    };
    const why = [
      'the ServiceImport shop/web is of type ClusterSetIP',
      'cluster a: 1 endpoints, of web.ipv4.a',
      'cluster b: 0 endpoints, of web.ipv4.b',
      '  left out: the cluster has no ready endpoints',
    ];
    expect(await told('WEB.shop.svc.clusterset.local.')).toEqual([`${WEB} A: NOERROR`, '  5 A 10.1.0.1', ...why]);
    expect(await told(WEB, 'aaaa')).toEqual([
      `${WEB} AAAA: NOERROR, the name is there and has no such records`,
      ...why,
    ]);
    expect(await told(`b.${WEB}`)).toEqual([`b.${WEB} A: NXDOMAIN, the name is not there`, ...why]);
    expect(await told('no.shop.svc.clusterset.local')).toEqual([
      'no.shop.svc.clusterset.local A: NXDOMAIN, the name is not there',
      'there is no ServiceImport shop/no',
    ]);
    expect(await told('example.org')).toEqual([
      'example.org A: REFUSED, because it is not of the zone clusterset.local',
    ]);
    await expect(told(WEB, 'MX')).rejects.toThrow('MX is no type of the zone: it has A, NS, SOA, TXT, AAAA, SRV');
    await expect(told('no name')).rejects.toThrow('"no name" is no name');

    const configured = part.configure({});
    const subject = { kind: 'serviceimport', namespace: 'shop', name: 'web' };
    expect(await configured.explain(environment, subject)).toMatchObject({ state: 'as-wanted', there: why });
    expect(await configured.explain(environment, { ...subject, name: 'no' })).toBeUndefined();
    expect(await configured.status(environment)).toEqual({
      summary: '8 names of 1 Services',
      figures: { names: 8, services: 1, 'services without endpoints': 0 },
      problems: [],
    });
  });

  it('tells in its status that every query fails where there are no ServiceImports', async () => {
    stage = await new Stage().setUp({ installs: false });
    const { client, clock } = stage.cluster;
    const environment = { client, clock, logger: silentLogger, signal: stage.stop.signal };
    expect(await dnsPart(stage.sockets).configure({}).status(environment)).toEqual({
      summary: 'every query fails',
      figures: {},
      problems: ['the cluster has no ServiceImports: its API server serves no multicluster.x-k8s.io'],
    });
  });

  it('tells in its status what leads nowhere, and what only an operator can mend', async () => {
    stage = await new Stage().setUp();
    await stage.putImport(testImport('empty'));
    await stage.put(testSlice('empty', 'a', []));
    await stage.putImport(testImport('web'));
    await stage.put(testSlice('web', 'a', ['10.1.0.1']));
    await stage.put({ ...testSlice('web', 'b', ['web.example.org']), addressType: 'FQDN' });
    await stage.put(testSlice('record.of-a-cluster', 'a', ['10.1.0.1']));
    const ports = Array.from({ length: 1_001 }, (_, index) => ({ name: `p${index}`, port: 1 + index }));
    await stage.putImport({ ...testImport('wide'), spec: { type: 'ClusterSetIP', ports } });
    await stage.put(testSlice('wide', 'a', ['10.1.0.1']));
    for (let index = 0; index < 7; index += 1) await stage.put(testSlice(`lost-${index}`, 'a', ['10.1.0.1']));
    const { client, clock } = stage.cluster;
    const environment = { client, clock, logger: silentLogger, signal: stage.stop.signal };
    const { problems, figures } = await dnsPart(stage.sockets).configure({}).status(environment);
    const lost = (index: number) =>
      `shop/lost-${index} has EndpointSlices of other clusters and no ServiceImport: its name is not there`;
    expect(problems).toEqual([
      ...[0, 1, 2, 3, 4].map(lost),
      'and 2 more of this kind',
      'of shop/web in cluster b is left out: web.example.org of web.ipv4.b: no FQDN address',
      'of shop/wide is left out: 1 ports of the ServiceImport: they are more than 1000',
    ]);
    expect(figures).toMatchObject({ services: 10, 'services without endpoints': 1 });
  });
});
