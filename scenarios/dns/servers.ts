import { SERVICE_NAME } from '@fairlead/clusterset/mcs';
import { dnsPart } from '@fairlead/dns';
import { FakeSockets, lookUp } from '@fairlead/dns/testing';
import { endpointSlices } from '@fairlead/kube';
import { runPart } from '@fairlead/part';
import type { Simulation } from '@fairlead/sim';
import { type Cluster, connectToKubernetes } from '../kubernetes.ts';
import { environmentOf } from '../replica.ts';
import { type DnsSite, imports, nameOf, TURNS } from './names.ts';
import { rightAnswers } from './right-answers.ts';
import { Follower, ServiceStates } from './states.ts';

/** A server in one of its lives. */
export interface Life {
  readonly sockets: FakeSockets;
  readonly startedAt: number;
  readonly process: () => { readonly state: string };
  /** By Service. */
  readonly followers: ReadonlyMap<string, Follower>;
}

export interface DnsServersOptions {
  readonly site: DnsSite;
  readonly services: readonly string[];
  readonly configuration: object;
  /** The API server that they follow, where there are several. */
  readonly server?: string;
  readonly now: () => number;
}

/** The DNS servers of one cluster, and what is right for them to answer. */
export class DnsServers {
  readonly lives = new Map<string, Life>();
  /** By Service. */
  readonly #states: ReadonlyMap<string, ServiceStates>;
  readonly #options: DnsServersOptions;
  #step = 0;

  constructor(options: DnsServersOptions) {
    this.#options = options;
    const { site, services } = options;
    this.#states = new Map(services.map((service) => [service, new ServiceStates(site, service)]));
  }

  /** Adds one, as a process of the simulation. */
  run(simulation: Simulation, name: string): void {
    const { configuration, server, now } = this.#options;
    const process = simulation.process(name, (incarnation) => {
      const sockets = new FakeSockets();
      const startedAt = now();
      const followers = new Map([...this.#states].map(([service, all]) => [service, new Follower(all, startedAt)]));
      this.lives.set(name, { sockets, startedAt, process: () => process, followers });
      return runPart(
        dnsPart(sockets).configure(configuration),
        environmentOf('dns', incarnation, connectToKubernetes(incarnation, undefined, server)),
        incarnation.signal,
      );
    });
  }

  /** After every step: an answer that is right for no states that a server can have read, or that goes back. */
  wrongAnswer(cluster: Pick<Cluster, 'objects'>): string | undefined {
    const { site, now } = this.#options;
    this.#step += 1;
    const other = site.clusters[this.#step % site.clusters.length];
    for (const [service, states] of this.#states) {
      states.see(cluster, now());
      const names = [nameOf(service), `${other}.${nameOf(service)}`];
      for (const [server, { sockets, process, followers }] of this.lives) {
        if (process().state !== 'running') continue;
        const answers = new Map(names.map((name) => [name, lookUp(name, 1, (query) => sockets.ask(query))]));
        const complaint = followers.get(service)?.complaint(answers, now());
        if (complaint === undefined) continue;
        const said = [...answers].map(([name, answer]) => `${answer} of ${name}`).join(' and ');
        return `${server} says ${said}, ${complaint}`;
      }
    }
    return undefined;
  }

  /** Where a server does not say what is right for all objects as they are now, and all of it in turn. */
  difference({ objects }: Pick<Cluster, 'objects'>, services: readonly string[]): string | undefined {
    const { site } = this.#options;
    for (const service of services) {
      const found = {
        imports: objects(imports),
        slices: objects(endpointSlices).filter(({ metadata }) => metadata.labels?.[SERVICE_NAME] === service),
      };
      for (const name of [nameOf(service), ...site.clusters.map((cluster) => `${cluster}.${nameOf(service)}`)]) {
        const words = [...rightAnswers(site, service, name, found)].join(' ').split(' ');
        const right = [...new Set(words)].toSorted().join(' ');
        for (const [server, { sockets }] of this.lives) {
          const said = lookUp(name, TURNS, (query) => sockets.ask(query));
          if (said !== right) return `${server} says ${said} of ${name}, not ${right}`;
        }
      }
    }
    return undefined;
  }
}
