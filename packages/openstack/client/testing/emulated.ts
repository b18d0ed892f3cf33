import { noMetrics, seededRandom, VirtualClock } from '@fairlead/control';
import { type BehaviourChanges, OpenStackEmulator } from '@fairlead/sim/openstack';
import { OpenStackSession, type SessionOptions } from '../api/session.ts';
import { parseCloudEntry } from '../configuration/cloud-entry.ts';
import { NeutronClient } from '../neutron/neutron-client.ts';
import { OctaviaClient } from '../octavia/octavia-client.ts';

const AUTH = {
  auth_url: 'http://openstack.test/identity',
  username: 'demo',
  password: 'secret',
  project_name: 'demo',
};

export interface EmulatedOptions extends Partial<Omit<SessionOptions, 'clock' | 'transport' | 'cloud'>> {
  readonly behaviour?: BehaviourChanges;
}

/** A client and the OpenStack it talks to, on virtual time. */
export function emulated({ behaviour = {}, ...options }: EmulatedOptions = {}) {
  const clock = new VirtualClock();
  const emulator = new OpenStackEmulator({ clock, random: seededRandom(1), behaviour });
  const project = emulator.identity.addProject('demo');
  emulator.identity.addUser('demo', 'secret', [project]);
  /** A client with another `auth`, and other keys of an entry of clouds.yaml. */
  const connect = (auth: object = {}, more: object = {}) => {
    const cloud = parseCloudEntry({ auth: { ...AUTH, ...auth }, ...more }, '"test"');
    const rest = { random: seededRandom(2), metrics: noMetrics, userAgent: 'fairlead test', ...options };
    const session = new OpenStackSession({ ...rest, clock, transport: emulator, cloud });
    return { session, neutron: new NeutronClient(session), octavia: new OctaviaClient(session) };
  };
  const cloud = parseCloudEntry({ auth: AUTH }, '"test"');
  /** In the place of the adapter that opens sockets. */
  const openSession = async (_: object, dependencies: Omit<SessionOptions, 'transport' | 'cloud'>) => ({
    session: new OpenStackSession({ ...dependencies, cloud, transport: emulator }),
    [Symbol.asyncDispose]: async () => {},
  });
  return { clock, emulator, project, connect, openSession, ...connect() };
}

/** A network with a subnet of each family, in the project. */
export function withNetwork({ emulator, project }: Pick<ReturnType<typeof emulated>, 'emulator' | 'project'>): string {
  const network_id = emulator.create('networks', { name: 'nodes' }, project);
  emulator.create('subnets', { network_id, ip_version: 4, cidr: '10.0.0.0/24' }, project);
  emulator.create('subnets', { network_id, ip_version: 6, cidr: 'fd00::/64' }, project);
  return network_id;
}
