import { describe, expect, it } from 'vitest';
import { endpointSlices, services } from '../api/resources.ts';
import type { Service } from '../types/service.ts';
import { Interner } from './interner.ts';
import { ObjectDecoder } from './object-decoder.ts';

const decoder = new ObjectDecoder(services, (service: Service) => service, new Interner());

describe('ObjectDecoder', () => {
  it('drops the managed fields', () => {
    const decoded = decoder.decode({ kind: 'Service', metadata: { name: 'web', managedFields: [{}] }, spec: {} });
    expect(JSON.stringify(decoded)).not.toContain('managedFields');
    expect(decoded?.metadata).toEqual({ name: 'web' });
  });

  it('fills in the kind that lists leave out', () => {
    const slices = new ObjectDecoder(endpointSlices, (slice) => slice, new Interner());
    expect(slices.decode({ metadata: { name: 'web-1' }, addressType: 'IPv4', endpoints: null })).toMatchObject({
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
    });
  });

  it('keeps only what the projection returns', () => {
    const names = new ObjectDecoder(
      services,
      ({ metadata }) => ({ metadata: { name: metadata.name } }),
      new Interner(),
    );
    expect(names.decode({ metadata: { name: 'web', uid: '1' }, spec: {} })).toEqual({ metadata: { name: 'web' } });
  });

  it('does not keep an object under another name', () => {
    const project = ({ metadata }: Service) => ({ metadata: { name: metadata.name } });
    const names = new ObjectDecoder(services, project, new Interner());
    expect(() => names.decode({ metadata: { namespace: 'shop', name: 'web' }, spec: {} })).toThrow('keep both');
  });

  it('takes nothing else for an object', () => {
    for (const value of [
      null,
      'text',
      [],
      {},
      { metadata: null },
      { metadata: {} },
      { kind: 'Pod', metadata: { name: 'a' } },
    ]) {
      expect(decoder.decode(value)).toBeUndefined();
    }
  });
});
