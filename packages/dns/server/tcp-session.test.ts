import { VirtualClock } from '@fairlead/control';
import { describe, expect, it } from 'vitest';
import { TcpSession, type StreamResponder } from './tcp-session.ts';
import { WorkBudget } from './work-budget.ts';

const framed = (...messages: readonly string[]) =>
  Buffer.concat(messages.flatMap((text) => [Buffer.of(text.length >> 8, text.length & 0xff), Buffer.from(text)]));

const echo: StreamResponder = (bytes, out) => out.write(`<${bytes.toString()}>`);

function session(
  respond: StreamResponder = echo,
  takes = () => true,
  clock = new VirtualClock(),
  budget = new WorkBudget(clock),
) {
  const events: string[] = [];
  const stream = {
    from: { address: '192.0.2.1', port: 1 },
    write: (bytes: Buffer) => {
      events.push(`${bytes.readUInt16BE(0)} ${bytes.subarray(2).toString()}`);
      return takes();
    },
    pause: () => void events.push('pause'),
    resume: () => void events.push('resume'),
    close: () => void events.push('close'),
    destroy: () => {
      events.push('destroy');
      tcp.closed();
    },
  };
  const dropped = (reason: string) => void events.push(`dropped: ${reason}`);
  const ended = () => void events.push('ended');
  const tcp = new TcpSession({ stream, respond, clock, budget, idleMilliseconds: 10_000, dropped, ended });
  return { clock, events, tcp };
}

