import { FairleadError, Journal, noMetrics, seededRandom, silentLogger, VirtualClock } from '@fairlead/control';
import { expect, it } from 'vitest';
import type { AgentStatus } from '../../protocol/answer.ts';
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
