import { VirtualClock } from '@fairlead/control';
import { describe, expect, it } from 'vitest';
import { FakeHost } from '../testing/fake-host.ts';
import { TargetCredentials } from './credentials.ts';
import type { CommandOutcome } from './host.ts';
import type { ExecPlugin, UserTarget } from './target.ts';

const plugin: ExecPlugin = {
  apiVersion: 'client.authentication.k8s.io/v1',
  command: 'login',
  args: ['get-token'],
  environment: { REGION: 'north' },
  wantsCluster: false,
};
const tokenFile: UserTarget = { token: { kind: 'file', path: '/token' } };

function setUp(user: UserTarget) {
  const host = new FakeHost();
  const clock = new VirtualClock();
  const target = {
    source: 'test',
    cluster: { server: 'https://api', insecure: false, serverName: 'kubernetes' },
    user,
    namespace: 'default',
  };
  const credentials = new TargetCredentials(host, clock, target);
  const authorization = async () => (await credentials.current()).headers['authorization'];
  return { host, clock, credentials, authorization };
}

function printed(status: object, apiVersion: string = plugin.apiVersion): CommandOutcome {
  const output = JSON.stringify({ apiVersion, kind: 'ExecCredential', status });
  return { kind: 'ended', exitCode: 0, output, errors: '' };
}

describe('credentials', () => {
  it('carry a token, a password, a certificate and an impersonation', async () => {
    const impersonate = { user: 'eve', uid: '7', groups: ['ops', 'dev'], extra: { 'Example.com/Team': ['a', 'b'] } };
    expect(await setUp({ token: { kind: 'inline', text: 'abc' }, impersonate }).credentials.current()).toEqual({
      headers: { authorization: 'Bearer abc', 'impersonate-user': 'eve', 'impersonate-uid': '7' },
      repeatedHeaders: { 'impersonate-group': ['ops', 'dev'], 'impersonate-extra-example.com%2Fteam': ['a', 'b'] },
      tls: { insecure: false, serverName: 'kubernetes' },
    });
    const basic = setUp({ basic: { username: 'a', password: 'b' } });
    expect(await basic.authorization()).toBe('Basic YTpi');
    const { host, credentials } = setUp({
      certificate: { kind: 'file', path: '/crt' },
      key: { kind: 'inline', text: 'KEY' },
    });
    host.files.set('/crt', 'CRT');
    expect((await credentials.current()).tls).toMatchObject({ certificate: 'CRT', key: 'KEY' });
  });

  it('re-read a token file each minute, and are the same object while it is unchanged', async () => {
    const { host, clock, credentials, authorization } = setUp(tokenFile);
    host.files.set('/token', 'one\n');
    const first = await credentials.current();
    expect(first.headers['authorization']).toBe('Bearer one');
    await clock.advance(60_000);
    expect(await credentials.current()).toBe(first);
    host.files.set('/token', 'two\n');
    await clock.advance(59_999);
    expect(await authorization()).toBe('Bearer one');
    await clock.advance(1);
    expect(await authorization()).toBe('Bearer two');
  });

  it('keep the last token while its file is away, and notice when it is back', async () => {
    const { host, clock, authorization } = setUp(tokenFile);
    host.files.set('/token', 'one');
    await authorization();
    host.files.delete('/token');
    await clock.advance(60_000);
    expect(await authorization()).toBe('Bearer one');
    host.files.set('/token', 'two');
    await clock.advance(10_000);
    expect(await authorization()).toBe('Bearer two');
  });

  it('keep the last token while its file is empty, as when it is being written, and do not go on without one', async () => {
    const { host, clock, authorization } = setUp(tokenFile);
    host.files.set('/token', 'one');
    await authorization();
    host.files.set('/token', '\n');
    await clock.advance(60_000);
    expect(await authorization()).toBe('Bearer one');
    host.files.set('/token', 'two');
    await clock.advance(10_000);
    expect(await authorization()).toBe('Bearer two');
  });

  it('name the file that is empty', async () => {
    const { host, credentials } = setUp(tokenFile);
    host.files.set('/token', '');
    await expect(credentials.current()).rejects.toMatchObject({
      code: 'credential-file-empty',
      message: 'the token file /token is empty: fill it, or correct its path',
    });
  });

  it('name the file that is missing', async () => {
    await expect(setUp(tokenFile).credentials.current()).rejects.toMatchObject({
      code: 'credential-file-missing',
      message: 'the token file /token does not exist: create it, or correct its path',
    });
  });

  it('are read at once when the server refused them', async () => {
    const { host, credentials, authorization } = setUp(tokenFile);
    host.files.set('/token', 'one');
    const refused = await credentials.current();
    host.files.set('/token', 'two');
    credentials.renew(refused);
    expect(await authorization()).toBe('Bearer two');
    host.files.set('/token', 'three');
    credentials.renew(refused);
    expect(await authorization()).toBe('Bearer two');
  });
});

