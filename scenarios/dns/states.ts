import { type ServiceImport, SERVICE_NAME } from '@fairlead/clusterset/mcs';
import { type EndpointSlice, endpointSlices } from '@fairlead/kube';
import type { Cluster } from '../kubernetes.ts';
import { type DnsSite, imports, LONGEST_BEHIND_MILLISECONDS, NAMESPACE } from './names.ts';
import { rightAnswers } from './right-answers.ts';

/** What was asked, and what came: the addresses of one reply, or its rcode. */
export type Answers = ReadonlyMap<string, string>;

/** What a collection held of one Service, one state after the other, as a watch tells them. */
class Collection<Kind> {
  readonly #isOfService: (one: Kind) => boolean;
  readonly #states: { readonly text: string; readonly objects: readonly Kind[]; replacedAt: number }[] = [];
  #seen: readonly Kind[] | undefined;

  constructor(isOfService: (one: Kind) => boolean) {
    this.#isOfService = isOfService;
  }

  get count(): number {
    return this.#states.length;
  }

  see(all: readonly Kind[], now: number): void {
    if (all === this.#seen) return;
    this.#seen = all;
    const objects = all.filter(this.#isOfService);
    const text = JSON.stringify(objects);
    const last = this.#states.at(-1);
    if (last?.text === text) return;
    if (last !== undefined) last.replacedAt = now;
    this.#states.push({ text, objects, replacedAt: Number.POSITIVE_INFINITY });
  }

  objects(state: number): readonly Kind[] {
    return this.#states[state]?.objects ?? [];
  }

  /** The first that was there then, or came later. */
  firstSince(time: number): number {
    return this.#states.findIndex(({ replacedAt }) => replacedAt >= time);
  }
}

/** All states of one Service, and what is right in them. */
export class ServiceStates {
  readonly imports: Collection<ServiceImport>;
  readonly slices: Collection<EndpointSlice>;
  /** By state of the ServiceImports and of the EndpointSlices, and name: what a reply may say. */
  readonly #right = new Map<string, ReadonlySet<string>>();
  readonly #site: DnsSite;
  readonly #service: string;

  constructor(site: DnsSite, service: string) {
    this.#site = site;
    this.#service = service;
    this.imports = new Collection(
      ({ metadata }) => metadata.name === service || metadata.name.startsWith(`${service}-${NAMESPACE}-`),
    );
    this.slices = new Collection(({ metadata }) => metadata.labels?.[SERVICE_NAME] === service);
  }

  /** After every step: no step changes a collection twice. */
  see({ objects }: Pick<Cluster, 'objects'>, now: number): void {
    this.imports.see(objects(imports), now);
    this.slices.see(objects(endpointSlices), now);
  }

  areRight(answers: Answers, ofImports: number, ofSlices: number): boolean {
    return [...answers].every(([name, answer]) => {
      const key = `${ofImports} ${ofSlices} ${name}`;
      const objects = { imports: this.imports.objects(ofImports), slices: this.slices.objects(ofSlices) };
      const right = this.#right.get(key) ?? rightAnswers(this.#site, this.#service, name, objects);
      this.#right.set(key, right);
      return right.has(answer);
    });
  }
}

/**
 * Which states of a Service a server can have read, as far as its answers tell. ServiceImports and EndpointSlices come to
 * it by two watches, of which either may be behind: but neither goes back, and neither stays behind for longer than the
 * documentation says.
 */
export class Follower {
  readonly #states: ServiceStates;
  /** For each state of the ServiceImports, the first of the EndpointSlices that fits; undefined before the first answer. */
  #earliest: readonly number[] | undefined;
  readonly #startedAt: number;

  constructor(states: ServiceStates, startedAt: number) {
    this.#states = states;
    this.#startedAt = startedAt;
  }

  /** Why the answers, which came at the same moment, are not right; undefined where they are. */
  complaint(answers: Answers, now: number): string | undefined {
    const isSilent = [...answers.values()].every((answer) => answer === 'SERVFAIL' || answer === 'no reply');
    if (isSilent && this.#earliest === undefined) return undefined;
    const { imports: ofImports, slices: ofSlices } = this.#states;
    const since = Math.max(this.#startedAt, now - LONGEST_BEHIND_MILLISECONDS);
    const firstImports = ofImports.firstSince(since);
    const firstSlices = ofSlices.firstSince(since);
    const earliest: number[] = [];
    let from = this.#earliest === undefined ? firstSlices : Number.POSITIVE_INFINITY;
    for (let state = 0; state < ofImports.count; state += 1) {
      from = Math.min(from, this.#earliest?.[state] ?? Number.POSITIVE_INFINITY);
      const isSeen = state >= firstImports;
      earliest.push(isSeen ? this.#firstRight(answers, state, Math.max(from, firstSlices)) : Number.POSITIVE_INFINITY);
    }
    if (!earliest.some(Number.isFinite)) return 'which is right in no state that it can have read';
    this.#earliest = earliest;
    return undefined;
  }

  #firstRight(answers: Answers, ofImports: number, from: number): number {
    for (let ofSlices = from; ofSlices < this.#states.slices.count; ofSlices += 1) {
      if (this.#states.areRight(answers, ofImports, ofSlices)) return ofSlices;
    }
    return Number.POSITIVE_INFINITY;
  }
}
