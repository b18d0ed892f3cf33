import { silentLogger } from '@fairlead/control';
import { TestCluster, TestLeader, type TestLeaderOptions } from '@fairlead/part/testing';
import { SimulatedAgent } from '@fairlead/sim/gateway';
import { gatewayPartWith } from '../part.ts';

export const CLASS = 'fairlead.dev/gateway';
const certificates = { certificateFile: 'certificate', keyFile: 'key', authorityFile: 'authority' };
const gateways = ['one', 'two'].map((name) => ({ name, url: `https://${name}` }));

/** A cluster, two gateways with simulated agents, and the part in the lead as often as a test wants. */
export async function gatewayWorld(configuration: object = {}) {
  const cluster = await new TestCluster({ loadBalancerClass: CLASS }).setUp(['10.9.0.1'], ['10.9.0.2']);
  const { clock } = cluster;
  const agents = { one: new SimulatedAgent(clock), two: new SimulatedAgent(clock) };
  const files = new Map<string, string>();
  const part = gatewayPartWith({
    connect: () => (gateway) => (gateway.name === 'one' ? agents.one : agents.two),
    readFile: async (path) => files.get(path) ?? '',
  });
  const basis = { addresses: ['192.0.2.1', '192.0.2.2'], gateways, certificates, ...configuration };
  const configured = part.configure(basis);
  /** With a configuration that differs from then on, as after a change of the file and a restart. */
  const reconfigured = (change: object) => part.configure({ ...basis, ...change });
  const lead = (change: object = {}, options: TestLeaderOptions = {}) => {
    const changed = reconfigured(change);
    return new TestLeader(cluster, (environment) => changed.start(environment), options);
  };
  const look = { client: cluster.client, clock, logger: silentLogger, signal: new AbortController().signal };
  return {
    cluster,
    agents,
    files,
    configured,
    reconfigured,
    lead,
    look,
    pass: (seconds: number) => clock.advance(seconds * 1_000),
  };
}

/** `True Programmed: Reachable at 192.0.2.1.` */
export async function conditionOf({ cluster }: { readonly cluster: TestCluster }, name: string): Promise<string> {
  const [condition] = (await cluster.service(name))?.status?.conditions ?? [];
  return `${condition?.status} ${condition?.reason}: ${condition?.message}`;
}

/** What an agent serves: `192.0.2.1 TCP/80 10.1.0.1:8080`. */
export function served({ servers }: SimulatedAgent): readonly string[] {
  const texts = [...servers].map(([frontend, { backends }]) =>
    [frontend, ...backends.map(({ address, port }) => `${address}:${port}`)].join(' '),
  );
  return texts.toSorted();
}
