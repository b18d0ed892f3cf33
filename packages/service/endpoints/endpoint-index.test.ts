import { keyText } from '@fairlead/kube';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EndpointIndex } from './endpoint-index.ts';
import { gatherEndpoints, gatherHosts } from './endpoints.ts';
import { slice, sliceContents } from '../testing/slices.ts';

const web = { namespace: 'shop', name: 'web' };
const api = { namespace: 'shop', name: 'api' };
const ports = [{ name: 'web', port: 8080 }];
const one = slice({ name: 's1', service: 'web', ports, endpoints: [{ addresses: ['10.0.0.1'] }] });
const two = slice({ name: 's2', service: 'web', ports, endpoints: [{ addresses: ['10.0.0.2'] }] });

describe('EndpointIndex', () => {
  it('gathers a Service from all of its slices', () => {
    const index = new EndpointIndex();
    expect(index.set(one)).toEqual(['shop/web']);
    expect(index.set(two)).toEqual(['shop/web']);
    expect(index.endpoints(web)).toEqual(gatherEndpoints([one, two]));
    expect(index.hosts(web)).toEqual(gatherHosts([one, two]));
  });

  it('knows nothing of a Service without slices', () => {
    const index = new EndpointIndex();
    index.set(one);
    expect(index.endpoints(api)).toEqual({ ports: [], problems: [] });
    expect(index.hosts(api)).toEqual([]);
    expect(index.delete(one.metadata)).toEqual(['shop/web']);
    expect(index.endpoints(web)).toEqual({ ports: [], problems: [] });
    expect(index.delete(one.metadata)).toEqual([]);
  });

  it('names both Services when a slice passes from one to the other', () => {
    const index = new EndpointIndex();
    index.set(one);
    index.set(two);
    const moved = slice({ name: 's1', service: 'api', ports, endpoints: [{ addresses: ['10.0.0.1'] }] });
    expect(index.set(moved)).toEqual(['shop/web', 'shop/api']);
    expect(index.hosts(web).map(({ address }) => address)).toEqual(['10.0.0.2']);
    expect(index.hosts(api).map(({ address }) => address)).toEqual(['10.0.0.1']);
  });

  it('drops a slice that no longer names a Service, and ignores one that never did', () => {
    const index = new EndpointIndex();
    index.set(one);
    expect(index.set(slice({ name: 's1', service: null }))).toEqual(['shop/web']);
    expect(index.hosts(web)).toEqual([]);
    expect(index.set(slice({ name: 's3', service: null }))).toEqual([]);
    expect(index.set(slice({ name: 's4', service: '' }))).toEqual([]);
  });

  it('is not moved by a slice it already knows in this version', () => {
    const index = new EndpointIndex();
    const versioned = slice({ name: 's1', resourceVersion: '5', endpoints: [{ addresses: ['10.0.0.1'] }] });
    expect(index.set(versioned)).toEqual(['shop/web']);
    const before = index.hosts(web);
    expect(index.set(structuredClone(versioned))).toEqual([]);
    expect(index.hosts(web)).toBe(before);
    expect(index.set(slice({ name: 's1', resourceVersion: '6' }))).toEqual(['shop/web']);
    expect(index.hosts(web)).toEqual([]);
  });

  it('tells namespaces apart', () => {
    const index = new EndpointIndex();
    index.set(one);
    index.set({ ...two, metadata: { ...two.metadata, namespace: 'other' } });
    expect(index.hosts(web)).toHaveLength(1);
    expect(index.hosts({ namespace: 'other', name: 'web' })).toHaveLength(1);
  });

  it('gathers again only the Services it named, and is right about all', () => {
    const services = [web, api].map((key) => ({ key, text: keyText(key) }));
    const change = fc.record({
      name: fc.constantFrom('s1', 's2', 's3'),
      service: fc.constantFrom('web', 'api', null),
      contents: fc.option(sliceContents, { nil: undefined }),
    });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 15 }), (changes) => {
        const index = new EndpointIndex();
        const world = new Map<string, ReturnType<typeof slice>>();
        for (const { name, service, contents } of changes) {
          const before = services.map(({ key }) => [index.endpoints(key), index.hosts(key)]);
          const changed = slice({ ...contents, name, service });
          const affected = contents === undefined ? index.delete(changed.metadata) : index.set(changed);
          if (contents === undefined) world.delete(name);
          else world.set(name, changed);
          for (const [position, { key, text }] of services.entries()) {
            const own = [...world.values()].filter(
              (each) => each.metadata.labels?.['kubernetes.io/service-name'] === key.name,
            );
            expect(index.endpoints(key)).toEqual(gatherEndpoints(own));
            expect(index.hosts(key)).toEqual(gatherHosts(own));
            const same = index.endpoints(key) === before[position]?.[0] && index.hosts(key) === before[position]?.[1];
            expect(same || affected.includes(text)).toBe(true);
          }
        }
      }),
    );
  });
});
