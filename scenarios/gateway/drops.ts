import type { Service } from '@fairlead/kube';
import type { SimulatedAgent, SimulatedServer } from '@fairlead/sim/gateway';
import { FINALIZER, givenTo, isOurs, nameOf } from './services.ts';

type Servers = ReadonlyMap<string, SimulatedServer>;

/** Looks for frontends that an agent had, that a Service showed all the while, and that the agent has no longer. */
export class Drops {
  #step = 0;
  /** Service and frontend -> the step at which it came to be shown. */
  #shownSince: ReadonlyMap<string, number> = new Map();
  /** Agent and frontend -> the step at which it was last told to serve it. */
  readonly #toldAt = new Map<string, number>();
  #wrong: string | undefined;

  /** `all` are the Services of this moment. */
  onTaken(name: string, agent: SimulatedAgent, before: Servers, after: Servers, all: readonly Service[]): void {
    this.#wrong ??= this.#droppedOf(name, agent, before, after, all);
    for (const frontend of after.keys()) this.#toldAt.set(`${name} ${frontend}`, this.#step);
  }

  /** To be asked at every step. */
  wrong(all: readonly Service[]): string | undefined {
    this.#step += 1;
    const shown = all.flatMap((service) => givenTo(service).map((frontend) => shownKey(service, frontend)));
    this.#shownSince = new Map(shown.map((one) => [one, this.#shownSince.get(one) ?? this.#step]));
    return this.#wrong;
  }

  #droppedOf(
    name: string,
    agent: SimulatedAgent,
    before: Servers,
    after: Servers,
    all: readonly Service[],
  ): string | undefined {
    const gone = [...before].filter(([frontend]) => !after.has(frontend));
    if (gone.length === 0) return undefined;
    const shown = new Map(all.filter(isToBeServed).map((service) => [nameOf(service), service]));
    const wrong = gone.find(([frontend, { service, sourceRanges }]) => {
      const its = shown.get(service);
      if (its === undefined || !givenTo(its).includes(frontend) || !asksFor(its, frontend)) return false;
      // What was taken off the Service in between, and given again a moment ago, a late agent drops once.
      const since = this.#shownSince.get(shownKey(its, frontend)) ?? this.#step;
      if (since > (this.#toldAt.get(`${name} ${frontend}`) ?? 0)) return false;
      // Where it refuses an edit, it goes on as before, but not for those whom the edit shuts out.
      return !agent.refuses(frontend) || !isNarrowed(its, frontend, sourceRanges);
    });
    return wrong === undefined ? undefined : `${name}: ${wrong[1].service} shows ${wrong[0]}, and it was dropped`;
  }
}

function shownKey(service: Service, frontend: string): string {
  return `${service.metadata.uid} ${frontend}`;
}

function isNarrowed({ spec }: Service, frontend: string, had: readonly string[] | undefined): boolean {
  const isInFamily = (range: string) => range.includes(':') === frontend.includes('::');
  return spec.loadBalancerSourceRanges?.filter(isInFamily).join() !== had?.join();
}

/**
 * What it no longer has a port for, it does not want to be served; nor could a new leader go on with it until the status
 * says so: with the port, its target went from the spec.
 */
export function asksFor({ spec: { ports = [] } }: Service, frontend: string): boolean {
  return ports.some(({ protocol, port }) => frontend.endsWith(` ${protocol}/${port}`));
}

/** Ours, staying, and open to whom it means to admit. */
export function isToBeServed(service: Service): boolean {
  const { metadata, spec } = service;
  const isHeld = metadata.finalizers?.includes(FINALIZER) === true;
  return isOurs(service) && isHeld && metadata.deletionTimestamp === undefined && !shutsOut(spec);
}

function shutsOut({ loadBalancerSourceRanges: ranges = [] }: Service['spec']): boolean {
  return ranges.length > 1_000;
}
