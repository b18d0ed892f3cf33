import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clusterId, Journal, noMetrics } from '@fairlead/control';
import { systemClock, systemRandom } from '@fairlead/control/adapters';
import { NeutronClient, ResourceApi } from '@fairlead/openstack/client';
import { openCloud } from '@fairlead/openstack/client/adapters';
import { NeutronPorts } from '@fairlead/openstack/ports';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { readField, readText } from '../harness/untyped.ts';
import { sharedOpenStack } from './sharing.ts';

const { signal } = new AbortController();

describe('addresses of gateways in real Neutron', () => {
  const cleanUps: (() => unknown)[] = [];
  let neutron: NeutronClient;
  let portsOf: (cluster: string) => NeutronPorts;
  let gateway: string;

  beforeAll(async () => {
    const { authUrl, userPassword } = await sharedOpenStack(inject('openStackSharing'));
    const folder = await mkdtemp(join(tmpdir(), 'fairlead-ports-'));
    cleanUps.push(() => rm(folder, { recursive: true }));
    const cloudsFile = join(folder, 'clouds.yaml');
    const auth = { auth_url: authUrl, username: 'demo', password: userPassword, project_name: 'demo' };
    await writeFile(cloudsFile, JSON.stringify({ clouds: { real: { auth } } }));
    const dependencies = { clock: systemClock, random: systemRandom, metrics: noMetrics, userAgent: 'fairlead e2e' };
    const opened = await openCloud({ cloudsFile }, dependencies);
    cleanUps.push(() => opened[Symbol.asyncDispose]());
    neutron = new NeutronClient(opened.session);
    const api = new ResourceApi(opened.session, 'network', 'v2.0');
    /** What an operator makes. */
    const make = async (kind: string, singular: string, fields: object): Promise<string> => {
      const about = { verb: 'POST', method: 'POST', kind, subject: '', path: kind } as const;
      const { body } = await api.send({ ...about, body: { [singular]: fields } });
      const id = readText(readField(body, singular), 'id');
      const gone = { verb: 'DELETE', method: 'DELETE', kind, subject: id, path: `${kind}/${id}` } as const;
      cleanUps.push(() => api.send(gone));
      return id;
    };
    const networkId = await make('networks', 'network', { name: 'gateways' });
    const subnet = (ip_version: number, cidr: string) =>
      make('subnets', 'subnet', { network_id: networkId, ip_version, cidr });
    const subnetIds = { IPv4: await subnet(4, '10.20.0.0/24'), IPv6: await subnet(6, 'fd20::/64') };
    const [external] = await neutron.listNetworks({ name: 'public' });
    const floatingNetworkId = external?.id ?? '';
    const router = await make('routers', 'router', { external_gateway_info: { network_id: floatingNetworkId } });
    const interfaces = async (verb: string) => {
      const about = { verb: 'PUT', method: 'PUT', kind: 'routers', subject: router } as const;
      await api.send({
        ...about,
        path: `routers/${router}/${verb}_router_interface`,
        body: { subnet_id: subnetIds.IPv4 },
      });
    };
    await interfaces('add');
    cleanUps.push(() => interfaces('remove'));
    gateway = await make('ports', 'port', { network_id: networkId, name: 'gateway-1' });
    const pools = [{ name: 'web', networkId, subnetIds, floatingNetworkId }];
    portsOf = (cluster) => {
      const scope = { cluster: clusterId(cluster), part: 'gateway', pools };
      return new NeutronPorts({ neutron, scope, journal: new Journal(systemClock) });
    };
  }, 300_000);

  afterAll(async () => {
    for (const cleanUp of cleanUps.toReversed()) await cleanUp();
  });

  it('are made with our marks, attached, and taken away again, and nothing of others is', async () => {
    const [ours, theirs] = [portsOf('cluster-1'), portsOf('cluster-2')];
    const foreign = { ip_address: '10.20.0.250', mac_address: 'aa:bb:cc:00:00:01' };
    await neutron.updatePort(gateway, { allowed_address_pairs: [foreign] });
    const web = await ours.createAndAssignPort('web', 'IPv4', signal);
    const six = await ours.createAndAssignPort('web', 'IPv6', signal);
    const other = await theirs.createAndAssignPort('web', 'IPv4', signal);
    const tags = ['fairlead-cluster=cluster-1', 'fairlead-part=gateway', 'fairlead-pool=web'];
    expect([web.port.tags.toSorted(), web.floatingIp?.tags.toSorted()]).toEqual([tags, tags]);
    expect(web.address).toMatch(/^203\.0\.113\./);
    expect(web.fixedAddress).toMatch(/^10\.20\.0\./);
    expect(six.address).toMatch(/^fd20::/);
    const gateways = new Set([gateway]);
    await ours.attach([web.fixedAddress, six.fixedAddress], gateways, signal);
    const pairs = async () =>
      (await neutron.findPort(gateway))?.allowed_address_pairs.map(({ ip_address }) => ip_address);
    expect(new Set(await pairs())).toEqual(new Set([foreign.ip_address, web.fixedAddress, six.fixedAddress]));

    await ours.cleanUnusedPorts(new Set([six.port.id]), gateways, signal);
    expect((await ours.list(signal)).map(({ port }) => port.id)).toEqual([six.port.id]);
    expect(new Set(await pairs())).toEqual(new Set([foreign.ip_address, six.fixedAddress]));
    expect(await neutron.findFloatingIp(web.floatingIp?.id ?? '')).toBeUndefined();

    await ours.cleanUnusedPorts(new Set(), gateways, signal);
    expect(await pairs()).toEqual([foreign.ip_address]);
    expect(await theirs.list(signal)).toMatchObject([{ address: other.address }]);
    await theirs.cleanUnusedPorts(new Set(), gateways, signal);
    expect(await theirs.list(signal)).toEqual([]);
  });
});
