import {
  FairleadError,
  type HttpRequest,
  type HttpTransport,
  Journal,
  noMetrics,
  requireIpAddress,
  seededRandom,
  silentLogger,
  VirtualClock,
} from '@fairlead/control';
import { serviceKey } from '@fairlead/service';
import { SimulatedAgent } from '@fairlead/sim/gateway';
import { expect, it } from 'vitest';
import type { AgentStatus } from '../../protocol/answer.ts';
import type { PoolServer } from '../backends/virtual-servers.ts';
import { AgentClient } from './agent-client.ts';
import { AgentSender } from './agent-sender.ts';
import { VirtualServerTable } from './virtual-server-table.ts';

it('tells once that a gateway is dead, and how often it was tried when it is back', async () => {
  const clock = new VirtualClock();
  const lines: string[] = [];
  const write = (level: string) => (fields: object, text: string) => {
    const attempts = 'attempts' in fields ? ` ${String(fields.attempts)}` : '';
    lines.push(`${level} ${text}${attempts}`);
  };
  const stop = new AbortController();
  let isDead = true;
  const sender = new AgentSender({
    gateway: { name: 'one', url: 'https://one' },
    pools: new Set(['public']),
    table: new VirtualServerTable(),
    client: {
      status: async (): Promise<AgentStatus> => {
        if (isDead) throw new FairleadError('refused', { verdict: 'retriable', code: 'connection-refused' });
        return { programmed: true, heldAddresses: [] };
      },
      announce: async ({ epoch }) => ({ epoch }),
      put: async () => ({ kind: 'taken', generation: { epoch: 1, number: 1 } }),
    },
    epoch: 1,
    clock,
    random: seededRandom(1),
    logger: { ...silentLogger, warn: write('warn'), info: write('info') },
    metrics: noMetrics,
    journal: new Journal(clock),
    comparisonMilliseconds: Number.POSITIVE_INFINITY,
    onNews: () => {},
  });
  const running = sender.run(stop.signal, stop.signal);
  await clock.advance(600_000);
  expect(lines).toEqual(['warn a gateway is not in step']);
  isDead = false;
  await clock.advance(60_000);
  expect(lines).toEqual([
    'warn a gateway is not in step',
    expect.stringMatching(/^info a gateway is in step again \d\d$/),
  ]);
  stop.abort();
  await clock.advance(1);
  await running.catch(() => {});
});

const gateway = { name: 'one', url: 'https://one' };
const WEB = serviceKey({ namespace: 'shop', name: 'web' });

function web(...backends: readonly string[]): readonly PoolServer[] {
  const address = requireIpAddress('192.0.2.1');
  const server = {
    address,
    protocol: 'TCP',
    port: 80,
    service: WEB,
    backends: backends.map((backend) => ({ address: requireIpAddress(backend), port: 8080 })),
    preservesClientAddress: false,
  } as const;
  return [{ pool: 'public', server }];
}

/** A sender with a simulated agent behind the transport. */
function senderTo(transport: HttpTransport, clock: VirtualClock, comparisonMilliseconds = 60_000) {
  const table = new VirtualServerTable();
  const sender = new AgentSender({
    gateway,
    pools: new Set(['public']),
    table,
    client: new AgentClient({ gateway, transport, clock, leadership: { covers: () => true } }),
    epoch: 1,
    clock,
    random: seededRandom(1),
    logger: silentLogger,
    metrics: noMetrics,
    journal: new Journal(clock),
    comparisonMilliseconds,
    onNews: () => {},
  });
  const stop = new AbortController();
  const running = sender.run(stop.signal, stop.signal);
  const set = (servers: readonly PoolServer[]) => sender.mark(table.set(WEB, servers).frontends);
  const end = async () => {
    stop.abort();
    await clock.advance(1);
    await running.catch(() => {});
  };
  return { set, end };
}

it('keeps out what it gave up on when that arrives late, though it has nothing more to send', async () => {
  const clock = new VirtualClock();
  const agent = new SimulatedAgent(clock);
  const late: HttpRequest[] = [];
  let isDelayed = false;
  const send = async (request: HttpRequest) => {
    if (!isDelayed || request.method !== 'PUT') return agent.send(request);
    late.push(request);
    throw new FairleadError('no answer', { verdict: 'retriable', code: 'connection-reset' });
  };
  const { set, end } = senderTo({ send }, clock);
  await clock.advance(5_000);
  isDelayed = true;
  set(web('10.1.0.1'));
  await clock.advance(100);
  expect(late).toHaveLength(1);
  isDelayed = false;
  set([]);
  await clock.advance(10_000);
  for (const request of late) agent.answer(request);
  expect([...agent.servers.keys()]).toEqual([]);
  await end();
});

it('offers again after five minutes what an agent refused, also where it is never compared', async () => {
  const clock = new VirtualClock();
  const agent = new SimulatedAgent(clock);
  agent.refuses = () => true;
  const { set, end } = senderTo(agent, clock, Number.POSITIVE_INFINITY);
  set(web('10.1.0.1'));
  await clock.advance(5_000);
  agent.refuses = () => false;
  await clock.advance(290_000);
  expect([...agent.servers.keys()]).toEqual([]);
  await clock.advance(10_000);
  expect([...agent.servers.keys()]).toHaveLength(1);
  await end();
});
