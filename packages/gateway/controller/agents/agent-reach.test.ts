import { FairleadError, noMetrics, silentLogger } from '@fairlead/control';
import { describe, expect, it } from 'vitest';
import { AgentReach } from './agent-reach.ts';

function reachAfter(code: string, attempts: number): string {
  const gateway = { name: 'one', url: 'https://one' };
  const reach = new AgentReach({ gateway, logger: silentLogger, metrics: noMetrics, onNews: () => {} });
  for (let count = 0; count < attempts; count += 1) {
    reach.failed(new FairleadError('no', { verdict: 'retriable', code }), false);
  }
  return reach.current;
}

describe('a gateway', () => {
  it('cannot be reached when several attempts to talk to it failed', () => {
    expect(reachAfter('connection-refused', 2)).toBe('unknown');
    expect(reachAfter('connection-refused', 3)).toBe('unreachable');
  });

  it('may well be there when it was not even asked, for want of a Lease', () => {
    expect(reachAfter('lease-too-short', 20)).toBe('unknown');
  });
});
