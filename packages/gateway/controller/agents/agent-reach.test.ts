import { FairleadError, noMetrics, silentLogger } from '@fairlead/control';
import { describe, expect, it } from 'vitest';
import { AgentReach } from './agent-reach.ts';

function newReach(): AgentReach {
  const gateway = { name: 'one', url: 'https://one' };
  return new AgentReach({ gateway, logger: silentLogger, metrics: noMetrics, onNews: () => {} });
}

function fail(reach: AgentReach, code: string, attempts: number): void {
  for (let count = 0; count < attempts; count += 1) {
    reach.failed(new FairleadError('no', { verdict: 'retriable', code }), false);
  }
}

function reachAfter(code: string, attempts: number): string {
  const reach = newReach();
  fail(reach, code, attempts);
  return reach.current;
}

describe('a gateway', () => {
  it('cannot be reached when several attempts to talk to it failed', () => {
    expect(reachAfter('connection-refused', 2)).toBe('unknown');
    expect(reachAfter('connection-refused', 3)).toBe('unreachable');
  });

  it('may well be there when it was not even asked, for want of a Lease', () => {
    expect(reachAfter('lease-too-short', 20)).toBe('unknown');
    const reach = newReach();
    fail(reach, 'lease-too-short', 2);
    fail(reach, 'connection-refused', 2);
    expect(reach.current).toBe('unknown');
  });
});
