import type { EndpointSlice } from '@fairlead/kube';
import { type DemandedPort, gatherEndpoints } from '@fairlead/service';
import { describe, expect, it } from 'vitest';
import { resolvePorts } from './target-ports.ts';

function demanded(port: number, target: number | string, name = ''): DemandedPort {
  return {
    name,
    port,
    protocol: 'TCP',
    target: typeof target === 'number' ? { kind: 'number', port: target } : { kind: 'name', name: target },
    nodePort: undefined,
    appProtocol: undefined,
  };
}

/** A slice whose endpoints give the port `http` this number. */
function slice(name: string, number: number, ...addresses: readonly string[]): EndpointSlice {
  return {
    metadata: { namespace: 'shop', name, labels: { 'kubernetes.io/service-name': 'web' } },
    addressType: 'IPv4',
    endpoints: addresses.map((address) => ({ addresses: [address], conditions: { ready: true } })),
    ports: [{ name: 'http', protocol: 'TCP', port: number }],
  };
}

const resolve = (ports: readonly DemandedPort[], ...slices: readonly EndpointSlice[]) =>
  resolvePorts(ports, gatherEndpoints(slices));

describe('target ports', () => {
  it('are numbers as they stand, sorted by port', () => {
    expect(resolve([demanded(443, 8443), demanded(80, 8080)]).ports).toEqual([
      { protocol: 'TCP', port: 80, targetPort: 8080 },
      { protocol: 'TCP', port: 443, targetPort: 8443 },
    ]);
  });

  it('given by name wait until an endpoint tells their number', () => {
    const ports = [demanded(80, 'main', 'http')];
    expect(resolve(ports).ports).toEqual([]);
    expect(resolve(ports, slice('a', 8080, '10.1.0.1')).ports).toEqual([
      { protocol: 'TCP', port: 80, targetPort: 8080 },
    ]);
  });

  it('given by name mean what most endpoints say, and the others are left out', () => {
    const slices = [slice('a', 8080, '10.1.0.1', '10.1.0.2'), slice('b', 9090, '10.1.0.3')];
    const { ports, deviating } = resolve([demanded(80, 'main', 'http')], ...slices);
    expect(ports).toEqual([{ protocol: 'TCP', port: 80, targetPort: 8080 }]);
    expect([...deviating]).toEqual(['10.1.0.3']);
  });

  it('given by name mean what ready endpoints say, however many others are not, and what those say without any', () => {
    const notReady = (of: EndpointSlice): EndpointSlice => ({
      ...of,
      endpoints: (of.endpoints ?? []).map((endpoint) => ({ ...endpoint, conditions: { ready: false } })),
    });
    const starting = notReady(slice('b', 9090, '10.1.0.2', '10.1.0.3'));
    const ports = [demanded(80, 'main', 'http')];
    expect(resolve(ports, slice('a', 8080, '10.1.0.1'), starting).ports[0]?.targetPort).toBe(8080);
    expect(resolve(ports, starting).ports[0]?.targetPort).toBe(9090);
  });

  it('are the lower number when two are equally common, so that the order of slices does not matter', () => {
    const [a, b] = [slice('a', 9090, '10.1.0.1'), slice('b', 8080, '10.1.0.2')];
    const ports = [demanded(80, 'main', 'http')];
    expect(resolve(ports, a, b)).toEqual(resolve(ports, b, a));
    expect(resolve(ports, a, b).ports[0]?.targetPort).toBe(8080);
  });

  it('are refused when a name turns out to be the number of another port', () => {
    const ports = [demanded(80, 'main', 'http'), demanded(81, 8080, 'other')];
    expect(() => resolve(ports, slice('a', 8080, '10.1.0.1'))).toThrow('TCP 8080');
  });
});
