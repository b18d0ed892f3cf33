import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergeKubeconfigs, parseKubeconfig, selectContext } from './kubeconfig.ts';

const PEM = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
const base64 = (text: string) => Buffer.from(text).toString('base64');

const EXAMPLE = `
apiVersion: v1
kind: Config
current-context: office
clusters:
- name: office
  cluster:
    server: https://192.0.2.1:6443/
    certificate-authority-data: ${base64(PEM)}
- name: lab
  cluster:
    server: https://lab.example/k8s/clusters/one
    certificate-authority: ca.crt
    tls-server-name: kubernetes.default
- name: open
  cluster: {server: "http://127.0.0.1:8080", insecure-skip-tls-verify: true}
users:
- name: admin
  user:
    client-certificate-data: ${base64(PEM)}
    client-key: ../keys/admin.key
- name: robot
  user: {token: t0ken, tokenFile: /run/token}
- name: clouded
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1beta1
      command: ./bin/login
      args: [get-token, --cluster, lab]
      env: [{name: REGION, value: north}]
      installHint: See the handbook.
      provideClusterInfo: true
contexts:
- {name: office, context: {cluster: office, user: admin, namespace: shop}}
- {name: lab, context: {cluster: lab, user: clouded}}
- {name: open, context: {cluster: open}}
- {name: robots, context: {cluster: lab, user: robot}}
- {name: dangling, context: {cluster: nowhere, user: admin}}
- {name: nobody, context: {cluster: lab, user: ghost}}
`;

const example = () => parseKubeconfig('/etc/kube/config', EXAMPLE);

/** The message of the failure, so that a test reads like what a person would see. */
function failure(work: () => unknown): { code: string; message: string } {
  try {
    work();
  } catch (error) {
    if (error instanceof Error && 'code' in error) return { code: String(error.code), message: error.message };
    throw error;
  }
  throw new Error('it did not fail');
}

const withUser = (user: string) =>
  parseKubeconfig(
    'k',
    `{current-context: c, contexts: [{name: c, context: {cluster: c, user: u}}],
      clusters: [{name: c, cluster: {server: 'https://x'}}], users: [{name: u, user: ${user}}]}`,
  );

const withCluster = (cluster: string) =>
  parseKubeconfig(
    'k',
    `{current-context: c, contexts: [{name: c, context: {cluster: c}}], clusters: [{name: c, cluster: ${cluster}}]}`,
  );

