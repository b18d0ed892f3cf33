import { VirtualClock } from '@fairlead/control';
import { describe, expect, it } from 'vitest';
import { JournalGuard } from './journal-guard.ts';

const SERVICE = { kind: 'service', namespace: 'shop', name: 'web' };
const HERE = { isLocal: true, address: '127.0.0.1' };
const NOBODY = { token: undefined, ...HERE };

/** An API server that knows the tokens `jane` and `joe`, and lets Jane read what is in the namespace shop. */
function setUp() {
  const clock = new VirtualClock();
  const reviews: string[] = [];
  const reviewed: unknown[] = [];
  let isAway = false;
  const postJson = async (path: string, body: object): Promise<unknown> => {
    reviews.push(path.split('/').at(-1) ?? '');
    if (isAway) throw new Error('the API server is away');
    const { token, user, resourceAttributes } = Object(Reflect.get(body, 'spec'));
    if (typeof token === 'string') {
      const authenticated = ['jane', 'joe', 'admin'].includes(token);
      return { status: { authenticated, user: { username: token, groups: ['all'] } } };
    }
    reviewed.push(resourceAttributes);
    const allowed = user === 'admin' || (user === 'jane' && resourceAttributes?.namespace === 'shop');
    return { status: { allowed } };
  };
  const guard = new JournalGuard('token', { postJson }, clock);
  const status = async (token: string | undefined, subject?: typeof SERVICE, address = HERE.address) =>
    (await guard.refusal({ token, isLocal: true, address }, subject))?.status ?? 200;
  return { clock, guard, reviews, reviewed, status, loseServer: () => (isAway = true) };
}

describe('the journal’s guard', () => {
  it('asks for a token, also on the same machine, and refuses one that the API server does not know', async () => {
    const { guard, reviews, status } = setUp();
    expect(await guard.refusal(NOBODY, SERVICE)).toMatchObject({ status: 401 });
    expect(await status('forged', SERVICE)).toBe(401);
    expect(reviews).toEqual(['tokenreviews']);
  });

  it('has no token reviewed that is none', async () => {
    const { reviews, status } = setUp();
    expect(await status('', SERVICE)).toBe(401);
    expect(await status('x'.repeat(20_000), SERVICE)).toBe(401);
    expect(reviews).toEqual([]);
  });

  it('tells of a Service to who may read that Service, and to no one else', async () => {
    const { status } = setUp();
    expect(await status('jane', SERVICE)).toBe(200);
    expect(await status('joe', SERVICE)).toBe(403);
    expect(await status('jane', { ...SERVICE, namespace: 'bank' })).toBe(403);
    expect(await status('jane')).toBe(403);
    expect(await status('jane', { ...SERVICE, kind: 'secretthing' })).toBe(403);
    expect(await status('admin')).toBe(200);
  });

  it('believes an answer for ten seconds, and asks again then', async () => {
    const { clock, reviews, status } = setUp();
    await status('jane', SERVICE);
    await status('jane', SERVICE);
    expect(reviews).toEqual(['tokenreviews', 'subjectaccessreviews']);
    await clock.advance(10_000);
    await status('jane', SERVICE);
    expect(reviews).toHaveLength(4);
  });

  it('has no more than sixteen reviews at once, however many ask', async () => {
    const { reviews, status } = setUp();
    const asking = Array.from({ length: 100 }, (_, index) => status(`forged ${index}`, SERVICE, `192.0.2.${index}`));
    const answers = await Promise.all(asking);
    expect(answers.filter((answer) => answer === 401)).toHaveLength(16);
    expect(answers.filter((answer) => answer === 429)).toHaveLength(84);
    expect(reviews).toHaveLength(16);
  });

  it('has places left for others, however many tokens one shows', async () => {
    const { status } = setUp();
    const forged = Array.from({ length: 100 }, (_, index) => status(`forged ${index}`, SERVICE, '192.0.2.1'));
    const jane = status('jane', SERVICE, '192.0.2.2');
    expect((await Promise.all(forged)).filter((answer) => answer === 401)).toHaveLength(4);
    expect(await jane).toBe(200);
    expect(await status('jane', { ...SERVICE, name: 'other' }, '192.0.2.1')).toBe(200);
  });

  it('has as many reviews as it takes, one after another', async () => {
    const { loseServer, status } = setUp();
    for (let index = 0; index < 10; index += 1) expect(await status(`forged ${index}`, SERVICE)).toBe(401);
    loseServer();
    for (let index = 10; index < 20; index += 1) expect(await status(`forged ${index}`, SERVICE)).toBe(503);
  });

  it('asks for that very Service', async () => {
    const { reviewed, status } = setUp();
    await status('jane', SERVICE);
    expect(reviewed).toEqual([{ verb: 'get', group: '', resource: 'services', namespace: 'shop', name: 'web' }]);
  });

  it('remembers no more answers than a thousand', async () => {
    const { reviews, status } = setUp();
    await status('jane', SERVICE);
    for (let index = 0; index < 1_000; index += 1) await status(`forged ${index}`, SERVICE);
    reviews.length = 0;
    await status('jane', SERVICE);
    expect(reviews).toEqual(['tokenreviews', 'subjectaccessreviews']);
  });

  it('takes no answer for a yes that is none', async () => {
    for (const answer of [undefined, {}, { status: { authenticated: true } }, { status: { authenticated: 'true' } }]) {
      const guard = new JournalGuard('token', { postJson: async () => answer }, new VirtualClock());
      expect(await guard.refusal({ token: 'jane', ...HERE }, SERVICE)).toMatchObject({ status: 401 });
    }
    const nameless = { status: { authenticated: true, user: { username: '' }, allowed: true } };
    const guard = new JournalGuard('token', { postJson: async () => nameless }, new VirtualClock());
    expect(await guard.refusal({ token: 'jane', ...HERE }, SERVICE)).toMatchObject({ status: 401 });
  });

  it('refuses while the API server cannot be asked, and says so', async () => {
    const { guard, loseServer, status } = setUp();
    loseServer();
    expect(await status('jane', SERVICE)).toBe(503);
    const refusal = await guard.refusal({ token: 'jane', ...HERE }, SERVICE);
    expect(refusal?.body).toContain('the API server is away');
  });

  it('goes by the machine where it is told so, or where there is no cluster', async () => {
    const here = new JournalGuard('token', undefined, new VirtualClock());
    expect(await here.refusal(NOBODY)).toBeUndefined();
    expect(await here.refusal({ token: 'jane', ...HERE, isLocal: false })).toMatchObject({ status: 403 });
    const open = new JournalGuard('open', undefined, new VirtualClock());
    expect(await open.refusal({ ...NOBODY, isLocal: false })).toBeUndefined();
  });
});
