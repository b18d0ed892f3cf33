import { mcsDefinitions } from '@fairlead/clusterset';
import { customResourceDefinitions, namespaces } from '@fairlead/kube';
import type { Simulation } from '@fairlead/sim';
import { type Cluster, serveKubernetes } from '../kubernetes.ts';
import { LEASE_NAMESPACE } from '../replica.ts';
import { CONFIGURATION, NAMESPACE, SERVERS, SERVICES, SITE } from './names.ts';
import { DnsServers } from './servers.ts';

export interface World extends Cluster {
  readonly servers: DnsServers;
  /** Every address that a Service ever had, as far as it is to be believed -> since when it has it no longer. */
  readonly known: Map<string, Map<string, number | undefined>>;
  begunAt: number | undefined;
  readonly now: () => number;
}

export async function build(simulation: Simulation): Promise<World> {
  const cluster = serveKubernetes(simulation);
  for (const name of [NAMESPACE, LEASE_NAMESPACE]) await cluster.editor.create(namespaces, { metadata: { name } });
  for (const definition of mcsDefinitions) await cluster.editor.create(customResourceDefinitions, definition);
  const now = () => simulation.clock.monotonic();
  const servers = new DnsServers({ site: SITE, services: SERVICES, configuration: CONFIGURATION, now });
  for (const name of SERVERS) servers.run(simulation, name);
  return { ...cluster, servers, known: new Map(), begunAt: undefined, now };
}
