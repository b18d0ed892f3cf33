import { expect, it } from 'vitest';
import { parseCloudEntry } from '../configuration/cloud-entry.ts';
import { type Catalog, endpointOf } from './catalog.ts';

const auth = { auth_url: 'https://keystone.test', username: 'demo', password: 'secret', project_name: 'demo' };
const endpoint = (region_id: string) => ({
  interface: 'public',
  region_id,
  url: `https://${region_id}.test/network/`,
});
const catalog: Catalog = [{ type: 'network', endpoints: [endpoint('north'), endpoint('south')] }];

it('takes no endpoint of two regions where none is named', () => {
  const cloud = (more: object) => parseCloudEntry({ auth, ...more }, '"test"');
  expect(() => endpointOf(catalog, cloud({}), 'network')).toThrow('has several regions, north, south');
  expect(endpointOf(catalog, cloud({ region_name: 'south' }), 'network')).toBe('https://south.test/network');
});

it('takes the endpoint of the interface that is configured, whichever is listed first', () => {
  const both = ['internal', 'public'].map((name) => ({
    ...endpoint('north'),
    interface: name,
    url: `https://${name}.test`,
  }));
  const cloud = (more: object) => parseCloudEntry({ auth, ...more }, '"test"');
  const found = (more: object) => endpointOf([{ type: 'network', endpoints: both }], cloud(more), 'network');
  expect(found({})).toBe('https://public.test');
  expect(found({ interface: 'internal' })).toBe('https://internal.test');
  expect(() => found({ interface: 'admin' })).toThrow('has no admin endpoint, but internal, public');
});
