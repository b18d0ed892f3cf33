import { requireIpAddress } from '@fairlead/control';
import { describe, expect, it } from 'vitest';
import type { VirtualServer } from '../../protocol/configuration.ts';
import type { GatewayReport } from './gateways.ts';
import { parseClient, traceLines } from './trace.ts';

const client = parseClient('198.51.100.9:30000');

function server(more: Partial<VirtualServer> = {}): VirtualServer {
  return {
    address: requireIpAddress('192.0.2.10'),
    protocol: 'TCP',
    port: 80,
    service: 'shop/web',
    backends: [{ address: requireIpAddress('10.0.0.1'), port: 8_080 }],
    preservesClientAddress: false,
    ...more,
  };
}

function report(name: string, more: Partial<GatewayReport> = {}): GatewayReport {
  const status = { programmed: true, heldAddresses: ['192.0.2.10'] };
  const base = { pools: new Set(['default']), wanted: 1, isInStep: true };
  return { gateway: { name, url: `https://${name}` }, ...base, status, ...more };
}

const trace = (one: VirtualServer, ...gateways: readonly GatewayReport[]) =>
  traceLines(client, [{ pool: 'default', server: one }], gateways);

describe('the trace of a connection', () => {
  it('names the gateway that holds the address, the slot and the backend', () => {
    const idle = report('gw2', { status: { programmed: true, heldAddresses: [] } });
    expect(trace(server(), report('gw1'), idle)).toEqual([
      '192.0.2.10 TCP/80',
      '  gateway: gw1',
      '  rule: slot 0 of 1, by the hash of its address and port',
      '  backend: 10.0.0.1:8080, which sees the address of the gateway',
    ]);
  });

  it('says that a client is not let in, or that no backend is there', () => {
    expect(trace(server({ sourceRanges: ['203.0.113.0/24'] }), report('gw1'))).toContain(
      '  rule: dropped, as 198.51.100.9 is in none of 203.0.113.0/24',
    );
    expect(trace(server({ backends: [] }), report('gw1'))).toContain('  rule: refused at once, as no backend is ready');
  });

  it('says which gateways cannot be asked, and that one is not in step', () => {
    const { status: _, ...silent } = report('gw2', { failure: 'no answer', isInStep: false });
    expect(trace(server(), report('gw1', { isInStep: false }), silent)).toContain(
      '  gateway: gw1, which does not have all that it should yet (gw2 cannot be asked)',
    );
    expect(trace(server(), silent)).toContain('  gateway: none says that it holds 192.0.2.10 (gw2 cannot be asked)');
  });

  it('says that a client of another family meets nothing', () => {
    expect(traceLines(parseClient('[2001:db8::9]:1'), [{ pool: 'default', server: server() }], [])).toEqual([
      'no gateway serves it at an IPv6 address: fairlead why tells more',
    ]);
  });

  it.each(['198.51.100.9', '198.51.100.9:0', '2001:db8::9:80', 'here:80'])('refuses %s as a client', (text) => {
    expect(() => parseClient(text)).toThrow(/^--from takes an address and a port, such as/);
  });
});
