import { describe, expect, it } from 'vitest';
import { KeyedWorkers } from './keyed-workers.ts';

/** Tasks by key that last until they are told to end. */
function tasks(queues: Readonly<Record<string, string[]>>) {
  const running = new Map<string, PromiseWithResolvers<void>>();
  const next = (key: string) => {
    const name = queues[key]?.shift();
    if (name === undefined) return undefined;
    return () => {
      const task = Promise.withResolvers<void>();
      running.set(name, task);
      return task.promise.finally(() => running.delete(name));
    };
  };
  const settle = async () => {
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
    return [...running.keys()];
  };
  const end = async (name: string, error?: Error) => {
    if (error === undefined) running.get(name)?.resolve();
    else running.get(name)?.reject(error);
    return settle();
  };
  return { work: new KeyedWorkers(next), settle, end };
}

describe('side by side', () => {
  it('works on several keys at once, and on one of them at one task after the other', async () => {
    const { work, settle, end } = tasks({ a: ['a1', 'a2'], b: ['b1'] });
    work.offer(['a', 'b']);
    expect(await settle()).toEqual(['a1', 'b1']);
    work.offer(['a', 'b']);
    expect(await settle()).toEqual(['a1', 'b1']);
    expect(await end('a1')).toEqual(['b1', 'a2']);
  });

  it('takes up a key again that had nothing to do, and is over when none has', async () => {
    const queues = { a: ['a1'], b: [] as string[] };
    const { work, settle, end } = tasks(queues);
    work.offer(['a', 'b']);
    const finished = work.finished();
    expect(await settle()).toEqual(['a1']);
    queues.b.push('b1');
    expect(work.offer(['b'])).toBe(true);
    expect(await end('a1')).toEqual(['b1']);
    expect(await end('b1')).toEqual([]);
    await finished;
    queues.a.push('a2');
    expect(work.offer(['a'])).toBe(false);
    expect(await settle()).toEqual([]);
  });

  it('tells of a failure when the others are done', async () => {
    const { work, settle, end } = tasks({ a: ['a1', 'a2'], b: ['b1'] });
    work.offer(['a', 'b']);
    let outcome = 'under way';
    const finished = work.finished().catch((error: unknown) => {
      outcome = String(error);
    });
    await settle();
    await end('a1', new Error('broken'));
    expect(outcome).toBe('under way');
    await end('b1');
    await finished;
    expect(outcome).toBe('Error: broken');
  });
});
