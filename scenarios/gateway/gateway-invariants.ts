import { type Service, services } from '@fairlead/kube';
import type { Invariant } from '@fairlead/sim';
import { asksFor, isToBeServed } from './drops.ts';
import { FINALIZER, givenTo, nameOf, serviceInvariants } from './services.ts';
import { type GatewayWorld, NODES, poolOf, SERVED_BY } from './site.ts';

export function invariants(world: GatewayWorld): readonly Invariant[] {
  return [
    ...serviceInvariants(world),
    { name: 'Programmed means programmed', check: () => toldTooEarly(world) },
    { name: 'a gateway drops nothing that a Service shows', check: () => world.drops.wrong(world.objects(services)) },
  ];
}

/** Without faults on the network: who is not held by our finalizer is on no gateway. */
export function strictInvariants(world: GatewayWorld): readonly Invariant[] {
  return [
    ...invariants(world),
    { name: 'none is let go while a gateway serves it', check: () => letGoTooEarly(world) },
  ];
}

/** Told to be programmed, and to stay so. */
function isTold(service: Service): boolean {
  return service.status?.conditions?.[0]?.reason === 'Programmed' && isToBeServed(service);
}

/** What a Service is told to have, its gateways have: one of them, or all. Those that forgot are about to be told. */
function toldTooEarly({ objects, agents }: GatewayWorld): string | undefined {
  for (const service of objects(services)) {
    if (!isTold(service)) continue;
    for (const frontend of givenTo(service).filter((one) => asksFor(service, one))) {
      const { gateways = [], enough } = SERVED_BY.get(poolOf(frontend.split(' ')[0] ?? '')) ?? {};
      const known = gateways
        .flatMap((name) => agents.get(name) ?? [])
        .filter((agent) => agent.generation !== undefined && !agent.refuses(frontend));
      const having = known.filter((agent) => agent.servers.get(frontend)?.service === nameOf(service));
      const isEnough =
        enough === 'all' ? having.length === known.length : having.length > 0 || known.length < gateways.length;
      if (gateways.length > 0 && !isEnough)
        return `${nameOf(service)} is told to be programmed, and ${frontend} is not`;
    }
  }
  return undefined;
}

function letGoTooEarly({ objects, agents }: GatewayWorld): string | undefined {
  const held = new Set(
    objects(services)
      .filter(({ metadata }) => metadata.finalizers?.includes(FINALIZER))
      .map(nameOf),
  );
  for (const [name, agent] of agents) {
    for (const [frontend, { service }] of agent.servers) {
      if (!held.has(service)) return `${name} serves ${frontend} of ${service}, which we do not hold`;
    }
  }
  return undefined;
}

/** What gateways serve that no Service shows: no controller would remove it, once at rest. */
export function leftOnGateways({ objects, agents }: GatewayWorld): readonly string[] {
  const shown = new Set(
    objects(services).flatMap((service) => givenTo(service).map((one) => `${one} ${nameOf(service)}`)),
  );
  return [...agents].flatMap(([name, { servers }]) =>
    [...servers].flatMap(([frontend, { service }]) =>
      shown.has(`${frontend} ${service}`) ? [] : [`${frontend} of ${service} on ${name}`],
    ),
  );
}

/** What a Service shows and a gateway of its pool does not serve as it should, once at rest. */
export function missingOnGateways(world: GatewayWorld): readonly string[] {
  return world.objects(services).flatMap((service) =>
    givenTo(service).flatMap((frontend) => {
      const pool = poolOf(frontend.split(' ')[0] ?? '');
      const expected = expectedBackends(world, service, frontend, pool);
      const isInFamily = (range: string) => range.includes(':') === frontend.includes('::');
      const ranges = service.spec.loadBalancerSourceRanges?.filter(isInFamily);
      return (SERVED_BY.get(pool)?.gateways ?? []).flatMap((name) => {
        const server = world.agents.get(name)?.servers.get(frontend);
        const backends = server?.backends.map(({ address, port }) => `${address}:${port}`).toSorted();
        const isRight =
          server?.service === nameOf(service) &&
          backends?.join() === expected.join() &&
          server.sourceRanges?.join() === ranges?.join() &&
          server.preservesClientAddress === (pool === 'partners');
        return isRight ? [] : [`${frontend} of ${nameOf(service)} on ${name}: ${backends?.join() ?? 'nothing'}`];
      });
    }),
  );
}

function expectedBackends(world: GatewayWorld, service: Service, frontend: string, pool: string): readonly string[] {
  const ready = world.pods.get(service.metadata.name) ?? [];
  if (frontend.includes('::') && pool !== 'partners') return [];
  if (ready.length === 0) return [];
  const [protocol, port] = (frontend.split(' ')[1] ?? '').split('/');
  if (pool === 'public') return ready.map((last) => `10.1.0.${last}:${Number(port) + 8000}`);
  const its = service.spec.ports?.find((one) => one.port === Number(port) && one.protocol === protocol);
  return NODES.flatMap((name, index) => (world.readyNodes.has(name) ? [`10.9.0.${index + 1}:${its?.nodePort}`] : []));
}
