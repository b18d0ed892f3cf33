import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../types/meta.ts';
import type { CacheChange } from './change.ts';
import { CacheContents } from './contents.ts';

type EventType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** What an administrator can put back. */
interface Backup {
  readonly objects: ReadonlyMap<string, KubeObject>;
  readonly events: number;
  readonly version: number;
}

/** A server with a handful of objects, all that ever happened on it, and a cache that copies it. */
class Copying {
  readonly server = new Map<string, KubeObject>();
  readonly log: { readonly type: EventType; readonly object: KubeObject }[] = [];
  /** What a handler that believes everything it is told would have. */
  readonly told = new Map<string, KubeObject>();
  readonly lies: string[] = [];
  readonly contents = new CacheContents<KubeObject>({
    changed: (change) => this.#believe(change),
    completed: () => {
      this.lists += 1;
    },
  });
  lists = 0;
  /** Nothing was listed yet, or what was is of no use. */
  mustList = true;
  /** How many of the log's events were delivered. */
  #delivered = 0;
  #version = 0;
  #uid = 0;
  #writes = 0;
  #backup: Backup = { objects: new Map(), events: 0, version: 0 };

  put(name: string): void {
    const before = this.server.get(name);
    this.#version += 1;
    this.#writes += 1;
    if (before === undefined) this.#uid += 1;
    const uid = before?.metadata.uid ?? String(this.#uid);
    const annotations = { write: String(this.#writes) };
    const object = { metadata: { name, uid, resourceVersion: String(this.#version), annotations } };
    this.server.set(name, object);
    this.log.push({ type: before === undefined ? 'ADDED' : 'MODIFIED', object });
  }

  remove(name: string): void {
    const object = this.server.get(name);
    if (object === undefined) return;
    this.#version += 1;
    this.server.delete(name);
    const metadata = { ...object.metadata, resourceVersion: String(this.#version) };
    this.log.push({ type: 'DELETED', object: { metadata } });
  }

  backUp(): void {
    this.#backup = { objects: new Map(this.server), events: this.log.length, version: this.#version };
  }

  /** Versions that were already given are given once more, to other objects. */
  restore(): void {
    const { objects, events, version } = this.#backup;
    this.server.clear();
    for (const [name, object] of objects) this.server.set(name, object);
    this.log.length = events;
    this.#version = version;
    this.mustList = true;
  }

  /** Delivers the next event, and some of those before it once more. */
  deliver(repeats: readonly number[]): void {
    if (this.mustList) return;
    const next = this.log[this.#delivered];
    if (next !== undefined) this.#hear(next);
    this.#delivered = Math.min(this.#delivered + 1, this.log.length);
    for (const repeat of repeats) {
      const old = this.log[repeat % Math.max(1, this.#delivered)];
      if (old !== undefined) this.#hear(old);
    }
  }

  #hear({ type, object }: Copying['log'][number]): void {
    if (type === 'DELETED') this.contents.deleted(object);
    else this.contents.changed(object);
  }

  /** Lists, in the order that `shuffle` gives, with some objects once more as they used to be; or breaks off. */
  list(shuffle: number, outdated: readonly number[], breaksOff: boolean): void {
    const now = [...this.server.values()];
    const start = shuffle % Math.max(1, now.length);
    const listed = [...now.slice(start), ...now.slice(0, start)];
    this.contents.listStarted();
    for (const object of breaksOff ? listed.slice(0, listed.length / 2) : listed) this.contents.listed(object);
    for (const index of outdated) {
      const old = this.log[index % Math.max(1, this.log.length)]?.object;
      if (old !== undefined && this.server.get(old.metadata.name)?.metadata.uid === old.metadata.uid) {
        this.contents.listed(old);
      }
    }
    if (!breaksOff) this.#completeList();
  }

  /** Lists while there are changes, which are sent between the objects there were; and repeats some of it all. */
  stream(changes: readonly ((copying: Copying) => void)[], repeats: readonly number[]): void {
    const sent: Copying['log'][number][] = [];
    const send = (event: Copying['log'][number]) => {
      sent.push(event);
      if (event.type === 'DELETED') this.contents.deleted(event.object);
      else this.contents.listed(event.object);
    };
    const snapshot = [...this.server.values()];
    this.contents.listStarted();
    for (const change of changes) {
      const listed = snapshot.shift();
      if (listed !== undefined) send({ type: 'ADDED', object: listed });
      const before = this.log.length;
      change(this);
      for (const event of this.log.slice(before)) send(event);
    }
    for (const object of snapshot) send({ type: 'ADDED', object });
    for (const repeat of repeats) {
      const repeated = sent[repeat % Math.max(1, sent.length)];
      if (repeated !== undefined) send(repeated);
    }
    this.#completeList();
  }

  #completeList(): void {
    for (const _step of this.contents.listEnded(String(this.#version)));
    this.#delivered = this.log.length;
    this.mustList = false;
  }

  #believe(change: CacheChange<KubeObject>): void {
    const { key } = change;
    const held = this.told.get(key);
    const before = change.type === 'add' ? undefined : change.before;
    if (before !== held) this.lies.push(`${change.type} ${key} is about something else than was told before`);
    if (change.type === 'update' && change.after.metadata.uid !== held?.metadata.uid) {
      this.lies.push(`update ${key} is about another object`);
    }
    if (change.initial !== (this.lists === 0)) this.lies.push(`${change.type} ${key} has initial ${change.initial}`);
    if (change.type === 'delete') this.told.delete(key);
    else this.told.set(key, change.after);
  }
}

const name = fc.constantFrom('a', 'b', 'c', 'd');
const few = fc.array(fc.nat({ max: 100 }), { maxLength: 3 });
const change = fc.oneof(
  name.map((name) => (copying: Copying) => copying.put(name)),
  name.map((name) => (copying: Copying) => copying.remove(name)),
);
const action: fc.Arbitrary<(copying: Copying) => void> = fc.oneof(
  { weight: 2, arbitrary: change },
  fc.tuple(fc.array(change, { maxLength: 6 }), few).map(
    ([changes, repeats]) =>
      (copying: Copying) =>
        copying.stream(changes, repeats),
  ),
  few.map((repeats) => (copying: Copying) => copying.deliver(repeats)),
  fc.constant((copying: Copying) => copying.backUp()),
  fc.constant((copying: Copying) => copying.restore()),
  fc.tuple(fc.nat({ max: 10 }), few, fc.boolean()).map(
    ([shuffle, outdated, breaksOff]) =>
      (copying: Copying) =>
        copying.list(shuffle, outdated, breaksOff),
  ),
);

/** The server, restored from a backup, has just listed in an older version what is held. */
function listingAfterRestore() {
  const { contents } = new Copying();
  const object = (resourceVersion: string) => ({ metadata: { name: 'a', uid: '1', resourceVersion } });
  contents.listStarted();
  contents.listed(object('150'));
  for (const _step of contents.listEnded('150'));
  contents.listStarted();
  contents.listed(object('90'));
  return { contents, object };
}

describe('CacheContents', () => {
  it('ends up as the server, whatever is repeated, late, out of order, broken off or restored', () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 60, size: 'max' }), (actions) => {
        const copying = new Copying();
        for (const act of actions) act(copying);
        if (copying.mustList) copying.list(0, [], false);
        for (let event = 0; event < copying.log.length; event += 1) copying.deliver([]);
        expect(new Map(copying.contents.objects)).toEqual(copying.server);
        expect(copying.told).toEqual(copying.server);
        expect(copying.lies).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it('takes versions that are no numbers as they come', () => {
    const copying = new Copying();
    const object = (resourceVersion: string) => ({ metadata: { name: 'a', uid: '1', resourceVersion } });
    copying.contents.listStarted();
    copying.contents.listed(object('x1'));
    for (const _step of copying.contents.listEnded('list-1'));
    expect(copying.contents.position).toBe('list-1');
    copying.contents.changed(object('x0'));
    expect(copying.contents.objects.get('a')).toEqual(object('x0'));
    expect(copying.contents.position).toBe('x0');
    copying.contents.deleted(object('x9'));
    expect(copying.contents.objects.size).toBe(0);
  });

  it('deletes nothing before a list is complete', () => {
    const copying = new Copying();
    copying.put('a');
    copying.put('b');
    copying.list(0, [], false);
    copying.contents.listStarted();
    expect(copying.contents.objects.size).toBe(2);
    copying.list(0, [], true);
    expect(copying.contents.objects.size).toBe(2);
  });

  it('takes over from a list what has the version that is held, and tells of it only if it is not the same', () => {
    const copying = new Copying();
    const { contents, told } = copying;
    const object = (uid: string, note: string) => ({
      metadata: { name: 'a', uid, resourceVersion: '150', annotations: { note } },
    });
    const list = (listed: KubeObject) => {
      contents.listStarted();
      contents.listed(listed);
      for (const _step of contents.listEnded('200'));
      return told.get('a');
    };
    const first = list(object('1', 'as it was'));
    expect(list(object('1', 'as it was'))).toBe(first);
    expect(list(object('1', 'written after a backup was restored'))).toMatchObject({
      metadata: { annotations: { note: 'written after a backup was restored' } },
    });
    expect(list(object('2', 'a namesake'))).toMatchObject({ metadata: { uid: '2' } });
    expect(copying.lies).toEqual([]);
  });

  it('takes over what a restored server lists in an older version, also when that has moved on past us', () => {
    const { contents, object } = listingAfterRestore();
    for (const _step of contents.listEnded('300'));
    expect(contents.objects.get('a')).toEqual(object('90'));
  });

  it('does not bring back what a server that was restored deletes while it lists', () => {
    const { contents, object } = listingAfterRestore();
    contents.deleted(object('101'));
    for (const _step of contents.listEnded('102'));
    expect(contents.objects.size).toBe(0);
  });

  it('heeds what a server that was restored deletes and makes anew while it lists, also what cannot be read', () => {
    const { contents } = new Copying();
    const object = (name: string, resourceVersion: string) => ({ metadata: { name, uid: name, resourceVersion } });
    contents.listStarted();
    for (const name of ['anew', 'unreadable']) contents.listed(object(name, '150'));
    for (const _step of contents.listEnded('150'));
    contents.listStarted();
    contents.listed(object('anew', '90'));
    contents.listedUnreadable('unreadable');
    for (const name of ['anew', 'unreadable']) contents.deleted(object(name, '101'));
    contents.listed(object('anew', '102'));
    contents.deleted(object('anew', '101'));
    for (const _step of contents.listEnded('103'));
    expect([...contents.objects.values()]).toEqual([object('anew', '102')]);
  });

  it('goes on from the version of the last bookmark', () => {
    const copying = new Copying();
    copying.list(0, [], false);
    copying.contents.bookmarked('70');
    expect(copying.contents.position).toBe('70');
    copying.contents.changed({ metadata: { name: 'late', resourceVersion: '69' } });
    expect(copying.contents.objects.size).toBe(0);
  });
});
