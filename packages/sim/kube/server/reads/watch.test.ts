import { describe, expect, it } from 'vitest';
import { type Json, textOf, valueAt } from '../../../json.ts';
import { Simulated } from '../../testing/simulated.ts';

const SECRETS = '/api/v1/namespaces/default/secrets';
const INITIAL = 'watch=1&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan';

function told(events: readonly Json[]): readonly string[] {
  return events.map((event) =>
    `${textOf(valueAt(event, 'type'))} ${textOf(valueAt(event, 'object', 'metadata', 'name'))}`.trim(),
  );
}

function quiet(): Simulated {
  return new Simulated({ controllers: false });
}

describe('a watch', () => {
  it('starts with what there is, says when that is over, and goes on with what happens', async () => {
    const world = quiet();
    await world.call('POST', SECRETS, { metadata: { name: 'a' } });
    const watch = world.watch(`${SECRETS}?${INITIAL}`);
    await world.call('POST', SECRETS, { metadata: { name: 'b' } });
    await world.call('DELETE', `${SECRETS}/a`);
    await world.clock.advance(0);
    expect(told(watch.events)).toEqual(['ADDED a', 'BOOKMARK', 'ADDED b', 'DELETED a']);
  });

  it('from a version tells everything after it once, in order', async () => {
    const world = quiet();
    const version = world.kube.resourceVersion;
    await world.call('POST', SECRETS, { metadata: { name: 'a' } });
    await world.patch('merge', `${SECRETS}/a`, { data: { x: 'eA==' } });
    const watch = world.watch(`${SECRETS}?watch=1&resourceVersion=${version}`);
    await world.call('DELETE', `${SECRETS}/a`);
    await world.clock.advance(0);
    expect(told(watch.events)).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a']);
    const versions = watch.events.map((event) => Number(valueAt(event, 'object', 'metadata', 'resourceVersion')));
    expect(versions).toEqual([version + 1, version + 2, version + 3]);
  });

  it('from a version that is forgotten is told so in the stream, and ends', async () => {
    const world = quiet();
    const version = world.kube.resourceVersion;
    await world.call('POST', SECRETS, { metadata: { name: 'a' } });
    world.kube.compact();
    const watch = world.watch(`${SECRETS}?watch=1&resourceVersion=${version}`);
    await world.clock.advance(0);
    expect(watch.status).toBe(200);
    expect(watch.ended).toBe(true);
    expect(watch.events).toMatchObject([
      {
        type: 'ERROR',
        object: {
          kind: 'Status',
          code: 410,
          reason: 'Expired',
          message: `too old resource version: ${version} (${version + 1})`,
        },
      },
    ]);
  });

  it('ends after the time it was given, with a bookmark shortly before', async () => {
    const world = quiet();
    const watch = world.watch(`${SECRETS}?watch=1&allowWatchBookmarks=true&timeoutSeconds=10&resourceVersion=1`);
    await world.clock.advance(9_000);
    expect(told(watch.events)).toEqual(['BOOKMARK']);
    expect(watch.ended).toBe(false);
    await world.clock.advance(1_000);
    expect(watch.ended).toBe(true);
  });

  it('sends a bookmark every minute to those who want them, and none to others', async () => {
    const world = quiet();
    const version = world.kube.resourceVersion;
    const wanted = world.watch(`${SECRETS}?watch=1&allowWatchBookmarks=true&resourceVersion=${version}`);
    const plain = world.watch(`${SECRETS}?watch=1&resourceVersion=${version}`);
    await world.call('POST', '/api/v1/namespaces/default/configmaps', { metadata: { name: 'a' } });
    await world.clock.advance(180_000);
    expect(told(wanted.events)).toEqual(['BOOKMARK', 'BOOKMARK', 'BOOKMARK']);
    expect(valueAt(wanted.events[0], 'object', 'metadata', 'resourceVersion')).toBe(String(version + 1));
    expect(plain.events).toEqual([]);
  });

  it('ends by itself within an hour', async () => {
    const world = quiet();
    const watch = world.watch(`${SECRETS}?watch=1`);
    await world.clock.advance(3_600_000);
    expect(watch.ended).toBe(true);
  });

  it('leaves nothing behind when its reader leaves', async () => {
    const world = quiet();
    const watch = world.watch(`${SECRETS}?watch=1&allowWatchBookmarks=true`);
    await world.clock.advance(0);
    watch.close();
    await world.clock.advance(0);
    expect(world.clock.pendingTimers).toBe(0);
  });

  it('sends every watcher the same bytes', async () => {
    const world = quiet();
    const pieces: Uint8Array[] = [];
    const read = async (): Promise<void> => {
      const request = { method: 'GET', url: `http://kubernetes${SECRETS}?watch=1`, headers: {} } as const;
      for await (const piece of world.kube.handle(request).body) pieces.push(piece);
    };
    void read();
    void read();
    await world.call('POST', SECRETS, { metadata: { name: 'a' } });
    await world.clock.advance(0);
    expect(pieces).toHaveLength(2);
    expect(pieces[0]).toBe(pieces[1]);
  });
});
