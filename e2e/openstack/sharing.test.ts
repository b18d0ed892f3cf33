import { describe, expect, it } from 'vitest';
import { shareOpenStack, sharedOpenStack } from './sharing.ts';

const access = {
  authUrl: 'http://127.0.0.1:1/v3',
  network: 'http://127.0.0.1:2',
  loadBalancer: 'http://127.0.0.1:3',
  region: 'RegionOne',
  adminPassword: 'a',
  userPassword: 'b',
  downFile: '/tmp/down',
};

describe('one OpenStack for all tests', () => {
  it('is started when the first test asks, once, and stopped at the end', async () => {
    const events: string[] = [];
    const sharing = await shareOpenStack(async () => {
      events.push('started');
      return { access, stop: async () => void events.push('stopped') };
    });
    expect(events).toEqual([]);
    expect(await Promise.all([sharedOpenStack(sharing.url), sharedOpenStack(sharing.url)])).toEqual([access, access]);
    await sharing.stop();
    expect(events).toEqual(['started', 'stopped']);
  });

  it('tells every test why it did not start', async () => {
    const sharing = await shareOpenStack(() => Promise.reject(new Error('no room')));
    await expect(sharedOpenStack(sharing.url)).rejects.toThrow('no room');
    await sharing.stop();
  });
});
