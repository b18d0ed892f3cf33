import { describe, expect, it } from 'vitest';
import { readCloud } from './clouds-yaml.ts';
import { cloudFromEnvironment } from './environment.ts';

const file = (text: string, path = 'clouds.yaml') => ({ path, text });
const read = (text: string, name?: string, secure?: string) =>
  readCloud(file(text), secure === undefined ? undefined : file(secure, 'secure.yaml'), name);
const invalid = (message: string) =>
  expect.objectContaining({ verdict: 'terminal', code: 'openstack-configuration-invalid', message });

const ENTRY = `
    auth:
      auth_url: https://keystone.test:5000
      username: web
      password: secret
      project_name: shop
      user_domain_name: people
      project_domain_id: abc
    region_name: north
    interface: internal
    cacert: /etc/ca.pem
`;
const CLOUDS = `
clouds:
  prod:${ENTRY}
  dev:${ENTRY}
`;

describe('readCloud', () => {
  it('reads a cloud as the clients of OpenStack do', () => {
    expect(read(CLOUDS, 'prod')).toEqual({
      name: '"prod"',
      authUrl: 'https://keystone.test:5000/v3',
      credential: { kind: 'password', user: { name: 'web', domain: { name: 'people' } }, password: 'secret' },
      project: { name: 'shop', domain: { id: 'abc' } },
      region: 'north',
      interface: 'internal',
      endpoints: new Map(),
      tls: { certificateAuthorityFile: '/etc/ca.pem' },
    });
  });

  it('takes the secret from secure.yaml, and leaves the rest as it is', () => {
    const secure = 'clouds: { prod: { auth: { password: hidden } }, other: {} }';
    expect(read(CLOUDS, 'prod', secure)).toMatchObject({
      credential: { password: 'hidden', user: { name: 'web' } },
      region: 'north',
    });
  });

  it('needs no name where there is one cloud only', () => {
    expect(read(`clouds:\n  only:${ENTRY}`).name).toBe('"only"');
    expect(() => read(CLOUDS)).toThrowError(invalid('say which cloud of clouds.yaml is meant: it has "prod", "dev"'));
  });

  it.each([
    ['id', { application_credential_id: 'x', application_credential_secret: 's' }, { id: 'x' }],
    [
      'name',
      { application_credential_name: 'n', application_credential_secret: 's', username: 'web' },
      { name: 'n', user: { name: 'web', domain: { id: 'default' } } },
    ],
  ])('reads an application credential by its %s', (_, auth, credential) => {
    const entry = { auth_type: 'v3applicationcredential', auth: { auth_url: 'http://k/v3/', ...auth } };
    expect(read(JSON.stringify({ clouds: { a: entry } }))).toMatchObject({
      authUrl: 'http://k/v3',
      credential: { kind: 'application-credential', credential, secret: 's' },
      project: undefined,
    });
  });

  it('reads a token, keys beside auth, numbers, and dashes', () => {
    const entry = { 'auth-url': 'http://k', auth_type: 'token', token: 't', 'project-id': 42, verify: false };
    expect(read(JSON.stringify({ clouds: { a: entry } }))).toMatchObject({
      credential: { kind: 'token', token: 't' },
      project: { id: '42' },
      tls: { insecure: true },
    });
  });

  it.each([
    ['a cloud that is not there', CLOUDS, 'test', 'clouds.yaml has no cloud "test": it has "prod", "dev"'],
    [
      'a name that JavaScript knows',
      CLOUDS,
      'constructor',
      'clouds.yaml has no cloud "constructor": it has "prod", "dev"',
    ],
    ['no clouds', 'a: 1', 'x', 'clouds.yaml has no list "clouds"'],
    [
      'no password',
      'clouds: { a: { auth: { auth_url: http://k, username: u, project_name: p } } }',
      'a',
      'the cloud "a" lacks password',
    ],
    [
      'no auth_url',
      'clouds: { a: { auth: { username: u, password: p, project_name: p } } }',
      'a',
      'the cloud "a" lacks auth_url, the address of Keystone',
    ],
    [
      'a profile',
      'clouds: { a: { profile: ovh, auth: { username: u, password: p, project_name: p } } }',
      'a',
      'the cloud "a" takes its auth_url from the profile "ovh": write it into its auth',
    ],
    [
      'Keystone v2',
      'clouds: { a: { auth: { auth_url: http://k/v2.0, username: u, password: p, project_name: p } } }',
      'a',
      'the auth_url of the cloud "a" is that of Keystone v2, which is gone: let it end in /v3',
    ],
    [
      'no project',
      'clouds: { a: { auth: { auth_url: http://k, username: u, password: p } } }',
      'a',
      'the cloud "a" lacks project_name or project_id: the project to work in',
    ],
    [
      'an unknown way to log in',
      'clouds: { a: { auth_type: v3oidcpassword, auth: { auth_url: http://k } } }',
      'a',
      'the cloud "a" has the auth_type "v3oidcpassword", which is not supported: use password, v3password, v3applicationcredential, token, v3token',
    ],
    [
      'a list',
      'clouds: { a: [] }',
      'a',
      'the cloud "a" is not as clouds.yaml has them: it: Invalid input: expected object, received array',
    ],
  ])('says in one line what is wrong: %s', (_, text, name, message) => {
    expect(() => read(text, name)).toThrowError(invalid(message));
  });

  it('says that a file is not YAML', () => {
    expect(() => read('clouds: [')).toThrowError(invalid(expect.stringMatching(/^clouds\.yaml is not YAML: [^\n]+$/)));
  });
});

describe('cloudFromEnvironment', () => {
  it('reads the variables that an RC file sets', () => {
    const environment = {
      OS_AUTH_URL: 'https://k/v3',
      OS_USERNAME: 'web',
      OS_PASSWORD: 'secret',
      OS_PROJECT_ID: 'p1',
      OS_USER_DOMAIN_NAME: 'Default',
      OS_REGION_NAME: '',
      OS_ENDPOINT_TYPE: 'internalURL',
      OS_CACERT: '/ca.pem',
      OS_IDENTITY_API_VERSION: '3',
      PATH: '/bin',
    };
    expect(cloudFromEnvironment(environment)).toMatchObject({
      authUrl: 'https://k/v3',
      credential: { kind: 'password', user: { name: 'web', domain: { name: 'Default' } } },
      project: { id: 'p1' },
      region: undefined,
      interface: 'internal',
      tls: { certificateAuthorityFile: '/ca.pem' },
    });
  });

  it('is nothing without OS_AUTH_URL', () => {
    expect(cloudFromEnvironment({ OS_USERNAME: 'web', OS_AUTH_URL: '' })).toBeUndefined();
  });
});
