import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, systemRandom } from '@fairlead/control/adapters';

const USER = { username: 'demo', password: 'demo', project_name: 'demo' };

/** An emulated OpenStack with a network behind a router. It is reached by a clouds.yaml, whose path is the endpoint. */
export async function startOpenStack(): Promise<{ readonly endpoint: string } & AsyncDisposable> {
  await using started = new AsyncDisposableStack();
  const { OpenStackEmulator } = await import('@fairlead/sim/openstack');
  const { serveEmulator } = await import('@fairlead/sim/cloud/http');
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-demo-openstack-'));
  started.defer(() => rm(folder, { recursive: true, force: true }));
  const emulator = new OpenStackEmulator({ clock: systemClock, random: systemRandom });
  const project = emulator.identity.addProject(USER.project_name);
  emulator.identity.addUser(USER.username, USER.password, [project]);
  const external = emulator.create('networks', { name: 'public', 'router:external': true });
  emulator.create('subnets', { network_id: external, ip_version: 4, cidr: '203.0.113.0/24' });
  const network_id = emulator.create('networks', { name: 'private' }, project);
  const subnet_id = emulator.create('subnets', { network_id, ip_version: 4, cidr: '10.20.0.0/24' }, project);
  const router = emulator.create('routers', { external_gateway_info: { network_id: external } }, project);
  emulator.byHand({ method: 'PUT', path: `/routers/${router}/add_router_interface`, body: { subnet_id }, project });
  const { endpoint } = started.use(await serveEmulator(emulator));
  const cloudsFile = join(folder, 'clouds.yaml');
  const clouds = { demo: { auth: { ...USER, auth_url: `${endpoint}/identity` } } };
  await writeFile(cloudsFile, JSON.stringify({ clouds }));
  const running = started.move();
  return { endpoint: cloudsFile, [Symbol.asyncDispose]: () => running.disposeAsync() };
}