describe('a TCP connection', () => {
  it('answers queries that come in one piece, in the order in which they came', () => {
    const { tcp, events } = session();
    tcp.receive(framed('one', 'two', 'three'));
    expect(events).toEqual(['5 <one>', '5 <two>', '7 <three>']);
  });

  it('answers queries that come byte by byte', () => {
    const { tcp, events } = session();
    for (const byte of framed('one', 'two')) tcp.receive(Buffer.of(byte));
    expect(events).toEqual(['5 <one>', '5 <two>']);
  });

  it('is closed when no whole query comes in time, however many bytes do', async () => {
    const { tcp, events, clock } = session();
    tcp.receive(framed('one'));
    await clock.advance(9_000);
    tcp.receive(framed('two'));
    for (let second = 0; second < 9; second += 1) {
      await clock.advance(1_000);
      tcp.receive(Buffer.of(second === 0 ? 0 : 9));
    }
    expect(events).not.toContain('destroy');
    await clock.advance(1_000);
    expect(events.slice(2)).toEqual(['dropped: connection-timeout', 'destroy', 'ended']);
  });

  it('answers what still comes when the server ends, and is closed when nothing comes any more', async () => {
    const { tcp, events, clock } = session();
    tcp.receive(framed('one'));
    tcp.finish(300);
    await clock.advance(200);
    tcp.receive(framed('two'));
    await clock.advance(200);
    expect(events).toEqual(['5 <one>', '5 <two>']);
    await clock.advance(100);
    expect(events.slice(2)).toEqual(['close']);
  });

  it('works no further while the client does not read, and goes on when it does', () => {
    let takes = false;
    const { tcp, events } = session(echo, () => takes);
    tcp.receive(framed('one', 'two'));
    expect(events).toEqual(['5 <one>', 'pause']);
    takes = true;
    tcp.drained();
    expect(events).toEqual(['5 <one>', 'pause', '5 <two>', 'resume']);
  });

  it('is closed when the client does not read for too long', async () => {
    const { tcp, events, clock } = session(echo, () => false);
    tcp.receive(framed('one', 'two'));
    await clock.advance(10_000);
    expect(events).toEqual(['5 <one>', 'pause', 'dropped: connection-timeout', 'destroy', 'ended']);
  });

  it('is closed when a query is announced that is larger than any is', () => {
    const { tcp, events } = session();
    tcp.receive(Buffer.of(0x10, 0x01));
    expect(events).toEqual(['dropped: oversized', 'destroy', 'ended']);
  });

  it('is closed by what is no query, at the latest when the client reads nothing for too long', async () => {
    const { tcp, events, clock } = session(() => 0);
    tcp.receive(framed('one', 'two'));
    tcp.receive(framed('three'));
    expect(events).toEqual(['close']);
    await clock.advance(10_000);
    expect(events).toEqual(['close', 'dropped: connection-timeout', 'destroy', 'ended']);
  });

  it('sends what comes later when it comes, and not after the client has gone', async () => {
    const waiting: ((reply: Buffer) => void)[] = [];
    const respond: StreamResponder = (bytes, out) =>
      bytes.toString() === 'now' ? echo(bytes, out) : new Promise((resolve) => waiting.push(resolve));
    const { tcp, events } = session(respond);
    tcp.receive(framed('later', 'now', 'later'));
    waiting[0]?.(Buffer.from('came'));
    await Promise.resolve();
    tcp.closed();
    waiting[1]?.(Buffer.from('too late'));
    await Promise.resolve();
    expect(events).toEqual(['5 <now>', '4 came', 'ended']);
  });

  it('reads no further while eight of its queries wait for other servers, and goes on when one is answered', async () => {
    const waiting: ((reply: Buffer) => void)[] = [];
    const { tcp, events } = session(() => new Promise((resolve) => waiting.push(resolve)));
    tcp.receive(framed(...Array.from({ length: 9 }, () => 'later')));
    tcp.receive(framed('last'));
    expect(waiting).toHaveLength(8);
    expect(events).toEqual(['pause']);
    waiting[0]?.(Buffer.from('one'));
    await Promise.resolve();
    expect(waiting).toHaveLength(9);
    expect(events).toEqual(['pause', '3 one', 'pause']);
    for (const answer of waiting.slice(1)) answer(Buffer.from('more'));
    await Promise.resolve();
    expect(waiting).toHaveLength(10);
    expect(events.slice(3, 7)).toEqual(['4 more', 'pause', '4 more', 'resume']);
  });

  it('reads no further when a reply that waited finds a client that does not read', async () => {
    const waiting: ((reply: Buffer) => void)[] = [];
    let takes = false;
    const { tcp, events } = session(
      () => new Promise((resolve) => waiting.push(resolve)),
      () => takes,
    );
    tcp.receive(framed(...Array.from({ length: 9 }, () => 'later')));
    waiting[0]?.(Buffer.from('one'));
    await Promise.resolve();
    expect(waiting).toHaveLength(8);
    expect(events).toEqual(['pause', '3 one', 'pause']);
    takes = true;
    tcp.drained();
    expect(waiting).toHaveLength(9);
  });

  it('answers a hundred queries in one turn, however many come at once, and reads no further meanwhile', async () => {
    const { tcp, events, clock } = session();
    tcp.receive(framed(...Array.from({ length: 250 }, (_, at) => `${at}`)));
    const answered = () => events.filter((event) => event.includes('<')).length;
    expect([answered(), events.at(-1)]).toEqual([100, 'pause']);
    tcp.receive(framed('250'));
    expect(answered()).toBe(100);
    await clock.advance(0);
    expect([answered(), events.at(-2), events.at(-1)]).toEqual([251, '5 <250>', 'resume']);
    expect(events.filter((event) => event === 'pause')).toHaveLength(2);
  });

  it('answers fewer in one turn the longer the replies are', () => {
    const { tcp, events } = session((_, out) => out.fill('x', 0, 9 * 1_024).length - out.length + 9 * 1_024);
    tcp.receive(framed(...Array.from({ length: 30 }, () => 'long')));
    expect(events).toHaveLength(11);
  });

  it('leaves a turn to others of which one came first, and asks nothing of one that is closed', async () => {
    const clock = new VirtualClock();
    const budget = new WorkBudget(clock);
    const order: string[] = [];
    const told =
      (name: string): StreamResponder =>
      (bytes, out) => {
        order.push(name);
        return echo(bytes, out);
      };
    const [greedy, gone, other] = ['greedy', 'gone', 'other'].map((name) =>
      session(told(name), () => true, clock, budget),
    );
    greedy?.tcp.receive(framed(...Array.from({ length: 350 }, () => 'more')));
    gone?.tcp.receive(framed('one'));
    gone?.tcp.closed();
    other?.tcp.receive(framed('one'));
    await clock.advance(0);
    expect(order.indexOf('other')).toBe(200);
    expect(order).not.toContain('gone');
    expect(order).toHaveLength(351);
  });
});
