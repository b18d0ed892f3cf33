import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { noMetrics, seededRandom, VirtualClock } from '@fairlead/control';
import { systemClock } from '@fairlead/control/adapters';
import { serveBehindProxy } from '@fairlead/control/testing';
import { serveEmulator } from '@fairlead/sim/cloud/http';
import { OpenStackEmulator } from '@fairlead/sim/openstack';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { NeutronClient } from '../neutron/neutron-client.ts';
import { openCloud } from './open-cloud.ts';
import { readConfiguredCloud } from './read-cloud.ts';

const dependencies = { clock: systemClock, random: seededRandom(1), metrics: noMetrics, userAgent: 'fairlead test' };
const invalid = (message: string | RegExp) =>
  expect.objectContaining({ code: 'openstack-configuration-invalid', message: expect.stringMatching(message) });

describe('openCloud', () => {
  let folder: string;
  let cloudsFile: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fairlead-'));
    cloudsFile = join(folder, 'clouds.yaml');
  });
  afterEach(() => rm(folder, { recursive: true }));

  const entry = (authUrl: string, more: object = {}) => ({
    auth: { auth_url: authUrl, username: 'demo', password: 'secret', project_name: 'demo' },
    ...more,
  });
  const write = (path: string, clouds: object) => writeFile(path, JSON.stringify({ clouds }));

  it('talks to the cloud that a clouds.yaml describes, with the secret of the secure.yaml beside it', async () => {
    const emulator = new OpenStackEmulator({ clock: systemClock, random: seededRandom(1) });
    emulator.identity.addUser('demo', 'hidden', [emulator.identity.addProject('demo')]);
    await using server = await serveEmulator(emulator);
    await write(cloudsFile, { test: entry(`${server.endpoint}/identity`) });
    await write(join(folder, 'secure.yaml'), { test: { auth: { password: 'hidden' } } });
    await using opened = await openCloud({ cloudsFile, cloud: 'test' }, dependencies);
    expect(await new NeutronClient(opened.session).listPorts()).toEqual([]);
  });

  it('goes through the proxy of the environment', async () => {
    await using behind = await serveBehindProxy((_, response) => void response.writeHead(503).end());
    const cacert = join(folder, 'ca.pem');
    await writeFile(cacert, behind.authority);
    await write(cloudsFile, { test: entry(`${behind.origin}/identity`, { cacert }) });
    vi.stubEnv('HTTPS_PROXY', behind.proxy);
    await using opened = await openCloud({ cloudsFile }, { ...dependencies, clock: new VirtualClock() });
    const ports = new NeutronClient(opened.session).listPorts().catch(() => []);
    await vi.waitFor(() => expect(behind.asked).toEqual(['CONNECT server.test:443']));
    vi.unstubAllEnvs();
    await opened[Symbol.asyncDispose]();
    void ports;
  });

  it('names the file that it cannot read', async () => {
    await expect(openCloud({ cloudsFile: '/nowhere/clouds.yaml' }, dependencies)).rejects.toThrowError(
      invalid(/^cannot read the file of clouds \/nowhere\/clouds\.yaml: /),
    );
    await write(cloudsFile, { test: entry('https://k', { cacert: '/nowhere/ca.pem' }) });
    await expect(openCloud({ cloudsFile }, dependencies)).rejects.toThrowError(
      invalid(/^cannot read the cacert of the cloud "test": /),
    );
  });

  it('looks where the clients of OpenStack look', async () => {
    await mkdir(join(folder, 'openstack'));
    const usual = join(folder, 'openstack', 'clouds.yaml');
    await write(usual, { one: entry('https://one'), two: entry('https://two') });
    await write(cloudsFile, { one: entry('https://three') });
    const settings = { XDG_CONFIG_HOME: folder };
    const variables = { OS_AUTH_URL: 'https://four', OS_USERNAME: 'u', OS_PASSWORD: 'p', OS_PROJECT_NAME: 'p' };
    const found = async (source: object, environment: object) =>
      (await readConfiguredCloud(source, { ...environment })).authUrl;
    expect(await found({ cloud: 'one' }, settings)).toBe('https://one/v3');
    expect(await found({}, { ...settings, OS_CLOUD: 'two' })).toBe('https://two/v3');
    expect(await found({ cloud: 'one' }, { ...settings, OS_CLOUD: 'two' })).toBe('https://one/v3');
    expect(await found({}, { ...settings, OS_CLIENT_CONFIG_FILE: cloudsFile })).toBe('https://three/v3');
    expect(await found({ cloudsFile }, { ...settings, ...variables })).toBe('https://three/v3');
    expect(await found({}, { ...settings, ...variables })).toBe('https://four/v3');
    expect(await found({ cloud: 'two' }, { ...settings, ...variables })).toBe('https://two/v3');
  });

  it('says where it looked when there is nothing', async () => {
    await expect(readConfiguredCloud({}, { XDG_CONFIG_HOME: folder })).rejects.toThrowError(
      invalid(/^there is no OpenStack to talk to: no OS_AUTH_URL, and no file clouds\.yaml, .*, \/etc\/openstack\//),
    );
  });
});
