import { seededRandom } from '@fairlead/control';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ServiceAllocator } from './allocation.ts';
import { serviceDefaults } from './defaults.ts';
import { asService, type Service, type ServiceSpec } from './service.ts';
import { dropTypeDependentFields } from './update.ts';

function service(name: string, spec: ServiceSpec): Service {
  const object = {
    kind: 'Service',
    apiVersion: 'v1',
    metadata: { name, namespace: 'ns' },
    spec,
    status: { loadBalancer: {} },
  };
  return serviceDefaults(asService(object));
}

const SMALL = { clusterIPs: ['10.0.0.0/28', 'fd00::/124'], nodePorts: { first: 30_000, last: 30_007 } } as const;

/** Services as the server keeps them: planned, then stored, then booked. */
class Cluster {
  readonly allocator = new ServiceAllocator(SMALL, seededRandom(1));
  readonly services = new Map<string, Service>();

  put(name: string, spec: ServiceSpec): void {
    const previous = this.services.get(name);
    const planned = this.allocator.plan(service(name, spec), previous, false);
    const next = previous === undefined ? planned : dropTypeDependentFields(planned, previous);
    this.allocator.commit(next, previous);
    this.services.set(name, next);
  }

  remove(name: string): void {
    this.allocator.commit(undefined, this.services.get(name));
    this.services.delete(name);
  }

  get addresses(): readonly string[] {
    return [...this.services.values()].flatMap(({ spec }) =>
      (spec.clusterIPs ?? []).filter((address) => address !== 'None'),
    );
  }

  get ports(): readonly number[] {
    return [...this.services.values()].flatMap(({ spec }) => [
      ...(spec.ports ?? []).flatMap(({ nodePort }) => nodePort ?? []),
      ...(spec.healthCheckNodePort === undefined ? [] : [spec.healthCheckNodePort]),
    ]);
  }
}

const shape: fc.Arbitrary<ServiceSpec> = fc.constantFrom<ServiceSpec>(
  { ports: [{ port: 80 }] },
  { type: 'NodePort', ports: [{ port: 80 }] },
  { type: 'LoadBalancer', externalTrafficPolicy: 'Local', ports: [{ port: 80 }] },
  { type: 'LoadBalancer', allocateLoadBalancerNodePorts: false, ports: [{ port: 80 }] },
  { clusterIP: 'None', ports: [{ port: 80 }] },
  { type: 'ExternalName', externalName: 'example.test' },
  { ipFamilyPolicy: 'RequireDualStack', ports: [{ port: 80 }] },
);

describe('addresses and node ports', () => {
  it('are never given to two Services, and are given again after they came back', () => {
    const step = fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.option(shape, { nil: undefined }));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
        const cluster = new Cluster();
        for (const [name, spec] of steps) {
          cluster.remove(name);
          if (spec !== undefined) cluster.put(name, spec);
          expect(new Set(cluster.addresses).size).toBe(cluster.addresses.length);
          expect(new Set(cluster.ports).size).toBe(cluster.ports.length);
        }
      }),
    );
  });

  it('run out with a clear word, and only then', () => {
    const cluster = new Cluster();
    for (let count = 0; count < 8; count += 1) cluster.put(`s${count}`, { type: 'NodePort', ports: [{ port: 80 }] });
    expect(() => cluster.put('one-more', { type: 'NodePort', ports: [{ port: 80 }] })).toThrow(
      'failed to allocate a nodePort: range is full',
    );
    cluster.remove('s3');
    cluster.put('one-more', { type: 'NodePort', ports: [{ port: 80 }] });
    expect(cluster.ports).toHaveLength(8);
  });

  it('of a Service that changes its type come back', () => {
    const cluster = new Cluster();
    cluster.put('a', { type: 'LoadBalancer', externalTrafficPolicy: 'Local', ports: [{ port: 80 }] });
    const before = cluster.services.get('a');
    expect(cluster.ports).toHaveLength(2);
    cluster.put('a', { ...before?.spec, type: 'ClusterIP' });
    expect(cluster.ports).toHaveLength(0);
    expect(cluster.services.get('a')?.spec.clusterIPs).toEqual(before?.spec.clusterIPs);
    const full = Array.from({ length: 8 }, (_, index) => ({ name: `p${index}`, port: 80 + index }));
    cluster.put('b', { type: 'NodePort', ports: full });
    expect(cluster.ports).toHaveLength(8);
  });

  it('that a Service asks for are given, refused when taken, and refused out of range', () => {
    const cluster = new Cluster();
    cluster.put('a', { clusterIP: '10.0.0.5', type: 'NodePort', ports: [{ port: 80, nodePort: 30_001 }] });
    expect(cluster.addresses).toEqual(['10.0.0.5']);
    expect(() => cluster.put('b', { clusterIP: '10.0.0.5', ports: [{ port: 80 }] })).toThrow(
      'provided IP is already allocated',
    );
    expect(() => cluster.put('b', { clusterIP: '10.9.9.9', ports: [{ port: 80 }] })).toThrow(
      'the provided network does not match the current range',
    );
    expect(() => cluster.put('b', { type: 'NodePort', ports: [{ port: 80, nodePort: 30_001 }] })).toThrow(
      'provided port is already allocated',
    );
    expect(() => cluster.put('b', { type: 'NodePort', ports: [{ port: 80, nodePort: 80 }] })).toThrow(
      'The range of valid ports is 30000-30007',
    );
  });

  it('are not taken by a plan that is never carried out', () => {
    const { allocator } = new Cluster();
    for (let count = 0; count < 100; count += 1) {
      allocator.plan(service('a', { type: 'NodePort', ports: [{ port: 80 }] }), undefined, false);
    }
    expect(allocator.isPortTaken(30_000)).toBe(false);
  });
});
