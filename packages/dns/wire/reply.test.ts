import { requireIpAddress } from '@fairlead/control';
import { decode, encode } from 'dns-packet';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { queryFor } from '../testing/queries.ts';
import { encodeName } from './name.ts';
import { Query } from './query.ts';
import { encodeRecords, type RecordData } from './records.ts';
import { ReplyWriter } from './reply.ts';

const asked = (name: string, edns?: number): Buffer =>
  queryFor(name, 'A', { id: 99, flags: 0x0110, ...(edns !== undefined && { edns }) });

function reply(bytes: Buffer, limit: number, write: (writer: ReplyWriter, query: Query) => number): Buffer {
  const query = new Query();
  query.read(bytes);
  const writer = new ReplyWriter({ payloadBytes: 1232, offersRecursion: false });
  const out = Buffer.alloc(65_535);
  writer.begin(query, bytes, out, limit);
  return out.subarray(0, write(writer, query));
}

const address = fc.oneof(fc.ipV4(), fc.ipV6()).map((text) => requireIpAddress(text));
const target = fc.stringMatching(/^[a-z]{1,20}(\.[a-z]{1,20}){1,4}$/);
const data: fc.Arbitrary<RecordData> = fc.oneof(
  address.map((one) => ({ type: one.includes(':') ? 'AAAA' : 'A', address: one }) as const),
  fc.record({
    type: fc.constant('SRV' as const),
    priority: fc.nat(65_535),
    weight: fc.nat(65_535),
    port: fc.nat(65_535),
    target,
  }),
  fc.record({ type: fc.constant('TXT' as const), text: fc.stringMatching(/^[ -~]{0,255}$/) }),
  fc.record({ type: fc.constant('NS' as const), target }),
);

/** As dns-packet has it. */
function expected(one: RecordData): unknown {
  switch (one.type) {
    case 'A':
    case 'AAAA':
      return { type: one.type, data: one.address };
    case 'SRV': {
      const { type, ...fields } = one;
      return { type, data: fields };
    }
    case 'TXT':
      return { type: 'TXT', data: [Buffer.from(one.text)] };
    case 'NS':
      return { type: 'NS', data: one.target };
    case 'SOA':
      return { type: 'SOA' };
  }
}

describe('a reply', () => {
  it('is read by dns-packet as it was meant, in the case of the question', () => {
    fc.assert(
      fc.property(fc.array(data, { maxLength: 20 }), fc.nat(86_400), (records, seconds) => {
        const bytes = reply(asked('Web.SHOP.svc'), 65_535, (writer, query) => {
          writer.answer(encodeRecords(records, seconds), 0, records.length);
          return writer.end(query, 'NOERROR', true);
        });
        const read = decode(bytes);
        expect(read).toMatchObject({
          id: 99,
          type: 'response',
          flag_aa: true,
          flag_rd: true,
          flag_cd: true,
          flag_ra: false,
        });
        expect(read.questions).toEqual([{ type: 'A', class: 'IN', name: 'Web.SHOP.svc' }]);
        const answers = records.map((one) => ({
          name: 'Web.SHOP.svc',
          ttl: seconds,
          class: 'IN',
          ...Object(expected(one)),
        }));
        expect(read.answers).toMatchObject(answers);
        expect(read.answers).toHaveLength(records.length);
      }),
    );
  });

  it.each([
    [undefined, 512, 30],
    [1232, 1232, 74],
    [4096, 1232, 74],
  ])('with EDNS of %s has what fits into %i bytes, and says that it is truncated', (edns, limit, fitting) => {
    const records = Array.from({ length: 100 }, (_, index) => requireIpAddress(`10.0.0.${index}`)).map(
      (one) => ({ type: 'A', address: one }) as const,
    );
    const bytes = reply(asked('web.shop.svc', edns), limit, (writer, query) => {
      writer.answer(encodeRecords(records, 5), 40, 100);
      writer.answer(encodeRecords(records, 5), 0, 40);
      return writer.end(query, 'NOERROR', true);
    });
    const { answers = [], flag_tc, additionals = [] } = decode(bytes);
    expect(bytes.length).toBeLessThanOrEqual(limit);
    expect({ flag_tc, count: answers.length, opts: additionals.length }).toEqual({
      flag_tc: true,
      count: fitting,
      opts: edns === undefined ? 0 : 1,
    });
    expect(answers[0]).toMatchObject({ data: '10.0.0.40' });
  });

  it('that something is not there has the SOA of the zone', () => {
    const zone = encodeName('clusterset.local');
    const soa = encodeRecords(
      [
        {
          type: 'SOA',
          nameServer: 'ns.dns.clusterset.local',
          mailbox: 'hostmaster.clusterset.local',
          serial: 7,
          negativeSeconds: 5,
        },
      ],
      5,
    );
    const bytes = reply(asked('no.such.CLUSTERSET.local', 1232), 512, (writer, query) => {
      writer.authority(soa, query.nameEnd, zone?.length ?? 0);
      return writer.end(query, 'NXDOMAIN', true);
    });
    expect(decode(bytes)).toMatchObject({
      rcode: 'NXDOMAIN',
      answers: [],
      authorities: [
        {
          name: 'CLUSTERSET.local',
          type: 'SOA',
          ttl: 5,
          data: { mname: 'ns.dns.clusterset.local', rname: 'hostmaster.clusterset.local', serial: 7, minimum: 5 },
        },
      ],
    });
  });

  it('to an unknown version of EDNS has its code in two places', () => {
    const bytes = reply(asked('web', 1232), 512, (writer, query) => writer.end(query, 'BADVERS', false));
    expect(decode(bytes)).toMatchObject({ rcode: 'NOERROR', additionals: [{ type: 'OPT', extendedRcode: 1 }] });
  });
});

describe('a name', () => {
  it.each(['', 'a..b', '.', 'a.', '-a', 'a-', 'a b', 'A', 'x'.repeat(64), 'ü', Array(128).fill('ab').join('.')])(
    'is not %j',
    (text) => {
      expect(encodeName(text)).toBeUndefined();
    },
  );

  it('is encoded as dns-packet does it', () => {
    const bytes = encode({ questions: [{ type: 'A', name: '_http._tcp.web.shop.svc' }] });
    expect(encodeName('_http._tcp.web.shop.svc')).toEqual(bytes.subarray(12, -4));
  });
});
