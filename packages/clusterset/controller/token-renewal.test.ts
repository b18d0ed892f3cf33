import { silentLogger } from '@fairlead/control';
import { namespaces, secrets } from '@fairlead/kube';
import { TestCluster } from '@fairlead/part/testing';
import { describe, expect, it } from 'vitest';
import { renewableFrom } from '../membership/token.ts';
import { keepTokenFresh } from './token-renewal.ts';

const DAY = 86_400;
const key = { namespace: 'fairlead-system', name: 'fairlead-broker' };

/** As a broker issues it. */
function tokenOf(iat: number, exp: number): string {
  return ['header', Buffer.from(JSON.stringify({ iat, exp })).toString('base64url'), 'signature'].join('.');
}

async function setUp(token: string) {
  const { client, clock } = new TestCluster();
  const stop = new AbortController();
  const asked: number[] = [];
  const isAway = { value: false };
  /** What happens while the broker is asked. */
  const during = { value: async () => {} };
  await client.create(namespaces, { metadata: { name: key.namespace } });
  await client.create(secrets, { metadata: key, stringData: { token, kubeconfig: 'way' } });
  const request = async () => {
    asked.push(clock.now());
    if (isAway.value) throw new Error('the broker is away');
    await during.value();
    const now = clock.now() / 1_000;
    return tokenOf(now, now + 30 * DAY);
  };
  const leadership = { signal: stop.signal, covers: () => true, epoch: 1 };
  const running = keepTokenFresh({
    clock,
    client,
    logger: silentLogger,
    leadership,
    signal: stop.signal,
    namespace: key.namespace,
    request,
  });
  const held = async () => Buffer.from((await client.get(secrets, key)).data?.['token'] ?? '', 'base64').toString();
  const end = async () => {
    stop.abort();
    await running;
  };
  return { client, clock, asked, isAway, during, held, end };
}

describe('the token for the broker', () => {
  it('says when it is to be renewed', () => {
    expect(renewableFrom(tokenOf(1_000, 3_000))).toBe(2_000_000);
    for (const token of ['', 'a.b.c', `x.${Buffer.from('{}').toString('base64url')}.y`])
      expect(renewableFrom(token)).toBeUndefined();
  });

  it('is renewed at half of its time, and then left alone', async () => {
    const now = new TestCluster().clock.now() / 1_000;
    const { clock, asked, held, end } = await setUp(tokenOf(now, now + 2 * DAY));
    await clock.advance((DAY - 60) * 1_000);
    expect(asked).toEqual([]);
    await clock.advance(900_000);
    expect(asked).toHaveLength(1);
    expect(renewableFrom(await held())).toBe((asked[0] ?? 0) + 15 * DAY * 1_000);
    await clock.advance(DAY * 1_000);
    expect(asked).toHaveLength(1);
    await end();
  });

  it('is tried again when the broker was away, and the one before it stays', async () => {
    const old = tokenOf(0, 1_000);
    const { clock, asked, isAway, held, end } = await setUp(old);
    isAway.value = true;
    await clock.advance(1_000);
    expect(await held()).toBe(old);
    isAway.value = false;
    await clock.advance(600_000);
    expect(asked.length).toBeGreaterThan(1);
    expect(await held()).not.toBe(old);
    await end();
  });

  it('of an operator who wrote one meanwhile is not written over', async () => {
    const { client, clock, asked, held, end, during } = await setUp(tokenOf(0, 1_000));
    const now = clock.now() / 1_000;
    const theirs = tokenOf(now, now + 60 * DAY);
    during.value = async () => {
      await client.patchMerge(secrets, key, { data: { token: Buffer.from(theirs).toString('base64') } });
    };
    await clock.advance(1_000);
    expect(asked).toHaveLength(1);
    expect(await held()).toBe(theirs);
    await end();
  });
});
