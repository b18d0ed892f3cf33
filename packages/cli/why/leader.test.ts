import type { Lease } from '@fairlead/kube';
import { describe, expect, it } from 'vitest';
import { findLeader, leaderIn, leaderText } from './leader.ts';

const NOW = Date.UTC(2026, 0, 1, 12, 0, 30);

function lease(holderIdentity: string, renewTime: string): Lease {
  return {
    metadata: { namespace: 'fairlead-system', name: 'fairlead-gateway' },
    spec: { holderIdentity, renewTime, leaseDurationSeconds: 15 },
  };
}

describe('who leads', () => {
  it('is who renewed the Lease within its duration', () => {
    const leader = leaderIn(lease('fairlead-0_1234-ab', '2026-01-01T12:00:20.000000Z'), NOW);
    expect(leader).toEqual({ kind: 'led', replica: 'fairlead-0' });
    expect(leaderText(leader)).toBe('led by fairlead-0');
  });

  it('is nobody when the Lease is missing, given back, or not renewed', () => {
    expect(leaderText(leaderIn(undefined, NOW))).toBe('nobody leads');
    expect(leaderText(leaderIn(lease('', '2026-01-01T12:00:20.000000Z'), NOW))).toBe('nobody leads');
    expect(leaderText(leaderIn(lease('fairlead-0_1', ''), NOW))).toBe('nobody leads');
    const silent = leaderIn(lease('fairlead-0_1', '2026-01-01T11:59:30.000000Z'), NOW);
    expect(leaderText(silent)).toBe('nobody leads: fairlead-0 fell silent 60 s ago');
  });

  it('is unknown to who may not read the Lease', async () => {
    const find = () => Promise.reject(new Error('you may not get leases'));
    const leader = await findLeader({ find }, 'a', 'gateway', { now: () => NOW }, new AbortController().signal);
    expect(leaderText(leader)).toBe('who leads is unknown: you may not get leases');
  });
});
