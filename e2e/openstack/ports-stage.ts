import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { noMetrics } from '@fairlead/control';
import { systemClock, systemRandom } from '@fairlead/control/adapters';
import { NeutronClient, ResourceApi } from '@fairlead/openstack/client';
import { openCloud } from '@fairlead/openstack/client/adapters';
import { readField, readText } from '../harness/untyped.ts';
import type { OpenStackAccess } from './openstack.ts';

/** A network of both families with a way out in a real Neutron, and the port of a gateway in it. */
export interface PortsStage extends AsyncDisposable {
  readonly neutron: NeutronClient;
  readonly cloudsFile: string;
  readonly networkId: string;
  readonly subnetIds: { readonly IPv4: string; readonly IPv6: string };
  readonly floatingNetworkId: string;
  readonly gatewayPort: string;
  /** What the gateway may send from. */
  pairs(): Promise<ReadonlySet<string>>;
}

/** In the project of the user `demo`. */
export async function openPortsStage({ authUrl, userPassword }: OpenStackAccess): Promise<PortsStage> {
  const cleanUps: (() => unknown)[] = [];
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-ports-'));
  cleanUps.push(() => rm(folder, { recursive: true }));
  const cloudsFile = join(folder, 'clouds.yaml');
  const auth = { auth_url: authUrl, username: 'demo', password: userPassword, project_name: 'demo' };
  await writeFile(cloudsFile, JSON.stringify({ clouds: { real: { auth } } }));
  const dependencies = { clock: systemClock, random: systemRandom, metrics: noMetrics, userAgent: 'fairlead e2e' };
  const opened = await openCloud({ cloudsFile }, dependencies);
  cleanUps.push(() => opened[Symbol.asyncDispose]());
  const neutron = new NeutronClient(opened.session);
  const api = new ResourceApi(opened.session, 'network', 'v2.0');
  /** What an operator makes. */
  const make = async (kind: string, singular: string, fields: object): Promise<string> => {
    const about = { verb: 'POST', method: 'POST', kind, subject: '', path: kind } as const;
    const { body } = await api.send({ ...about, body: { [singular]: fields } });
    const id = readText(readField(body, singular), 'id');
    const gone = { verb: 'DELETE', method: 'DELETE', kind, subject: id, path: `${kind}/${id}` } as const;
    cleanUps.push(() => api.send(gone).catch(() => undefined));
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
    const path = `routers/${router}/${verb}_router_interface`;
    await api.send({ ...about, path, body: { subnet_id: subnetIds.IPv4 } });
  };
  await interfaces('add');
  // Where an answer was late, it was asked for twice, and is gone; the cloud ends with the run.
  cleanUps.push(() => interfaces('remove').catch(() => undefined));
  const gatewayPort = await make('ports', 'port', { network_id: networkId, name: 'gateway-1' });
  const pairs = async () => {
    const { allowed_address_pairs = [] } = (await neutron.findPort(gatewayPort)) ?? {};
    return new Set(allowed_address_pairs.map(({ ip_address }) => ip_address));
  };
  const close = async () => {
    for (const cleanUp of cleanUps.toReversed()) await cleanUp();
  };
  const places = { cloudsFile, networkId, subnetIds, floatingNetworkId, gatewayPort };
  return { neutron, ...places, pairs, [Symbol.asyncDispose]: close };
}
