import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf, noMetrics } from '@fairlead/control';
import { systemClock, systemRandom } from '@fairlead/control/adapters';
import { NeutronClient, OctaviaClient, offersVersion } from '@fairlead/openstack/client';
import { openCloud } from '@fairlead/openstack/client/adapters';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { runCommand } from '../../scripts/run-command.ts';
import type { OpenStackAccess } from './openstack.ts';
import { sharedOpenStack } from './sharing.ts';

const dependencies = { clock: systemClock, random: systemRandom, metrics: noMetrics, userAgent: 'fairlead e2e' };

describe('the client of OpenStack', () => {
  let access: OpenStackAccess;
  let folder: string;

  beforeAll(async () => {
    access = await sharedOpenStack(inject('openStackSharing'));
    folder = await mkdtemp(join(tmpdir(), 'fairlead-clouds-'));
  }, 300_000);
  afterAll(() => rm(folder, { recursive: true }));

  /** As an operator configures it: `auth` and other keys of an entry in clouds.yaml, in place of those of `demo`. */
  async function open(auth: object = {}, more: object = {}) {
    const cloudsFile = join(folder, 'clouds.yaml');
    const demo = { auth_url: access.authUrl, username: 'demo', password: access.userPassword, project_name: 'demo' };
    await writeFile(cloudsFile, JSON.stringify({ clouds: { real: { auth: { ...demo, ...auth }, ...more } } }));
    return openCloud({ cloudsFile, cloud: 'real' }, dependencies);
  }

  async function problemWith(auth: object, more: object = {}): Promise<string> {
    await using opened = await open(auth, more);
    return await new NeutronClient(opened.session).listPorts().then(
      () => 'none',
      (error: unknown) => messageOf(error),
    );
  }

  it('finds Neutron and Octavia, and what they can do', async () => {
    await using opened = await open({}, { region_name: access.region });
    const neutron = new NeutronClient(opened.session);
    const [external] = await neutron.listNetworks({ name: 'public' });
    expect(external).toMatchObject({ name: 'public', 'router:external': true });
    const extensions = await neutron.extensions();
    for (const alias of ['allowed-address-pairs', 'revision-if-match', 'standard-attr-tag', 'external-net']) {
      expect(extensions).toContain(alias);
    }
    const versions = await opened.session.versions('load-balancer');
    expect(offersVersion(versions, { major: 2, minor: 23 })).toBe(true);
    expect(await opened.session.versions('network')).toEqual([{ major: 2, minor: 0 }]);
    const octavia = new OctaviaClient(opened.session);
    expect(await octavia.features()).toContain('vip-security-groups');
    expect(await octavia.listProviders()).toEqual([{ name: 'amphora', description: 'Octavia amphora driver' }]);
    expect(await octavia.quota(await opened.session.projectId())).toHaveProperty('load_balancer');
    expect(await octavia.findLoadBalancer('00000000-0000-0000-0000-000000000000')).toBeUndefined();
  });

  it('says in one line what is wrong with the credentials', async () => {
    const where = `Keystone of the cloud "real" at ${access.authUrl}`;
    const user = 'the user "demo" of the domain "default"';
    expect(await problemWith({ password: 'wrong' })).toContain(
      `${where} does not accept ${user}: check the name, its domain and the password`,
    );
    expect(await problemWith({ project_name: 'nowhere' })).toBe(
      `${where} accepts ${user}, but not for the project "nowhere" of the domain "default": ` +
        'there is no such project, or no role in it',
    );
    const unknown = { application_credential_id: 'x', application_credential_secret: 'y' };
    expect(await problemWith(unknown)).toContain(
      `${where} does not accept the application credential x: check its id and secret, ` +
        'and whether it has expired or was deleted (POST tokens/"real": Could not find Application Credential: x.',
    );
    expect(await problemWith({}, { region_name: 'south' })).toBe(
      'the cloud "real" has no service "network" in the region "south", but in "RegionOne"',
    );
  });

  it('trusts an authority of its own, and no other', async () => {
    const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
    const files = ['-keyout', key, '-out', certificate];
    const names = ['-subj', '/CN=keystone', '-addext', 'subjectAltName=IP:127.0.0.1'];
    await runCommand('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...names, ...files]);
    const server = createServer(
      { key: await readFile(key), cert: await readFile(certificate) },
      (request, response) => {
        const forwarded = async () => {
          const pieces: Uint8Array[] = [];
          for await (const piece of request) if (piece instanceof Uint8Array) pieces.push(piece);
          const headers = { 'content-type': 'application/json' };
          const { origin } = new URL(access.authUrl);
          const answer = await fetch(`${origin}${request.url}`, {
            method: 'POST',
            headers,
            body: Buffer.concat(pieces),
          });
          response.writeHead(answer.status, { 'x-subject-token': answer.headers.get('x-subject-token') ?? '' });
          response.end(await answer.text());
        };
        void forwarded();
      },
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      const auth = { auth_url: `https://127.0.0.1:${port}` };
      expect(await problemWith(auth, { cacert: certificate })).toBe('none');
      expect(await problemWith(auth)).toContain('certificate');
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});
