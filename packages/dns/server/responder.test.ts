import { randomInteger, randomPick, seededRandom } from '@fairlead/control';
import { RecordedMetrics } from '@fairlead/control/testing';
import { describe, expect, it } from 'vitest';
import { answersIn, queryFor, read } from '../testing/queries.ts';
import { testImport, TestZone, testSlice } from '../testing/test-zone.ts';
import { packetsDropped, questionsAsked, repliesSent, repliesTruncated } from './counts.ts';
import { FORWARD, NO_REPLY } from './responder.ts';

const zone = new TestZone();
const WEB = 'web.shop.svc.clusterset.local';
const DB = 'db.shop.svc.clusterset.local';
/** Fuzzed packets in a run of the suite; docs/testing.md has more. */
const PACKETS = Number(process.env['FAIRLEAD_DNS_PACKETS'] ?? 200_000);

describe('the rcode', () => {
  it.each([
    ['NOERROR', 'a name', WEB, 'A'],
    ['NOERROR', 'the zone', 'clusterset.local', 'SOA'],
    ['NOERROR', 'the zone', 'clusterset.local', 'NS'],
    ['NOERROR', 'the version', 'dns-version.clusterset.local', 'TXT'],
    ['NOERROR', 'a name in another case', 'WEB.shop.SVC.ClusterSet.Local', 'A'],
    ['NOERROR', 'any type', WEB, 255],
    ['NODATA', 'a family that the name lacks', WEB, 'AAAA'],
    ['NODATA', 'a type that there is not', WEB, 65_280],
    ['NODATA', 'type 0', WEB, 0],
    ['NODATA', 'a name above others', 'svc.clusterset.local', 'A'],
    ['NODATA', 'a namespace', 'shop.svc.clusterset.local', 'A'],
    ['NODATA', 'a protocol', `_tcp.${WEB}`, 'SRV'],
    ['NODATA', 'the zone without an address', 'clusterset.local', 'A'],
    ['NXDOMAIN', 'a Service that there is not', 'no.shop.svc.clusterset.local', 'A'],
    ['NXDOMAIN', 'a cluster that has none', `c.${WEB}`, 'A'],
    ['NXDOMAIN', 'a name that only begins alike', 'we.shop.svc.clusterset.local', 'A'],
    ['REFUSED', 'another zone', 'example.org', 'A'],
    ['REFUSED', 'the root', '.', 'NS'],
    ['REFUSED', 'what only ends alike', 'xclusterset.local', 'A'],
    ['REFUSED', 'what is above', 'local', 'A'],
    ['REFUSED', 'a transfer', 'clusterset.local', 252],
    ['REFUSED', 'a part of a transfer', 'clusterset.local', 251],
    ['NOTIMP', 'mailboxes', 'clusterset.local', 253],
    ['NOTIMP', 'a key', 'clusterset.local', 249],
    ['NOTIMP', 'EDNS itself', 'clusterset.local', 41],
  ])('is %s for %s', (rcode, _, name, type) => {
    const reply = read(zone.ask(queryFor(name, type)));
    const isNoData = rcode === 'NODATA';
    expect(reply.rcode).toBe(isNoData ? 'NOERROR' : rcode);
    const isNegative = isNoData || rcode === 'NXDOMAIN';
    expect(reply.authorities?.map(({ type: found, name: of }) => `${of} ${found}`.toLowerCase())).toEqual(
      isNegative ? ['clusterset.local soa'] : [],
    );
    expect((reply.answers ?? []).length > 0).toBe(rcode === 'NOERROR');
    expect(reply).toMatchObject({
      id: 4711,
      flag_aa: rcode === 'NOERROR' || isNegative,
      flag_ra: false,
      flag_rd: true,
      questions: [{ name: name === '.' ? '.' : name }],
    });
  });

  it('is REFUSED for other classes than that of the Internet', () => {
    const query = queryFor(WEB);
    query.writeUInt16BE(3, query.length - 2);
    expect(read(zone.ask(query)).rcode).toBe('REFUSED');
  });

  it('is REFUSED for a name with a label that has the bytes of the zone in it', () => {
    const label = Buffer.from('x\nclusterset');
    const name = Buffer.concat([Buffer.of(label.length), label, Buffer.from('\u0005local\0')]);
    const query = Buffer.concat([queryFor('.').subarray(0, 12), name, Buffer.of(0, 1, 0, 1)]);
    expect(zone.ask(query)[3]).toBe(5);
  });

  it('is SERVFAIL until the table is complete, also for what would not be there', () => {
    const early = new TestZone();
    early.responder.isReady = false;
    for (const name of [WEB, 'no.shop.svc.clusterset.local', 'clusterset.local']) {
      const reply = read(early.ask(queryFor(name)));
      expect(reply).toMatchObject({ rcode: 'SERVFAIL', answers: [], authorities: [], flag_aa: false });
    }
    expect(read(early.ask(queryFor('example.org'))).rcode).toBe('REFUSED');
  });

  it('is FORMERR or NOTIMP where the query is not sound, with as much of the question as could be read', () => {
    const two = queryFor(WEB);
    two[5] = 2;
    expect(read(zone.ask(two))).toMatchObject({ id: 4711, rcode: 'FORMERR', questions: [] });
    const cut = queryFor(WEB, 'A', { edns: 1232 }).subarray(0, -1);
    expect(read(zone.ask(cut))).toMatchObject({ rcode: 'FORMERR', questions: [{ name: WEB }] });
    expect(read(zone.ask(queryFor(WEB, 'A', { flags: 5 << 11 })))).toMatchObject({ rcode: 'NOTIMP', questions: [] });
  });

  it('is BADVERS for an unknown version of EDNS', () => {
    const reply = read(zone.ask(queryFor(WEB, 'A', { edns: 1232, version: 1 })));
    expect(reply).toMatchObject({ answers: [], additionals: [{ type: 'OPT', extendedRcode: 1, ednsVersion: 0 }] });
  });

  it('is none for what is no query', () => {
    expect(zone.outcome(Buffer.alloc(11))).toBe(NO_REPLY);
    expect(zone.outcome(queryFor(WEB, 'A', { flags: 0x8000 }).fill(0x80, 2, 3))).toBe(NO_REPLY);
  });
});

