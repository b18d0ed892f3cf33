import { noMetrics, seededRandom, silentLogger, VirtualClock } from '@fairlead/control';
import { RecordedMetrics } from '@fairlead/control/testing';
import { describe, expect, it } from 'vitest';
import { FakeSockets } from '../testing/fake-sockets.ts';
import { queryFor } from '../testing/queries.ts';
import { TestZone } from '../testing/test-zone.ts';
import { openConnections, repliesSent } from './counts.ts';
import { DnsServer } from './dns-server.ts';
import { Forwarder } from './forwarder.ts';

const ANY = { address: '0.0.0.0', port: 53 };
const WEB = 'web.shop.svc.clusterset.local';

function serverOn(sockets: FakeSockets, metrics = new RecordedMetrics(), gauges: string[] = []) {
  const clock = new VirtualClock();
  const { responder, counts } = new TestZone({ forwards: true });
  const { signal } = new AbortController();
  const server = new DnsServer({
    responder,
    counts,
    forwarder: new Forwarder({
      servers: [{ address: '192.0.2.1', port: 53 }],
      exchange: (asked) => sockets.exchange(asked),
      counts,
      clock,
      random: seededRandom(1),
      timeoutMilliseconds: 2_000,
      signal,
    }),
    sockets,
    clock,
    metrics: {
      ...noMetrics,
      increment: (...told) => metrics.increment(...told),
      set: ({ name }, value) => void gauges.push(`${name} ${value}`),
    },
    logger: silentLogger,
    tcp: { connections: 10, connectionsOfOne: 10, idleMilliseconds: 10_000 },
    logsQueries: false,
  });
  return { server, clock };
}

describe('the server', () => {
  it('tells every second what was asked since, and at once how many connections are open', async () => {
    const sockets = new FakeSockets();
    const metrics = new RecordedMetrics();
    const gauges: string[] = [];
    const { server, clock } = serverOn(sockets, metrics, gauges);
    await server.listen([ANY]);
    for (const count of [1, 2, 3]) {
      sockets.ask(queryFor(WEB));
      await clock.advance(1_000);
      expect(metrics.lines(repliesSent)).toEqual([`udp NOERROR ${count}`]);
    }
    const clients = [sockets.connect(), sockets.connect()];
    for (const { handler } of clients) handler?.closed();
    expect(gauges).toEqual([1, 2, 1, 0].map((count) => `${openConnections.name} ${count}`));
  });

  it('passes a reply on over TCP as long as it is', async () => {
    const sockets = new FakeSockets();
    sockets.exchange = async ({ bytes }) => {
      const reply = Buffer.concat([bytes, Buffer.alloc(9_000)]);
      reply[2] = 0x80;
      return reply;
    };
    const { server, clock } = serverOn(sockets);
    await server.listen([ANY]);
    const { handler, written } = sockets.connect();
    const query = queryFor('example.org');
    handler?.receive(Buffer.concat([Buffer.of(0, query.length), query]));
    await clock.advance(0);
    expect(written.map(({ length }) => length)).toEqual([2 + query.length + 9_000]);
  });

  it('tells a client that is quiet, when it ends, that the connection does', async () => {
    const sockets = new FakeSockets();
    const { server, clock } = serverOn(sockets);
    await server.listen([ANY]);
    const { events } = sockets.connect();
    const closed = server.close();
    await clock.advance(300);
    expect(events).toEqual(['closed']);
    await closed;
  });

  it('listens on none of its addresses where one cannot be had', async () => {
    const sockets = new FakeSockets();
    sockets.onListening = () => {
      if (sockets.open.size > 0) throw new Error('10.0.0.2 is taken');
    };
    const { server } = serverOn(sockets);
    const addresses = ['10.0.0.1', '10.0.0.2'].map((address) => ({ address, port: 53 }));
    await expect(server.listen(addresses)).rejects.toThrow('10.0.0.2 is taken');
    expect(sockets.open.size).toBe(0);
    expect(sockets.ask(queryFor(WEB))).toHaveLength(0);
  });
});
