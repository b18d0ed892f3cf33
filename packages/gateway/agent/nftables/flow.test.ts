import { requireIpAddress } from '@fairlead/control';
import { describe, expect, it } from 'vitest';
import type { VirtualServer } from '../../protocol/configuration.ts';
import { flowEnd } from './flow.ts';

const backends = Array.from({ length: 10 }, (_, index) => ({
  address: requireIpAddress(`10.0.0.${index + 101}`),
  port: 8_080,
}));
const server: VirtualServer = {
  address: requireIpAddress('192.0.2.10'),
  protocol: 'TCP',
  port: 80,
  service: 'default/web',
  backends,
  preservesClientAddress: false,
};
const client = (port: number) => ({ address: requireIpAddress('198.51.100.9'), port });

describe('what a connection meets', () => {
  it('is spread over all backends', () => {
    const counts = new Map<string, number>();
    for (let port = 20_000; port < 22_000; port += 1) {
      const end = flowEnd(server, client(port));
      if (end.kind === 'backend') counts.set(end.backend.address, (counts.get(end.backend.address) ?? 0) + 1);
    }
    expect(counts.size).toBe(10);
    for (const count of counts.values()) expect(Math.abs(count - 200)).toBeLessThan(60);
  });

  it('does not depend on the port with affinity', () => {
    const kept = { ...server, affinitySeconds: 10_800 };
    expect(flowEnd(kept, client(20_000))).toEqual(flowEnd(kept, client(20_001)));
  });

  it('is what a kernel chose for the same connections', () => {
    const slotOf = (from: string, port: number, more: Partial<VirtualServer> = {}) => {
      const end = flowEnd({ ...server, ...more }, { address: requireIpAddress(from), port });
      return end.kind === 'backend' ? end.slot : end.kind;
    };
    expect([30_000, 30_001, 30_002, 30_003].map((port) => slotOf('198.51.100.9', port))).toEqual([19, 28, 25, 51]);
    expect(slotOf('2001:db8:1::9', 30_000)).toBe(1);
    expect(slotOf('198.51.100.9', 30_000, { affinitySeconds: 10_800 })).toBe(51);
  });
});