describe('a name above others', () => {
  it('is there as long as one of them is', () => {
    const fresh = new TestZone();
    fresh.index.removeImport(testImport('db'));
    fresh.index.flush();
    expect(read(fresh.ask(queryFor('db.shop.svc.clusterset.local'))).rcode).toBe('NXDOMAIN');
    for (const name of ['shop.svc.clusterset.local', 'svc.clusterset.local', `_tcp.${WEB}`]) {
      expect(read(fresh.ask(queryFor(name))).rcode).toBe('NOERROR');
    }
  });

  it('is gone with the last of them', () => {
    const fresh = new TestZone();
    expect(read(fresh.ask(queryFor(`_tcp.${WEB}`))).rcode).toBe('NOERROR');
    for (const name of ['web', 'db']) fresh.index.removeImport(testImport(name));
    fresh.index.flush();
    for (const name of [`_tcp.${WEB}`, WEB, 'shop.svc.clusterset.local']) {
      expect(read(fresh.ask(queryFor(name))).rcode).toBe('NXDOMAIN');
    }
    expect(read(fresh.ask(queryFor('svc.clusterset.local'))).rcode).toBe('NOERROR');
  });
});

describe('an answer', () => {
  it('is of one cluster after the other', () => {
    const fresh = new TestZone();
    const seen = Array.from({ length: 4 }, () => answersIn(fresh.ask(queryFor(WEB))));
    expect(seen).toEqual([['10.2.0.1'], ['10.1.0.1'], ['10.2.0.1'], ['10.1.0.1']]);
  });

  it('goes on in turn when another cluster comes or goes', () => {
    const fresh = new TestZone();
    fresh.ask(queryFor(WEB));
    fresh.index.setSlice(testSlice('web', 'c', ['10.3.0.1']));
    fresh.index.flush();
    expect(answersIn(fresh.ask(queryFor(WEB)))).toEqual(['10.3.0.1']);
  });

  it('is of this cluster alone while it has endpoints', () => {
    const fresh = new TestZone({ cluster: 'b' });
    const seen = Array.from({ length: 3 }, () => answersIn(fresh.ask(queryFor(WEB))));
    expect(seen).toEqual([['10.2.0.1'], ['10.2.0.1'], ['10.2.0.1']]);
    fresh.index.setSlice(testSlice('web', 'b', []));
    fresh.index.flush();
    expect(answersIn(fresh.ask(queryFor(WEB)))).toEqual(['10.1.0.1']);
  });

  it('is of this cluster without weight only while no other has endpoints', () => {
    const fresh = new TestZone({ cluster: 'b', weights: new Map([['b', 0]]) });
    const seen = () => Array.from({ length: 2 }, () => answersIn(fresh.ask(queryFor(WEB))));
    expect(seen()).toEqual([['10.1.0.1'], ['10.1.0.1']]);
    fresh.index.setSlice(testSlice('web', 'a', []));
    fresh.index.flush();
    expect(seen()).toEqual([['10.2.0.1'], ['10.2.0.1']]);
  });

  it('is of another cluster when an address moves there', () => {
    const slices = (...first: readonly string[]) => [
      testSlice('web', 'a', first),
      testSlice('web', 'b', ['10.1.0.1', '10.1.0.2', '10.1.0.3'].slice(first.length)),
    ];
    const fresh = new TestZone({}, { imports: [testImport('web')], slices: slices('10.1.0.1', '10.1.0.2') });
    fresh.ask(queryFor(WEB));
    for (const slice of slices('10.1.0.1')) fresh.index.setSlice(slice);
    fresh.index.flush();
    const seen = Array.from({ length: 2 }, () => answersIn(fresh.ask(queryFor(WEB))));
    expect(seen).toEqual([['10.1.0.1'], ['10.1.0.2', '10.1.0.3']]);
  });

  it('has no ports while no cluster has endpoints', () => {
    const fresh = new TestZone({}, { imports: [testImport('web')], slices: [testSlice('web', 'a', [])] });
    for (const name of [WEB, `_http._tcp.${WEB}`]) expect(read(fresh.ask(queryFor(name, 'SRV'))).answers).toEqual([]);
  });

  it('is that of a cluster, where a host of another cluster would have the same name', () => {
    const [host, cluster] = [testSlice('db', 'y', ['10.1.0.1']), testSlice('db', 'x.y', ['10.2.0.1'])];
    const slices = [{ ...host, endpoints: [{ addresses: ['10.1.0.1'], hostname: 'x' }] }, cluster];
    const fresh = new TestZone({}, { imports: [testImport('db', 'Headless')], slices });
    expect(answersIn(fresh.ask(queryFor(`x.y.${DB}`)))).toEqual(['10.2.0.1']);
  });

  it('names a pod by its address where its host name is none, also where that begins or ends with colons', () => {
    const addresses = ['::1', 'fd00::', 'fd00::7'];
    const slice = {
      ...testSlice('db', 'a', []),
      addressType: 'IPv6' as const,
      endpoints: addresses.map((address) => ({ addresses: [address], hostname: 'not_one-' })),
    };
    const fresh = new TestZone({}, { imports: [testImport('db', 'Headless')], slices: [slice] });
    const hosts = ['0--1', 'fd00--0', 'fd00--7'];
    expect(hosts.flatMap((host) => answersIn(fresh.ask(queryFor(`${host}.a.${DB}`, 'AAAA'))))).toEqual(addresses);
  });

  it('has an endpoint first that is of this cluster and of another', () => {
    const imports = [testImport('db', 'Headless')];
    const slices = [testSlice('db', 'a', ['10.9.0.1']), testSlice('db', 'b', ['10.9.0.1', '10.8.0.1'])];
    const fresh = new TestZone({ cluster: 'a' }, { imports, slices });
    const ask = () => answersIn(fresh.ask(queryFor('db.shop.svc.clusterset.local')));
    expect([ask(), ask()]).toEqual([
      ['10.9.0.1', '10.8.0.1'],
      ['10.9.0.1', '10.8.0.1'],
    ]);
  });

  it('has all endpoints of a headless Service, another one first each time, this cluster before others', () => {
    const fresh = new TestZone({ cluster: 'b' });
    fresh.index.setSlice(testSlice('db', 'b', ['10.8.0.1', '10.8.0.2']));
    fresh.index.setSlice(testSlice('db', 'a', ['10.9.0.1', '10.9.0.2', '10.9.0.3']));
    fresh.index.flush();
    const seen = Array.from({ length: 3 }, () => answersIn(fresh.ask(queryFor(DB))).map((one) => one.slice(3)));
    expect(seen).toEqual([
      ['8.0.2', '8.0.1', '9.0.2', '9.0.3', '9.0.1'],
      ['8.0.1', '8.0.2', '9.0.3', '9.0.1', '9.0.2'],
      ['8.0.2', '8.0.1', '9.0.1', '9.0.2', '9.0.3'],
    ]);
  });

  it.each([
    ['udp', undefined, 512, true],
    ['udp', 600, 600, true],
    ['udp', 1_232, 1_232, false],
    ['udp', 65_535, 1_232, false],
    ['tcp', undefined, 65_535, false],
  ] as const)('of 60 addresses over %s with EDNS of %s has %i bytes at most', (transport, edns, limit, isTruncated) => {
    const reply = zone.ask(queryFor(DB, 'A', edns === undefined ? {} : { edns }), transport);
    expect(reply.length).toBeLessThanOrEqual(limit);
    expect(read(reply).flag_tc).toBe(isTruncated);
    expect(answersIn(reply).length === 60).toBe(!isTruncated);
  });
});