describe('credentials from a command', () => {
  it('come from its token, and run it again shortly before they expire', async () => {
    const { host, clock, authorization } = setUp({ exec: plugin });
    let count = 0;
    host.outcome = () => {
      count += 1;
      const expirationTimestamp = new Date(clock.now() + 3_600_000).toISOString();
      return printed({ token: `token-${count}`, expirationTimestamp });
    };
    expect(await authorization()).toBe('Bearer token-1');
    await clock.advance(3_589_999);
    expect(await authorization()).toBe('Bearer token-1');
    await clock.advance(1);
    expect(await authorization()).toBe('Bearer token-2');
  });

  it('are kept until refused when they do not expire, and then fetched once for all', async () => {
    const { host, clock, credentials } = setUp({ exec: plugin });
    let count = 0;
    host.outcome = () => printed({ token: `token-${(count += 1)}` });
    const first = await credentials.current();
    await clock.advance(86_400_000);
    expect(await credentials.current()).toBe(first);
    for (let request = 0; request < 5; request += 1) credentials.renew(first);
    const renewed = await Promise.all([credentials.current(), credentials.current(), credentials.current()]);
    expect(renewed.map((credential) => credential.headers['authorization'])).toEqual(Array(3).fill('Bearer token-2'));
    expect(host.commands).toHaveLength(2);
  });

  it('do not run the command for every request of a server that refuses all', async () => {
    const { host, clock, credentials } = setUp({ exec: plugin });
    host.outcome = () => printed({ token: 'refused' });
    for (let second = 0; second < 20; second += 1) {
      credentials.renew(await credentials.current());
      await credentials.current();
      await clock.advance(1000);
    }
    expect(host.commands.length).toBeLessThanOrEqual(5);
  });

  it('do not run the command for every request when our clock is wrong', async () => {
    const { host, clock, authorization } = setUp({ exec: plugin });
    host.outcome = () => printed({ token: 'abc', expirationTimestamp: '2020-01-01T00:00:00Z' });
    await authorization();
    await authorization();
    expect(host.commands).toHaveLength(1);
    await clock.advance(5000);
    await authorization();
    expect(host.commands).toHaveLength(2);
  });

  it('do not run a command that fails for every request, and notice when it works again', async () => {
    const { host, clock, authorization } = setUp({ exec: plugin });
    host.outcome = () => ({ kind: 'ended', exitCode: 1, output: '', errors: 'not logged in' });
    for (let second = 0; second < 20; second += 1) {
      await expect(authorization()).rejects.toMatchObject({ code: 'exec-failed' });
      await expect(authorization()).rejects.toMatchObject({ code: 'exec-failed' });
      await clock.advance(1000);
    }
    expect(host.commands.length).toBeLessThanOrEqual(5);
    host.outcome = () => printed({ token: 'abc' });
    await clock.advance(5000);
    expect(await authorization()).toBe('Bearer abc');
  });

  it('may be a certificate', async () => {
    const { host, credentials } = setUp({ exec: plugin });
    host.outcome = () => printed({ clientCertificateData: 'CRT', clientKeyData: 'KEY' });
    expect(await credentials.current()).toEqual({
      headers: {},
      tls: { insecure: false, serverName: 'kubernetes', certificate: 'CRT', key: 'KEY' },
    });
  });

  it('tell the command what it asked to know', async () => {
    const { host, credentials } = setUp({ exec: { ...plugin, wantsCluster: true } });
    host.outcome = () => printed({ token: 'abc' });
    await credentials.current();
    const [run] = host.commands;
    expect(run).toMatchObject({ command: 'login', args: ['get-token'], environment: { REGION: 'north' } });
    expect(JSON.parse(run?.environment['KUBERNETES_EXEC_INFO'] ?? '')).toEqual({
      apiVersion: 'client.authentication.k8s.io/v1',
      kind: 'ExecCredential',
      spec: {
        interactive: false,
        cluster: { server: 'https://api', 'tls-server-name': 'kubernetes', 'insecure-skip-tls-verify': false },
      },
    });
  });

  it('are still used while the command fails, until they expire', async () => {
    const { host, clock, authorization } = setUp({ exec: plugin });
    host.outcome = () => printed({ token: 'abc', expirationTimestamp: new Date(clock.now() + 60_000).toISOString() });
    await authorization();
    host.outcome = () => ({ kind: 'ended', exitCode: 1, output: '', errors: 'first line\nlogin expired\n' });
    await clock.advance(55_000);
    expect(await authorization()).toBe('Bearer abc');
    await clock.advance(5000);
    await expect(authorization()).rejects.toMatchObject({
      code: 'exec-failed',
      verdict: 'retriable',
      message: 'credential command login ended with exit code 1: login expired',
    });
  });

  it('say how to install a command that is not there', async () => {
    const { credentials } = setUp({ exec: { ...plugin, installHint: 'Install it\nfrom the shop.' } });
    await expect(credentials.current()).rejects.toMatchObject({
      code: 'exec-command-missing',
      verdict: 'terminal',
      message: 'credential command login is not there: install it, or put it on the PATH (Install it from the shop.)',
    });
  });

  it.each([
    ['{', 'did not print an ExecCredential'],
    ['{"kind":"Pod"}', 'did not print an ExecCredential'],
    [printedText({ token: 'a' }, 'client.authentication.k8s.io/v1beta1'), 'where the kubeconfig asks for'],
    [printedText(undefined), 'printed no status'],
    [printedText({}), 'printed neither token nor certificate'],
    [printedText({ clientKeyData: 'a' }), 'printed a certificate without key, or a key alone'],
    [printedText({ token: 'a', expirationTimestamp: 'soon' }), 'printed an expirationTimestamp that is no time: soon'],
  ])('refuse what is not a credential: %s', async (output, message) => {
    const { host, credentials } = setUp({ exec: plugin });
    host.outcome = () => ({ kind: 'ended', exitCode: 0, output, errors: '' });
    await expect(credentials.current()).rejects.toMatchObject({
      code: 'exec-output-invalid',
      message: expect.stringContaining(message),
    });
  });

  it('do not wait for ever for the command', async () => {
    const { host, clock, credentials } = setUp({ exec: plugin });
    host.outcome = () => new Promise(() => {});
    const call = credentials.current().catch((error: unknown) => error);
    await clock.advance(60_000);
    expect(await call).toMatchObject({ code: 'deadline-exceeded' });
    expect(host.commands[0]?.signal.aborted).toBe(true);
  });
});

function printedText(status: object | undefined, apiVersion: string = plugin.apiVersion): string {
  return JSON.stringify({ apiVersion, kind: 'ExecCredential', status });
}
