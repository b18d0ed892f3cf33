import { describe, expect, it } from 'vitest';
import { identify, may, mayUser, requestToken, whoAmI } from './reviews.ts';

const SERVICE = { verb: 'get', group: '', resource: 'services', namespace: 'shop', name: 'web' };
const JANE = { name: 'jane', uid: 'u1', groups: ['team'], extra: { scopes: ['all'] } };

/** A server that gives the same answer to every review, and says what it was asked. */
function answering(status: unknown) {
  const asked: { path: string; body: object }[] = [];
  const postJson = async (path: string, body: object): Promise<unknown> => {
    asked.push({ path, body });
    return status === undefined ? undefined : { status };
  };
  return { client: { postJson }, asked };
}

describe('may', () => {
  it('asks about ourselves, and takes a server that cannot be asked for one that forbids nothing', async () => {
    const { client, asked } = answering({ allowed: true });
    expect(await may(client, SERVICE)).toBe(true);
    expect(asked).toMatchObject([
      {
        path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
        body: { kind: 'SelfSubjectAccessReview', spec: { resourceAttributes: SERVICE } },
      },
    ]);
    expect(await may(answering({ allowed: false }).client, SERVICE)).toBe(false);
    expect(await may(answering(undefined).client, SERVICE)).toBe(true);
    expect(await may(answering('nonsense').client, SERVICE)).toBe(false);
  });
});

describe('mayUser', () => {
  it('asks about another with all that the server knows of them, and takes no answer for a no', async () => {
    const { client, asked } = answering({ allowed: true });
    expect(await mayUser(client, JANE, { verb: 'get', path: '/debug/journal' })).toBe(true);
    const { name: user, ...rest } = JANE;
    expect(asked).toMatchObject([
      {
        path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
        body: { spec: { user, ...rest, nonResourceAttributes: { verb: 'get', path: '/debug/journal' } } },
      },
    ]);
    expect(await mayUser(answering({ allowed: false }).client, JANE, SERVICE)).toBe(false);
    expect(await mayUser(answering(undefined).client, JANE, SERVICE)).toBe(false);
  });
});

describe('whoAmI', () => {
  it('is the name that the server has for us, where it tells', async () => {
    const { client, asked } = answering({ userInfo: { username: 'jane' } });
    expect(await whoAmI(client)).toBe('jane');
    expect(asked).toMatchObject([{ path: '/apis/authentication.k8s.io/v1/selfsubjectreviews' }]);
    expect(await whoAmI(answering(undefined).client)).toBeUndefined();
  });
});

describe('requestToken', () => {
  it('asks for a token of an account, and takes anything else for none', async () => {
    const account = { namespace: 'edge', name: 'fairlead' };
    const { client, asked } = answering({ token: 'secret' });
    expect(await requestToken(client, account, 600)).toBe('secret');
    expect(asked).toMatchObject([
      {
        path: '/api/v1/namespaces/edge/serviceaccounts/fairlead/token',
        body: { kind: 'TokenRequest', spec: { expirationSeconds: 600 } },
      },
    ]);
    expect(await requestToken(answering({ token: 7 }).client, account, 600)).toBeUndefined();
    expect(await requestToken(answering(undefined).client, account, 600)).toBeUndefined();
  });
});

describe('identify', () => {
  it('tells whose token it is', async () => {
    const user = { username: 'jane', uid: 'u1', groups: ['team'], extra: { scopes: ['all'] } };
    const { client, asked } = answering({ authenticated: true, user });
    expect(await identify(client, 'secret')).toEqual(JANE);
    expect(asked).toMatchObject([
      { path: '/apis/authentication.k8s.io/v1/tokenreviews', body: { spec: { token: 'secret' } } },
    ]);
  });

  it.each([
    undefined,
    {},
    { authenticated: false },
    { authenticated: false, user: { username: 'jane', groups: [] } },
    { authenticated: true },
    { authenticated: true, user: { groups: [] } },
  ])('knows nobody by %j', async (status) => {
    expect(await identify(answering(status).client, 'secret')).toBeUndefined();
  });
});
