import type { HttpRequest, HttpResponse, HttpTransport } from '@fairlead/control';
import { gatewayPartWith } from '@fairlead/gateway';
import { namespaces, type Node, nodes, services } from '@fairlead/kube';
import { SimulatedAgent } from '@fairlead/sim/gateway';
import type { Simulation } from '@fairlead/sim';
import { serveKubernetes } from '../kubernetes.ts';
import { LEASE_NAMESPACE, runReplica } from '../replica.ts';
import { Drops } from './drops.ts';
import { NAMESPACE, Promises, REPLICAS } from './services.ts';
import { ADDRESSES, GATEWAYS, type GatewayWorld, NODES, poolOf, SERVED_BY, setReady } from './site.ts';

export async function buildWorld(simulation: Simulation, isCompared: boolean): Promise<GatewayWorld> {
  const cluster = serveKubernetes(simulation);
  for (const name of [NAMESPACE, LEASE_NAMESPACE]) await cluster.editor.create(namespaces, { metadata: { name } });
  for (const name of NODES) {
    await cluster.editor.create<Node>(nodes, { metadata: { name } });
    await setReady(cluster, name, true);
  }
  const agents = new Map(GATEWAYS.map((name) => [name, new SimulatedAgent(simulation.clock)]));
  const drops = new Drops();
  for (const [name, agent] of agents) {
    agent.applyMilliseconds = 20;
    simulation.serve(name, behindGateway(agent));
    agent.onTaken = (before, after) => drops.onTaken(name, agent, before, after, cluster.objects(services));
  }
  const configuration = configurationOf(isCompared);
  for (const name of REPLICAS) {
    simulation.process(name, (incarnation) => {
      const part = partWith((gateway) => incarnation.connect(gateway));
      return runReplica(part.name, part.configure(configuration), incarnation);
    });
  }
  const direct = (gateway: string): HttpTransport => ({
    send: async (request) => agents.get(gateway)?.answer(request) ?? badGateway(),
  });
  const part = partWith(direct).configure(configuration);
  const deeds = { backedUp: new Set<string>(), forged: new Set<string>() };
  return {
    ...cluster,
    ...deeds,
    part,
    promises: new Promises(),
    agents,
    drops,
    isCompared,
    pods: new Map(),
    readyNodes: new Set(NODES),
  };
}

function partWith(connect: (gateway: string) => HttpTransport) {
  return gatewayPartWith({
    connect:
      () =>
      ({ name }) =>
        connect(name),
  });
}

function configurationOf(isCompared: boolean) {
  const gateways = (pool: string) =>
    (SERVED_BY.get(pool)?.gateways ?? []).map((name) => ({ name, url: `https://${name}` }));
  const addresses = (pool: string) => ADDRESSES.filter((address) => poolOf(address) === pool);
  const shape = (name: string) => ({
    name,
    addresses: addresses(name),
    gateways: gateways(name),
    programmedWhen: SERVED_BY.get(name)?.enough,
  });
  return {
    pools: [
      shape('public'),
      { ...shape('partners'), automatic: false, backends: 'node-ports', preserveClientAddress: true },
      { ...shape('bare'), automatic: false },
    ],
    certificates: { certificateFile: 'certificate', keyFile: 'key', authorityFile: 'authority' },
    comparisonIntervalSeconds: isCompared ? 60 : 0,
  };
}

/** What a load balancer in front of a dead agent answers. */
function behindGateway(agent: SimulatedAgent): HttpTransport {
  return { send: (request: HttpRequest) => agent.send(request).catch(() => badGateway()) };
}

function badGateway(): HttpResponse {
  return { status: 502, headers: {}, body: (async function* () {})() };
}