describe('a kubeconfig', () => {
  it('gives the current context, its data decoded and its files relative to its own folder', () => {
    expect(selectContext(example())).toEqual({
      source: 'context "office" of /etc/kube/config',
      cluster: {
        server: 'https://192.0.2.1:6443',
        certificateAuthority: { kind: 'inline', text: PEM },
        insecure: false,
      },
      user: { certificate: { kind: 'inline', text: PEM }, key: { kind: 'file', path: '/etc/keys/admin.key' } },
      namespace: 'shop',
    });
  });

  it('gives the context that was named, with its exec plugin', () => {
    expect(selectContext(example(), 'lab')).toMatchObject({
      cluster: {
        server: 'https://lab.example/k8s/clusters/one',
        certificateAuthority: { kind: 'file', path: '/etc/kube/ca.crt' },
        serverName: 'kubernetes.default',
      },
      user: {
        exec: {
          apiVersion: 'client.authentication.k8s.io/v1beta1',
          command: '/etc/kube/bin/login',
          args: ['get-token', '--cluster', 'lab'],
          environment: { REGION: 'north' },
          installHint: 'See the handbook.',
          wantsCluster: true,
        },
      },
      namespace: 'default',
    });
  });

  it('leaves the command of an exec plugin to the PATH when it is a mere name', () => {
    const exec = '{exec: {apiVersion: client.authentication.k8s.io/v1, command: login}}';
    expect(selectContext(withUser(exec)).user.exec?.command).toBe('login');
  });

  it('prefers the token file to the token, and works without a user', () => {
    expect(selectContext(example(), 'robots').user).toEqual({ token: { kind: 'file', path: '/run/token' } });
    expect(selectContext(example(), 'open')).toMatchObject({ user: {}, cluster: { insecure: true } });
  });

  it('has what the credential command is to be told of its cluster', () => {
    const config = parseKubeconfig(
      'k',
      `{current-context: one, contexts: [{name: one, context: {cluster: one}}], clusters: [{name: one, cluster: {
        server: https://x, extensions: [
          {name: example.com/notes, extension: {tier: gold}},
          {name: client.authentication.k8s.io/exec, extension: {audience: fleet}}]}}]}`,
    );
    expect(selectContext(config).cluster.execConfiguration).toEqual({ audience: 'fleet' });
  });

  it('takes a name of digits for a name', () => {
    const config = parseKubeconfig(
      'k',
      `{current-context: 7, contexts: [{name: 7, context: {cluster: 7}}],
        clusters: [{name: 7, cluster: {server: https://x}}]}`,
    );
    expect(selectContext(config).cluster.server).toBe('https://x');
  });

  it('lists the contexts there are when it has not the one asked for', () => {
    expect(failure(() => selectContext(example(), 'ofice'))).toEqual({
      code: 'kubeconfig-unknown-context',
      message:
        'kubeconfig /etc/kube/config has no context "ofice": it has: dangling, lab, nobody, office, open, robots',
    });
    expect(failure(() => selectContext(parseKubeconfig('k', ''), 'x')).message).toBe(
      'kubeconfig k has no context "x": it has none',
    );
  });

  it('asks for a context when none is current', () => {
    expect(failure(() => selectContext(parseKubeconfig('k', '{contexts: [{name: a}, {name: b}]}')))).toEqual({
      code: 'kubeconfig-no-context',
      message: 'kubeconfig k has no current-context: name one of: a, b',
    });
  });

  it('names what a context refers to in vain', () => {
    expect(failure(() => selectContext(example(), 'dangling'))).toEqual({
      code: 'kubeconfig-unknown-cluster',
      message:
        'kubeconfig /etc/kube/config: context "dangling" names the cluster "nowhere", which it has not; ' +
        'it has: lab, office, open',
    });
    expect(failure(() => selectContext(example(), 'nobody')).code).toBe('kubeconfig-unknown-user');
  });

  it('names the line that is not YAML', () => {
    const { code, message } = failure(() => parseKubeconfig('k', 'apiVersion: v1\nclusters:\n- name: [a\nusers: []\n'));
    expect(code).toBe('kubeconfig-syntax');
    expect(message).toMatch(/^kubeconfig k line [34]: .*: correct the YAML$/);
  });

  it.each([
    ['just text', 'k is not a kubeconfig: it must be a map'],
    ['{clusters: {}}', 'k: clusters must be a list'],
    ['{users: [alice]}', 'k: users[0] must be a map'],
    ['{contexts: [{context: {}}]}', 'k: contexts[0].name is missing'],
    ['{current-context: [a]}', 'k: current-context must be text'],
  ])('refuses %s with its place', (text, message) => {
    expect(failure(() => parseKubeconfig('k', text))).toEqual({
      code: 'kubeconfig-invalid',
      message: `kubeconfig ${message}`,
    });
  });

  it.each([
    ['{}', 'clusters[0].cluster.server is missing'],
    ['{server: api.example}', 'clusters[0].cluster.server must be a URL that begins with https://'],
    [
      '{server: "https://x", certificate-authority-data: "????"}',
      'clusters[0].cluster.certificate-authority-data must be PEM in base64',
    ],
    [
      '{server: "https://x", insecure-skip-tls-verify: "yes"}',
      'clusters[0].cluster.insecure-skip-tls-verify must be true or false',
    ],
    [
      '{server: "https://x", insecure-skip-tls-verify: true, certificate-authority: ca}',
      'clusters[0].cluster.insecure-skip-tls-verify makes the certificate-authority pointless: remove one of them',
    ],
  ])('refuses the cluster %s', (cluster, message) => {
    expect(failure(() => selectContext(withCluster(cluster)))).toEqual({
      code: 'kubeconfig-invalid',
      message: `kubeconfig k: ${message}`,
    });
  });

  it.each([
    '{auth-provider: {name: gcp}}',
    '{exec: {apiVersion: client.authentication.k8s.io/v1alpha1, command: x}}',
    '{exec: {apiVersion: client.authentication.k8s.io/v1, command: x, interactiveMode: Always}}',
  ])('refuses the user %s rather than act as another user', (user) => {
    expect(failure(() => selectContext(withUser(user))).code).toBe('kubeconfig-unsupported');
  });

  it('acts as another user, with all that is said of it', () => {
    const user = '{token: t, as: eve, as-uid: 7, as-groups: [ops, dev], as-user-extra: {example.com/team: [a, b]}}';
    expect(selectContext(withUser(user)).user.impersonate).toEqual({
      user: 'eve',
      uid: '7',
      groups: ['ops', 'dev'],
      extra: { 'example.com/team': ['a', 'b'] },
    });
  });

  it.each(['as-groups: [ops]', 'as-uid: u', 'as-user-extra: {a: [b]}'])('refuses %s without a user', (field) => {
    const { code, message } = failure(() => selectContext(withUser(`{token: t, ${field}}`)));
    expect([code, message]).toEqual(['kubeconfig-invalid', expect.stringContaining('add `as`')]);
  });

  it('goes through a proxy, and refuses one of another kind rather than go without it', () => {
    const through = (proxy: string) => selectContext(withCluster(`{server: "https://x", proxy-url: "${proxy}"}`));
    expect(through('http://p:3128').cluster.proxy).toBe('http://p:3128');
    expect(failure(() => through('socks5://p')).code).toBe('kubeconfig-unsupported');
  });

  it('refuses a certificate without its key', () => {
    expect(failure(() => selectContext(withUser('{client-certificate: a.crt}'))).message).toBe(
      'kubeconfig k: users[0].user.client-key is missing',
    );
  });

  it('does not mind a broken entry that is not used', () => {
    const config = parseKubeconfig('/etc/kube/config', `${EXAMPLE}- {name: bad, context: {cluster: [x]}}\n`);
    expect(selectContext(config).namespace).toBe('shop');
  });
});

