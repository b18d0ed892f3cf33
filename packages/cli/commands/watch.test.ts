import { afterEach, describe, expect, it } from 'vitest';
import { startCommandWorld } from '../testing/command-world.ts';
import { toyPart } from '../testing/toy-part.ts';

let started = new AsyncDisposableStack();
afterEach(async () => {
  const ended = started;
  started = new AsyncDisposableStack();
  await ended.disposeAsync();
});

describe.each(['--watch', '-w'])('%s', (option) => {
  it('has status look again until it is stopped, also where something is wrong', async () => {
    const { watch } = await startCommandWorld(started, [toyPart('one')]);
    expect(await watch('status', option)).toMatchObject({
      exitCode: 130,
      printed: expect.stringContaining('one: all is well (nobody leads'),
      complained: '',
    });
  });

  it('has why look again until it is stopped', async () => {
    const { watch } = await startCommandWorld(started, [toyPart('one')]);
    expect(await watch('why', 'service', 'shop/web', option)).toMatchObject({
      exitCode: 130,
      printed: expect.stringContaining('The leader says so.'),
      complained: '',
    });
  });
});
