import { describe, expect, it } from 'vitest';
import { decodeWatchEvent } from './watch-event.ts';

const decode = (event: unknown) => decodeWatchEvent('/api/v1/services', JSON.stringify(event));

describe('decodeWatchEvent', () => {
  it('reads changes without looking at their objects', () => {
    for (const type of ['ADDED', 'MODIFIED', 'DELETED']) {
      expect(decode({ type, object: { some: 'thing' } })).toEqual({ type, object: { some: 'thing' } });
    }
  });

  it('tells the bookmark that ends the initial events from others', () => {
    const bookmark = (annotations?: object) =>
      decode({ type: 'BOOKMARK', object: { metadata: { resourceVersion: '7', annotations } } });
    expect(bookmark()).toEqual({ type: 'BOOKMARK', resourceVersion: '7', endsInitialEvents: false });
    expect(bookmark({ 'k8s.io/initial-events-end': 'true' })).toMatchObject({ endsInitialEvents: true });
  });

  it('reads an error, also one that does not say which', () => {
    expect(decode({ type: 'ERROR', object: { kind: 'Status', code: 410 } })).toMatchObject({ status: { code: 410 } });
    expect(decode({ type: 'ERROR', object: null })).toEqual({ type: 'ERROR', status: { kind: 'Status' } });
  });

  it('refuses what is no event', () => {
    for (const event of [null, [], 'text', {}, { type: 'RENAMED' }, { type: 'BOOKMARK', object: { metadata: {} } }]) {
      expect(() => decode(event)).toThrow('/api/v1/services: the answer');
    }
    expect(() => decodeWatchEvent('/api/v1/services', '<html>')).toThrow('is not JSON');
  });
});
