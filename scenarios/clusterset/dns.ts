import type { Scenario } from '@fairlead/sim';
import { DnsServers } from '../dns/servers.ts';
import { type Edit, NAMES } from './edits.ts';
import { clusterSet } from './scenario.ts';
import { BROKER, buildWorld, type Member, serverOf, type World } from './world.ts';

const CLUSTERS = ['a', 'b', 'c'];
const dnsOf = (cluster: string) => `dns-${cluster}`;

interface DnsWorld extends World {
  /** By cluster. */
  readonly dns: ReadonlyMap<string, DnsServers>;
}

/** A DNS server in each cluster: what it answers comes from exports elsewhere, over a broker that is away at times. */
export const clusterSetDns: Scenario<DnsWorld, Edit> = {
  ...clusterSet,
  name: 'clusterset-dns',
  description: 'what users export in one cluster, DNS servers of all answer, and never what none of them has read',
  disturbances: {
    ...clusterSet.disturbances,
    processes: [...CLUSTERS, ...CLUSTERS.map(dnsOf)],
    servers: [BROKER, ...CLUSTERS.map(serverOf)],
  },
  async build(simulation) {
    const random = simulation.random('derived services');
    const deriving = CLUSTERS.filter(() => random.next() < 0.3);
    const world = await buildWorld(simulation, CLUSTERS, deriving);
    const now = () => simulation.clock.monotonic();
    const dns = new Map(
      CLUSTERS.map((cluster) => {
        const site = { local: cluster, clusters: CLUSTERS };
        const servers = new DnsServers({
          site,
          services: NAMES,
          configuration: { cluster },
          server: serverOf(cluster),
          now,
        });
        servers.run(simulation, dnsOf(cluster));
        return [cluster, servers];
      }),
    );
    return { ...world, dns };
  },
  invariants: (world) => [
    ...clusterSet.invariants(world),
    {
      name: 'every answer is right for states that the server can have read, and none goes back',
      check: () => firstOf(world, (servers, member) => servers.wrongAnswer(member)),
    },
  ],
  unfinished: async (world) =>
    (await clusterSet.unfinished(world)) ?? firstOf(world, (servers, member) => servers.difference(member, NAMES)),
};

function firstOf(
  { dns, members }: DnsWorld,
  complaint: (servers: DnsServers, member: Member) => string | undefined,
): string | undefined {
  for (const [cluster, servers] of dns) {
    const member = members.get(cluster);
    const found = member === undefined ? undefined : complaint(servers, member);
    if (found !== undefined) return found;
  }
  return undefined;
}
