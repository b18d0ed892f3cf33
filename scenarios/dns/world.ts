import { mcsDefinitions } from '@fairlead/clusterset';
import { dnsPart } from '@fairlead/dns';
import { FakeSockets } from '@fairlead/dns/testing';
import { customResourceDefinitions, namespaces } from '@fairlead/kube';
import { runPart } from '@fairlead/part';
import type { Incarnation, Simulation } from '@fairlead/sim';
import { type Cluster, connectToKubernetes, serveKubernetes } from '../kubernetes.ts';
import { environmentOf, LEASE_NAMESPACE } from '../replica.ts';
import { CONFIGURATION, NAMESPACE, SERVERS, SERVICES } from './names.ts';
import { Follower, ServiceStates } from './states.ts';

/** A server in one of its lives. */
export interface Life {
  readonly sockets: FakeSockets;
  readonly startedAt: number;
  readonly process: () => { readonly state: string };
  /** By Service. */
  readonly followers: ReadonlyMap<string, Follower>;
}

export interface World extends Cluster {
  readonly lives: Map<string, Life>;
  /** By Service. */
  readonly states: ReadonlyMap<string, ServiceStates>;
  /** Every address that a Service ever had, as far as it is to be believed -> since when it has it no longer. */
  readonly known: Map<string, Map<string, number | undefined>>;
  begunAt: number | undefined;
  readonly now: () => number;
}

export async function build(simulation: Simulation): Promise<World> {
  const cluster = serveKubernetes(simulation);
  for (const name of [NAMESPACE, LEASE_NAMESPACE]) await cluster.editor.create(namespaces, { metadata: { name } });
  for (const definition of mcsDefinitions) await cluster.editor.create(customResourceDefinitions, definition);
  const lives = new Map<string, Life>();
  const now = () => simulation.clock.monotonic();
  const states = new Map(SERVICES.map((service) => [service, new ServiceStates(service)]));
  for (const name of SERVERS) {
    const process = simulation.process(name, (incarnation) => {
      const sockets = new FakeSockets();
      const startedAt = now();
      const followers = new Map([...states].map(([service, all]) => [service, new Follower(all, startedAt)]));
      lives.set(name, { sockets, startedAt, process: () => process, followers });
      return serve(sockets, incarnation);
    });
  }
  return { ...cluster, lives, states, known: new Map(), begunAt: undefined, now };
}

function serve(sockets: FakeSockets, incarnation: Incarnation): Promise<void> {
  return runPart(
    dnsPart(sockets).configure(CONFIGURATION),
    environmentOf('dns', incarnation, connectToKubernetes(incarnation)),
    incarnation.signal,
  );
}