describe('what is not of the zone', () => {
  it('is for another server where there is one, but for transfers', () => {
    const forwarding = new TestZone({ forwards: true });
    expect(forwarding.outcome(queryFor('example.org'))).toBe(FORWARD);
    expect(read(forwarding.ask(queryFor('example.org', 252))).rcode).toBe('REFUSED');
    expect(read(forwarding.ask(queryFor(WEB))).flag_ra).toBe(true);
  });
});

describe('whatever is sent', () => {
  const random = seededRandom(4_711);
  const queries = [
    queryFor(WEB),
    queryFor(DB, 'A', { edns: 4_096 }),
    queryFor(DB, 'SRV', { edns: 700 }),
    queryFor('no.shop.svc.clusterset.local', 'TXT', { edns: 1_232 }),
  ];

  /** Noise, or a query with some bytes changed, and perhaps cut off. */
  function packet(): Buffer {
    const isNoise = random.next() < 0.2;
    const bytes = isNoise ? Buffer.alloc(randomInteger(random, 0, 100)) : Buffer.from(randomPick(random, queries));
    const changes = isNoise ? bytes.length : randomInteger(random, 0, 5);
    for (let change = 0; change < changes; change += 1) {
      const at = isNoise ? change : randomInteger(random, 0, bytes.length - 1);
      bytes[at] = randomInteger(random, 0, 255);
    }
    return random.next() < 0.3 ? bytes.subarray(0, randomInteger(random, 0, bytes.length)) : bytes;
  }

  it('is answered with 24 times as much at most, however short its name is', () => {
    const short = { namespace: 'b', name: 'a' };
    const hosts = Array.from({ length: 200 }, (_, host) => `10.1.0.${host}`);
    const db = testSlice('a', 'a', hosts);
    const fresh = new TestZone(
      {},
      {
        imports: [{ ...testImport('a', 'Headless'), metadata: short }],
        slices: [{ ...db, metadata: { ...db.metadata, namespace: 'b' } }],
      },
    );
    const query = queryFor('a.b.svc.clusterset.local', 'A', { edns: 65_535 });
    const length = fresh.ask(query).length;
    expect(length).toBeGreaterThan(1_200);
    expect(length).toBeLessThanOrEqual(24 * query.length);
  });

  it('that something is not there leaves the SOA out where it does not fit', () => {
    const fresh = new TestZone({ zone: Array(50).fill('a').join('.') });
    const label = 'x'.repeat(60);
    const query = queryFor([label, label, 'x'.repeat(30), ...Array(50).fill('a')].join('.'));
    const reply = fresh.ask(query);
    expect(reply.length).toBeLessThanOrEqual(512);
    expect(read(reply)).toMatchObject({ rcode: 'NXDOMAIN', authorities: [] });
  });

  it('is answered within what was asked for and 22 times as much at most, or not at all', () => {
    const out = Buffer.alloc(65_535);
    const wrong: string[] = [];
    let replies = 0;
    for (let count = 0; count < PACKETS; count += 1) {
      const bytes = packet();
      const length = zone.responder.respond(bytes, out, 'udp');
      if (length === NO_REPLY) continue;
      replies += 1;
      const limit = Math.min(1_232, zone.responder.query.payloadBytes, 22 * bytes.length);
      const isReply = out[0] === bytes[0] && out[1] === bytes[1] && ((out[2] ?? 0) & 0x80) !== 0;
      if (length > limit || !isReply) wrong.push(bytes.toString('hex'));
    }
    expect(wrong).toEqual([]);
    expect(replies).toBeGreaterThan(PACKETS / 2);
  });
});

describe('what is counted', () => {
  it('is told once, by a few labels', () => {
    const fresh = new TestZone();
    const metrics = new RecordedMetrics();
    for (const query of [queryFor(WEB), queryFor(WEB, 'AAAA'), queryFor(DB), queryFor('x.org'), queryFor(WEB, 99)]) {
      fresh.ask(query);
    }
    fresh.ask(Buffer.alloc(3));
    fresh.ask(queryFor('no.clusterset.local', 'TXT'), 'tcp');
    fresh.counts.flush(metrics);
    fresh.counts.flush(metrics);
    expect(metrics.lines(repliesSent)).toEqual(['udp NOERROR 4', 'udp REFUSED 1', 'tcp NXDOMAIN 1']);
    expect(metrics.lines(questionsAsked)).toEqual(['other 1', 'A 2', 'TXT 1', 'AAAA 1']);
    expect(metrics.lines(repliesTruncated)).toEqual([' 1']);
    expect(metrics.lines(packetsDropped)).toEqual(['no-query 1']);
  });
});