describe('several kubeconfigs', () => {
  const first = () =>
    parseKubeconfig(
      '/a/config',
      '{contexts: [{name: c, context: {cluster: x}}], clusters: [{name: x, cluster: {server: "https://first"}}]}',
    );
  const second = () =>
    parseKubeconfig(
      '/b/config',
      `{current-context: c, contexts: [{name: c, context: {cluster: y, namespace: other}}],
        clusters: [{name: x, cluster: {server: "https://second"}}, {name: y, cluster: {server: "https://y"}}]}`,
    );

  it('are one, in which the first to name something decides the whole entry', () => {
    const merged = mergeKubeconfigs([first(), second()]);
    expect(selectContext(merged)).toMatchObject({ cluster: { server: 'https://first' }, namespace: 'default' });
    expect(selectContext(mergeKubeconfigs([second(), first()]))).toMatchObject({ cluster: { server: 'https://y' } });
  });

  it('give for every name what the first file that has it says', () => {
    const names = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'));
    fc.assert(
      fc.property(fc.array(names, { minLength: 1, maxLength: 5 }), (files) => {
        const configs = files.map((clusters, index) =>
          parseKubeconfig(
            `/${index}`,
            JSON.stringify({
              ...(clusters[0] === undefined ? {} : { 'current-context': clusters[0] }),
              clusters: clusters.map((name) => ({ name, cluster: { server: `https://${name}.${index}` } })),
              contexts: clusters.map((name) => ({ name, context: { cluster: name } })),
            }),
          ),
        );
        const merged = mergeKubeconfigs(configs);
        expect(merged.currentContext).toBe(files.flat()[0]);
        for (const name of files.flat()) {
          const first = files.findIndex((clusters) => clusters.includes(name));
          expect(selectContext(merged, name).cluster.server).toBe(`https://${name}.${first}`);
        }
      }),
    );
  });

  it('keep their paths relative to the file each stands in', () => {
    const withFile = parseKubeconfig(
      '/b/config',
      `{current-context: c, contexts: [{name: c, context: {cluster: x, user: u}}],
        users: [{name: u, user: {tokenFile: t}}]}`,
    );
    expect(selectContext(mergeKubeconfigs([first(), withFile]), 'c').user).toEqual({});
    expect(selectContext(mergeKubeconfigs([withFile, first()])).user).toEqual({
      token: { kind: 'file', path: '/b/t' },
    });
  });
});
